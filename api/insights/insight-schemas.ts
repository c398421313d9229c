import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { FUNNEL_LIMITS, type SavedRange } from '../../domain/funnel.js'
import { parseRfc3339 } from '../../domain/rfc3339.js'
import type { ErrorDetail } from '../../management/domain-errors.js'
import { exclusionProblems } from '../../management/funnels/index.js'
import type { InsightKind, InsightQuery } from '../../management/insights/index.js'
import { comparisonProblems, experimentProblems, orderProblems } from '../funnels/funnel-query.js'
import { rangeProblems } from '../funnels/query-range.js'
import { FunnelQuerySchema, last, savedQueryFields, steps, windowSeconds } from '../funnels/schemas.js'
import type { Rule } from '../http/route.js'
import { closed, named, nameText, time, unionBy, uuid } from '../http/schemas.js'
import { bodyPath, compileValidator } from '../http/validate.js'
import { RetentionQuerySchema, retentionProblems } from './retention.js'
import { TrendsQuerySchema, trendsProblems } from './trends.js'

export const insightName = nameText(FUNNEL_LIMITS.nameLength, {
  description: 'Unique in the workspace, without regard to case',
  examples: ['Revenue by plan'],
})
export const insightDescription = Type.String({ maxLength: FUNNEL_LIMITS.descriptionLength })

const range = {
  last: Type.Optional(last),
  from: Type.Optional(time('A fixed range begins then; not together with `last`')),
  to: Type.Optional(time('A fixed range ends before; now if left out. Needs `from`')),
}

const SavedTrends = named(
  'SavedTrendsQuery',
  closed({
    ...TrendsQuerySchema.properties,
    ...range,
    compare: Type.Optional(
      Type.Boolean({ description: 'Whether it is shown with the period before; not if left out' }),
    ),
  }),
)
const SavedRetention = named('SavedRetentionQuery', closed({ ...RetentionQuerySchema.properties, ...range }))
const SavedFunnel = named(
  'SavedFunnelDraftQuery',
  closed({
    steps,
    windowSeconds: Type.Optional(windowSeconds),
    ...Type.Partial(closed(savedQueryFields)).properties,
    ...range,
    experiment: FunnelQuerySchema.properties.experiment,
  }),
)

/** A kind of query that can be saved: its schema and further rules. */
interface Saved<Query extends TObject> {
  readonly kind: InsightKind
  readonly query: Query
  problems(query: Static<Query>): ErrorDetail[]
}

const saved = <Query extends TObject>(one: Saved<Query>) => ({
  ...one,
  /** Fills in nothing, and normalizes names. */
  validate: compileValidator(one.query, bodyPath),
  problems: (query: unknown, now: number) => [
    ...savedRangeProblems(query as SavedRangeFields, now),
    ...one.problems(query as Static<Query>),
  ],
})

interface SavedRangeFields {
  readonly last?: SavedRange
  readonly from?: string
  readonly to?: string
}

function savedRangeProblems(query: SavedRangeFields, now: number): ErrorDetail[] {
  const { last, from, to } = query
  if (from === undefined)
    return to === undefined ? [] : [{ path: '/from', message: 'is required if to is given' }]
  if (last !== undefined) return [{ path: '/last', message: 'must be left out if from is given' }]
  return rangeProblems(query, now)
}

const KINDS = {
  trends: saved({ kind: 'trends', query: SavedTrends, problems: trendsProblems }),
  retention: saved({ kind: 'retention', query: SavedRetention, problems: retentionProblems }),
  funnel: saved({
    kind: 'funnel',
    query: SavedFunnel,
    problems: (query) => [
      ...comparisonProblems({
        '/steps': query.steps.flatMap((step) => step.filters ?? []),
        '/filters': query.filters ?? [],
      }),
      ...orderProblems(query.exclusions ?? [], ''),
      ...exclusionProblems(query, query.steps.length, ''),
      ...experimentProblems(query),
    ],
  }),
} as const

const eachKind = (name: string, fields: TProperties): TSchema[] =>
  Object.values(KINDS).map(({ kind, query }) =>
    named(`${name}Of${kind}`, closed({ kind: Type.String({ enum: [kind] }), ...fields, query })),
  )

interface CreateInsightInput {
  readonly name: string
  readonly description?: string
  readonly kind: InsightKind
  readonly query: InsightQuery
}

export const CreateInsightSchema = named(
  'CreateInsight',
  unionBy<CreateInsightInput>(
    'kind',
    eachKind('CreateInsight', { name: insightName, description: Type.Optional(insightDescription) }),
  ),
)

export const UpdateInsightSchema = named(
  'UpdateInsight',
  closed(
    {
      name: Type.Optional(insightName),
      description: Type.Optional(insightDescription),
      query: Type.Optional(
        Type.Unsafe<InsightQuery>({
          type: 'object',
          description: 'The query for the kind of the insight',
          // The kind is not in the body, so the operation validates.
          'x-any-of': Object.values(KINDS).map(({ query }) => query),
        }),
      ),
    },
    { description: 'Only the fields sent change; `query` is replaced as a whole, and the kind stays' },
  ),
)

export const InsightSchema = named(
  'Insight',
  unionBy(
    'kind',
    eachKind('Insight', {
      id: uuid('The insight'),
      name: insightName,
      description: insightDescription,
      createdAt: time('When it was created'),
      updatedAt: time('When it last changed'),
    }),
  ),
)

export const createInsightRules: readonly Rule<CreateInsightInput>[] = [
  { of: ['kind', 'query'], problems: ({ kind, query }, now) => inQuery(KINDS[kind].problems(query, now)) },
]

/** Every problem of a query of a kind. */
export function insightQueryProblems(kind: InsightKind, query: InsightQuery, now: number): ErrorDetail[] {
  const { validate, problems } = KINDS[kind]
  const details = validate(query)
  return inQuery(details.length > 0 ? details : problems(query, now))
}

/** With the times of its range as they are answered. Those that are not valid stay for the validation. */
export function withUtcTimes(query: InsightQuery): InsightQuery {
  const fields = (['from', 'to'] as const).flatMap((name) => {
    const at = typeof query[name] === 'string' ? parseRfc3339(query[name]) : undefined
    return at === undefined ? [] : [[name, new Date(at).toISOString()] as const]
  })
  return { ...query, ...Object.fromEntries(fields) }
}

function inQuery(details: readonly ErrorDetail[]): ErrorDetail[] {
  return details.map(({ path, message }) => ({ path: `/query${path}`, message }))
}
