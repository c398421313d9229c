import { type Static, Type } from '@sinclair/typebox'
import { STATUSES } from '../../domain/lifecycle.js'
import {
  countByStatus,
  EXPERIMENT_LIMITS,
  EXPERIMENT_SORTS,
  KINDS,
  listExperiments,
  ORIGINS,
  PRIORITIES,
  REJECTED_STAGES,
  TEST_TYPES,
} from '../../management/experiments/index.js'
import { readTime } from '../http/read-time.js'
import { assertValid, defineRoute, json, page, pageOf, type Rule } from '../http/route.js'
import { closed, oneOf, paging, textUpTo, time, uuid } from '../http/schemas.js'
import { exampleExperiment } from './examples.js'
import { ExperimentCountsSchema, ExperimentSchema } from './schemas.js'
import { toExperiment } from './view.js'

/** A comma-separated list; its words are checked when it is read. */
function words(known: readonly string[], what: string) {
  return Type.Optional(
    Type.String({
      minLength: 1,
      description: `Only these ${what}: one or more of ${known.join(', ')}, separated by commas`,
      examples: [known.slice(0, 2).join(',')],
    }),
  )
}

const listQuery = closed({
  status: words(STATUSES, 'statuses'),
  priority: words(PRIORITIES, 'priorities'),
  origin: words(ORIGINS, 'origins'),
  experimentRunId: Type.Optional(uuid('Only what this generation run proposed')),
  search: Type.Optional(
    textUpTo(
      EXPERIMENT_LIMITS.search,
      'Literal text in name, key, mechanism, notes or hypothesis; case does not matter',
    ),
  ),
  rejectedStage: Type.Optional(oneOf(REJECTED_STAGES)),
  hasPr: Type.Optional(Type.Boolean({ description: 'True: only with a pull request. False: only without' })),
  createdAfter: Type.Optional(time('Only what was created then or later')),
  createdBefore: Type.Optional(time('Only what was created before')),
  kind: Type.Optional(oneOf(KINDS)),
  testType: Type.Optional(oneOf(TEST_TYPES)),
  sortBy: oneOf(EXPERIMENT_SORTS, {
    default: 'createdAt',
    description:
      'Ties are ordered by id in the same direction; nulls come last. low < medium < high; names by Unicode collation, without regard to case',
  }),
  sortDir: oneOf(['asc', 'desc'], { default: 'desc' }),
  ...paging(200, 50),
})

type ExperimentQuery = Static<typeof listQuery>

/** The known words of a comma-separated list, without duplicates; undefined if the parameter is missing. */
function readWords<Word extends string>(
  text: string | undefined,
  known: readonly Word[],
): Word[] | undefined {
  if (text === undefined) return undefined
  return [...new Set(text.split(','))].flatMap((word) => known.find((one) => one === word) ?? [])
}

const wordRules = (
  [
    ['status', STATUSES],
    ['priority', PRIORITIES],
    ['origin', ORIGINS],
  ] as const
).map(
  ([name, known]): Rule<ExperimentQuery> => ({
    of: [name],
    problems: ({ [name]: text }) =>
      text === undefined || text.split(',').every((word) => (known as readonly string[]).includes(word))
        ? []
        : [
            {
              path: `query.${name}`,
              message: `must be one or more of ${known.join(', ')}, separated by commas`,
            },
          ],
  }),
)

export const listRoute = defineRoute('GET /experiments', 'listExperiments', {
  tag: 'Experiments',
  summary: 'List experiments and proposals, newest first',
  query: listQuery,
  queryRules: wordRules,
  responses: {
    200: pageOf('A page of experiments', 'ExperimentPage', ExperimentSchema, exampleExperiment, 50),
  },
  async handler({ query, services, workspaceId }) {
    assertValid(wordRules, query, services.now())
    const { rows, total } = await listExperiments(services.sql, workspaceId, {
      ...query,
      statuses: readWords(query.status, STATUSES),
      priorities: readWords(query.priority, PRIORITIES),
      origins: readWords(query.origin, ORIGINS),
      createdAfter: readTime(query.createdAfter),
      createdBefore: readTime(query.createdBefore),
    })
    return page(query, rows.map(toExperiment), total)
  },
})

export const countsRoute = defineRoute('GET /experiments/counts', 'countExperiments', {
  tag: 'Experiments',
  summary: 'Count experiments by status',
  etag: true,
  responses: {
    200: json('The counts, of every status', ExperimentCountsSchema, {
      total: 3,
      byStatus: {
        ...Object.fromEntries(STATUSES.map((status) => [status, 0])),
        proposed: 2,
        running: 1,
      },
    }),
  },
  async handler({ services, workspaceId }) {
    const byStatus = await countByStatus(services.sql, workspaceId)
    const total = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
    return { status: 200, body: { total, byStatus } }
  },
})
