import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { FUNNEL_LIMITS } from '../../domain/funnel.js'
import type { ErrorDetail } from '../../management/domain-errors.js'
import { exclusionProblems } from '../../management/funnels/index.js'
import type { InsightKind, InsightQuery } from '../../management/insights/index.js'
import { comparisonProblems, orderProblems } from '../funnels/funnel-query.js'
import { last, savedQueryFields, steps, windowSeconds } from '../funnels/schemas.js'
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

const { from: _f, to: _t, ...trends } = TrendsQuerySchema.properties
const { from: _from, to: _to, ...retention } = RetentionQuerySchema.properties
const savedLast = { last: Type.Optional(last) }

const SavedTrends = named('SavedTrendsQuery', closed({ ...trends, ...savedLast }))
const SavedRetention = named('SavedRetentionQuery', closed({ ...retention, ...savedLast }))
const SavedFunnel = named(
  'SavedFunnelDraftQuery',
  closed({
    steps,
    windowSeconds: Type.Optional(windowSeconds),
    ...Type.Partial(closed(savedQueryFields)).properties,
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
  problems: (query: unknown) => one.problems(query as Static<Query>),
})

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
        Type.Unsafe<InsightQuery>({ type: 'object', description: 'As when it was created, for its kind' }),
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
  { of: ['kind', 'query'], problems: ({ kind, query }) => inQuery(KINDS[kind].problems(query)) },
]

/** Every problem of a query of a kind. */
export function insightQueryProblems(kind: InsightKind, query: InsightQuery): ErrorDetail[] {
  const { validate, problems } = KINDS[kind]
  const details = validate(query)
  return inQuery(details.length > 0 ? details : problems(query))
}

function inQuery(details: readonly ErrorDetail[]): ErrorDetail[] {
  return details.map(({ path, message }) => ({ path: `/query${path}`, message }))
}
