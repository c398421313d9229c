import { formatChange, formatCount, formatDuration, formatProbability } from '../../domain/text/format.js'
import { statusLabel } from '../../domain/text/labels.js'
import type { ApiResponse, Input, Result } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { type ListBody, printAnswer, printPage } from '../render/page.js'
import { type Column, figures, renderTable } from '../render/table.js'
import { formatAge, statusColor, type TerminalStyle } from '../render/terminal-style.js'

type Operation = Parameters<Awaited<ReturnType<Context['api']>>['call']>[0]
type ListOperation = {
  [O in Operation]: Result<O> extends { readonly data: readonly unknown[] } ? O : never
}[Operation]
type Row<O extends ListOperation> = Result<O> extends { readonly data: readonly (infer R)[] } ? R : never
type Query<O extends Operation> = Input<O> extends { readonly query?: infer Q } ? NonNullable<Q> : object
type ListOptions<O extends Operation> = [Query<O>] extends [never] ? object : Query<O>

/** A command that lists rows: its options are the query of the operation, unless `toQuery` says otherwise. */
function list<O extends ListOperation, Options extends object = ListOptions<O>>(
  operation: O,
  noun: string,
  columns: (style: TerminalStyle) => readonly Column<Row<O>>[],
  toQuery: (options: Options) => object = (options) => options,
) {
  return async (context: Context, { json, ...options }: CommonOptions & Options): Promise<void> => {
    const query = toQuery(options as unknown as Options)
    const answer = await (await context.api()).call(operation, { query } as unknown as Input<O>)
    await printPage(context, { json }, answer as ApiResponse<ListBody<Row<O>>>, noun, columns)
  }
}

const MEASURED: readonly Column<Row<'listExperiments'>>[] = [
  figures(
    'exposed',
    ({ measurements }) => (measurements?.usersExposed == null ? '-' : formatCount(measurements.usersExposed)),
    3,
  ),
  figures('lift', ({ measurements }) => formatChange(measurements?.estimatedLift), 2, {
    color: ({ measurements }) => {
      const lift = measurements?.estimatedLift ?? 0
      return lift === 0 ? undefined : lift > 0 ? 'green' : 'red'
    },
  }),
  figures('chance', ({ measurements }) => formatProbability(measurements?.confidence), 4),
]

export const listExperimentsCommand = list('listExperiments', 'experiments', (style) => [
  { title: 'key', text: ({ key }) => key, minWidth: 14 },
  { title: 'status', text: ({ status }) => statusLabel(status), color: ({ status }) => statusColor(status) },
  { title: 'name', text: ({ name }) => name, minWidth: 10, dropPriority: 5 },
  ...MEASURED,
  { title: 'updated', text: ({ updatedAt }) => formatAge(style, updatedAt), dropPriority: 1 },
])

export const listProposalsCommand = list(
  'listExperiments',
  'proposals',
  (style) => [
    { title: 'key', text: ({ key }) => key, minWidth: 14 },
    { title: 'priority', text: ({ priority }) => priority, dropPriority: 2 },
    { title: 'name', text: ({ name }) => name, minWidth: 12 },
    {
      title: 'surfaces',
      text: ({ surfaces }) => surfaces.map(({ path }) => path).join(', '),
      minWidth: 10,
      dropPriority: 3,
    },
    { title: 'created', text: ({ createdAt }) => formatAge(style, createdAt), dropPriority: 1 },
  ],
  (options) => ({ ...options, status: 'proposed' }),
)

export const listRunsCommand = list('listGenerationRuns', 'runs', (style) => [
  { title: 'id', text: (run) => run.id },
  { title: 'status', text: (run) => run.status, color: (run) => statusColor(run.status), dropPriority: 0 },
  figures('stored', (run) => `${run.survived}/${run.requested}`, 4),
  {
    title: 'took',
    text: (run) => (run.durationMs === null ? '-' : formatDuration(run.durationMs)),
    dropPriority: 2,
  },
  { title: 'created', text: (run) => formatAge(style, run.createdAt), dropPriority: 1 },
  { title: 'error', text: (run) => run.error?.message ?? '', minWidth: 10, dropPriority: 3 },
])

export const listLearningsCommand = list('listLearnings', 'learnings', (style) => [
  { title: 'id', text: ({ id }) => id },
  { title: 'title', text: ({ title }) => title, minWidth: 12, dropPriority: 0 },
  { title: 'decision', text: ({ decision }) => decision, dropPriority: 1 },
  {
    title: 'review',
    text: ({ reviewStatus }) => reviewStatus,
    color: ({ reviewStatus }) => statusColor(reviewStatus),
    dropPriority: 2,
  },
  { title: 'created', text: ({ createdAt }) => formatAge(style, createdAt), dropPriority: 3 },
])

export const listFunnelsCommand = list('listFunnels', 'funnels', (style) => [
  { title: 'name', text: ({ name }) => name, minWidth: 10 },
  { title: 'steps', text: ({ steps }) => steps.map((step) => step.name).join(' → '), minWidth: 14 },
  { title: 'window', text: ({ windowSeconds }) => formatDuration(windowSeconds * 1_000), dropPriority: 1 },
  { title: 'updated', text: ({ updatedAt }) => formatAge(style, updatedAt), dropPriority: 2 },
])

export const listInsightsCommand = list('listInsights', 'insights', (style) => [
  { title: 'name', text: ({ name }) => name, minWidth: 10 },
  { title: 'kind', text: ({ kind }) => kind },
  { title: 'id', text: ({ id }) => id, dropPriority: 2 },
  { title: 'updated', text: ({ updatedAt }) => formatAge(style, updatedAt), dropPriority: 1 },
])

export const listDashboardsCommand = list('listDashboards', 'dashboards', (style) => [
  { title: 'name', text: ({ name }) => name, minWidth: 10 },
  figures('insights', ({ insights }) => formatCount(insights.length)),
  { title: 'range', text: ({ last }) => last },
  { title: 'id', text: ({ id }) => id, dropPriority: 2 },
  { title: 'updated', text: ({ updatedAt }) => formatAge(style, updatedAt), dropPriority: 1 },
])

export const listEventsCommand = list('listEvents', 'events', (style) => [
  { title: 'received', text: ({ receivedAt }) => formatAge(style, receivedAt), dropPriority: 1 },
  { title: 'event', text: ({ event }) => event, minWidth: 12, color: () => 'cyan' },
  { title: 'person', text: ({ personId }) => personId, minWidth: 12 },
  {
    title: 'properties',
    text: ({ properties }) => JSON.stringify(properties),
    minWidth: 12,
    dropPriority: 2,
  },
])

export const listEventNamesCommand = list('listEventNames', 'events', (style) => [
  { title: 'event', text: ({ eventName }) => eventName, minWidth: 12 },
  figures('count', ({ count }) => formatCount(count)),
  { title: 'last', text: ({ lastSeenAt }) => formatAge(style, lastSeenAt), dropPriority: 1 },
  { title: 'first', text: ({ firstSeenAt }) => formatAge(style, firstSeenAt), dropPriority: 2 },
])

interface RefusedOptions {
  readonly key?: string
  readonly warnings?: true
}

export const listRefusedCommand = list(
  'listIngestProblems',
  'refused events',
  (style) => [
    { title: 'last', text: ({ lastAt }) => formatAge(style, lastAt) },
    figures('times', ({ times }) => formatCount(times)),
    { title: 'status', text: ({ status }) => String(status), dropPriority: 3 },
    { title: 'key', text: ({ keyName }) => keyName, minWidth: 8, dropPriority: 2 },
    { title: 'event', text: ({ eventName }) => eventName ?? '', minWidth: 8, dropPriority: 1 },
    { title: 'why', text: ({ message }) => message, minWidth: 36 },
    { title: 'value', text: ({ value }) => value ?? '', minWidth: 8, dropPriority: 4 },
  ],
  ({ key, warnings, ...paging }: RefusedOptions) => ({
    ...paging,
    outcome: warnings ? 'warned' : 'refused',
    ...(key === undefined ? {} : { keyId: key }),
  }),
)

const listAuditPage = list(
  'listAuditEntries',
  'entries',
  (style) => [
    { title: 'at', text: (entry) => formatAge(style, entry.at) },
    { title: 'action', text: (entry) => entry.action },
    {
      title: 'by',
      text: ({ actorApiKeyName, actorPersonName }) =>
        actorApiKeyName === null ? actorPersonName : `${actorPersonName} (${actorApiKeyName})`,
      minWidth: 8,
      dropPriority: 1,
    },
    { title: 'what', text: (entry) => entry.summary, minWidth: 36 },
    { title: 'request', text: (entry) => entry.requestId, dropPriority: 2 },
  ],
  (query: object) => query,
)

interface AuditOptions extends CommonOptions {
  readonly key?: string
  readonly person?: string
  readonly resource?: string
  readonly ndjson?: true
}

export async function listAuditEntriesCommand(context: Context, options: AuditOptions): Promise<void> {
  const { key, person, resource, ndjson, json, ...more } = options
  const query = { ...more, actorApiKeyId: key, actorPersonId: person, resourceId: resource }
  if (!ndjson) return listAuditPage(context, { json, ...query })
  const { printLines } = await import('../print-lines.js')
  return printLines(context, 'listAuditEntries', { query: { ...query, format: 'ndjson' } })
}

export const listErasuresCommand = list('listErasures', 'erasures', (style) => [
  { title: 'id', text: ({ id }) => id },
  { title: 'status', text: ({ status }) => status },
  {
    title: 'events',
    text: ({ receipt }) => (receipt === null ? '-' : formatCount(receipt.events + receipt.exposures)),
  },
  { title: 'requested', text: ({ requestedAt }) => formatAge(style, requestedAt), dropPriority: 1 },
])

export const listHooksCommand = list('listHooks', 'webhooks', (style) => [
  { title: 'id', text: ({ id }) => id },
  { title: 'address', text: ({ url }) => url, minWidth: 12 },
  { title: 'kinds', text: ({ kinds }) => kinds.join(','), minWidth: 8 },
  { title: 'format', text: ({ format }) => format, dropPriority: 2 },
  { title: 'changed', text: ({ updatedAt }) => formatAge(style, updatedAt), dropPriority: 1 },
])

export async function listDeliveriesCommand(
  context: Context,
  id: string,
  { json, ...query }: CommonOptions & Query<'listHookDeliveries'>,
): Promise<void> {
  const answer = await (await context.api()).call('listHookDeliveries', { path: { id }, query })
  await printPage(context, { json }, answer, 'deliveries', (style) => [
    { title: 'id', text: (delivery) => delivery.id },
    { title: 'kind', text: ({ kind }) => kind, minWidth: 8 },
    { title: 'status', text: ({ status }) => status },
    figures('attempts', ({ attempts }) => formatCount(attempts), 3),
    { title: 'at', text: ({ at }) => formatAge(style, at), dropPriority: 1 },
    { title: 'next', text: ({ nextAttemptAt }) => formatAge(style, nextAttemptAt), dropPriority: 2 },
    { title: 'error', text: ({ error }) => error ?? '', minWidth: 10, dropPriority: 4 },
  ])
}

export async function showCounts(context: Context, options: CommonOptions): Promise<void> {
  const answer = await (await context.api()).call('countExperiments', {})
  await printAnswer(context, options, answer, (style, { byStatus, total }) =>
    renderTable(
      style,
      [
        {
          title: 'status',
          text: ([status]) => statusLabel(status),
          color: ([status]) => statusColor(status),
        },
        { title: 'experiments', text: ([, count]) => formatCount(count), alignRight: true },
      ],
      [...Object.entries(byStatus), ['total', total] as const],
    ),
  )
}
