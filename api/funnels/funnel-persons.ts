import { type Static, Type } from '@sinclair/typebox'
import { FUNNEL_LIMITS } from '../../domain/funnel.js'
import { csvLine } from '../../domain/text/csv.js'
import { validationFailed } from '../../management/domain-errors.js'
import { CSV } from '../../management/events/index.js'
import { type FunnelPerson, findFunnel, funnelPersons } from '../../management/funnels/index.js'
import { begun, download, NDJSON, ndjson } from '../http/download.js'
import { refuseExceeded } from '../http/error-mapping.js'
import { assertValid, defineRoute, type Rule } from '../http/route.js'
import { closed, named, oneOf, time, uuid } from '../http/schemas.js'
import { toFunnelQuery, withSavedQuery } from './funnel-query.js'
import { QUERY_DEADLINE_MS, rangeProblems } from './query-range.js'

const personsQuery = closed({
  step: Type.Integer({
    minimum: 0,
    maximum: FUNNEL_LIMITS.steps - 1,
    description: 'The `index` of a step, from 0',
  }),
  outcome: oneOf(['reached', 'lost'], {
    default: 'reached',
    description: 'Persons who reached the step, or those of them who did not reach the next one',
  }),
  from: Type.Optional(time('As in a query of the funnel')),
  to: Type.Optional(time('As in a query of the funnel')),
  format: oneOf(['ndjson', 'csv'], { default: 'ndjson' }),
})

const personsRules: readonly Rule<Static<typeof personsQuery>>[] = [
  {
    of: ['from', 'to'],
    problems: (query, now) =>
      rangeProblems(query, now).map(({ path, message }) => ({ path: `query.${path.slice(1)}`, message })),
  },
]

const FunnelPersonSchema = named(
  'FunnelPerson',
  closed({
    personId: Type.String({ description: '`user:ID` or `anonymous:ID`' }),
    steps: Type.Integer({ description: 'Number of steps of the best attempt' }),
  }),
)

export const funnelPersonsRoute = defineRoute('GET /funnel/{funnelId}/persons', 'listFunnelPersons', {
  heavy: true,
  tag: 'Funnels',
  summary: 'Export the persons of a step',
  description:
    'Streams the persons that a query of the saved funnel counts at a step, each once, in no order: `reached` are `count` of them, `lost` are the `dropOff` of the next step. The `order`, `filters` and `exclusions` of the saved query apply, its breakdown does not. The connection breaks if the export cannot be finished.',
  params: closed({ funnelId: uuid('The funnel') }),
  query: personsQuery,
  queryRules: personsRules,
  deadlineMs: QUERY_DEADLINE_MS,
  responses: {
    200: {
      description: 'The persons, one a line',
      contentType: NDJSON,
      schema: FunnelPersonSchema,
      example: { personId: 'user:42', steps: 2 },
      otherTypes: [CSV],
    },
  },
  async handler(request) {
    const { params, query, services, workspaceId, signal } = request
    const now = services.now()
    assertValid(personsRules, query, now)
    const { step, outcome, format, from, to } = query
    const { steps, ...funnel } = await findFunnel(services.sql, workspaceId, params.funnelId)
    const last = steps.length - 1
    if (step > last)
      throw validationFailed([{ path: 'query.step', message: `must be at most ${last}, the last step` }])
    if (outcome === 'lost' && step === last)
      throw validationFailed([
        { path: 'query.step', message: 'must be before the last step, after which no person is lost' },
      ])
    const {
      breakdown: _,
      interval: __,
      ...asked
    } = withSavedQuery(
      { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
      funnel.query,
      now,
    )
    const persons = await begun(
      funnelPersons(services, {
        workspaceId,
        steps,
        query: toFunnelQuery(asked, { ...funnel, steps }, now),
        now,
        step,
        outcome,
        signal,
      }),
    ).catch(refuseExceeded('query.from'))
    return format === 'csv'
      ? download(request, csvOfPersons(persons), {
          contentType: `${CSV}; charset=utf-8`,
          filename: 'persons.csv',
        })
      : ndjson(request, persons, 'persons.ndjson')
  },
})

async function* csvOfPersons(batches: AsyncIterable<readonly FunnelPerson[]>): AsyncGenerator<string> {
  yield csvLine(['personId', 'steps'])
  for await (const batch of batches)
    yield batch.map(({ personId, steps }) => csvLine([personId, String(steps)])).join('')
}
