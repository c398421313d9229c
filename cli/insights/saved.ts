import { SAVED_RANGES, type SavedRange } from '../../domain/funnel.js'
import { foldName } from '../../domain/name.js'
import type { Api, ApiResponse, Input, Result } from '../client/api.js'
import { refusedError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { readBody } from '../files/read-body.js'
import { forEachId } from '../for-each-id.js'
import { renderQuery } from '../funnels/render.js'
import { escapeControls } from '../output.js'
import { printAnswer } from '../render/page.js'
import { renderRetention, renderTrends } from './render.js'

type Insight = Result<'listInsights'>['data'][number]

const PAGE = { query: { limit: 1_000 } }

export async function createInsightFromFile(
  context: Context,
  file: string,
  options: CommonOptions,
): Promise<void> {
  const body = await readBody<'createInsight'>(context, file, 'CreateInsight')
  const answer = await (await context.api()).call('createInsight', { body })
  await printAnswer(
    context,
    options,
    answer,
    (_, { id, name }) => `${escapeControls(name)} is saved: ${id}\n`,
  )
}

/** Queries an insight over its range until now. */
export async function queryInsight(context: Context, name: string, options: CommonOptions): Promise<void> {
  const api = await context.api()
  const insight = named((await api.call('listInsights', PAGE)).body.data, name, 'insight')
  const { kind } = insight
  if (kind === 'trends') {
    const answer = await api.call('queryTrends', { body: ranged(insight.query) })
    return printAnswer(context, options, answer, renderTrends)
  }
  if (kind === 'retention') {
    const answer = await api.call('queryRetention', { body: ranged(insight.query) })
    return printAnswer(context, options, answer, renderRetention)
  }
  const answer = await api.call('queryFunnelDraft', { body: ranged(insight.query) })
  const breakdown = insight.query.breakdown?.property
  await printAnswer(context, options, answer, (style, figures) =>
    renderQuery(style, insight.name, figures, breakdown),
  )
}

function ranged<Query extends { readonly last?: SavedRange }>({
  last = '30d',
  ...query
}: Query): Omit<Query, 'last'> & { readonly from: string } {
  return { ...query, from: new Date(Date.now() - SAVED_RANGES[last]).toISOString() }
}

export function deleteInsights(
  context: Context,
  names: readonly string[],
  options: CommonOptions,
): Promise<void> {
  return deleteNamed(context, names, options, async (api, name) => {
    const { id } = named((await api.call('listInsights', PAGE)).body.data, name, 'insight')
    return { ...(await api.call('deleteInsight', { path: { insightId: id } })), body: { id, name } }
  })
}

export async function addDashboard(
  context: Context,
  name: string,
  options: CommonOptions & { readonly insight?: readonly string[]; readonly last?: SavedRange },
): Promise<void> {
  const { insight: wanted = [], last } = options
  const api = await context.api()
  const data = wanted.length === 0 ? [] : (await api.call('listInsights', PAGE)).body.data
  const insights = wanted.map((each) => named(data, each, 'insight').id)
  const body: Input<'createDashboard'>['body'] = { name, insights, ...(last === undefined ? {} : { last }) }
  const answer = await api.call('createDashboard', { body })
  await printAnswer(context, options, answer, (_, { id }) => `${escapeControls(name)} is created: ${id}\n`)
}

export function deleteDashboards(
  context: Context,
  names: readonly string[],
  options: CommonOptions,
): Promise<void> {
  return deleteNamed(context, names, options, async (api, name) => {
    const { id } = named((await api.call('listDashboards', PAGE)).body.data, name, 'dashboard')
    return { ...(await api.call('deleteDashboard', { path: { dashboardId: id } })), body: { id, name } }
  })
}

async function deleteNamed(
  context: Context,
  names: readonly string[],
  options: CommonOptions,
  remove: (api: Api, name: string) => Promise<ApiResponse<{ readonly id: string; readonly name: string }>>,
): Promise<void> {
  const api = await context.api()
  await forEachId(
    context,
    names,
    options,
    async (name) => {
      const answer = await remove(api, name)
      return { ...answer, text: JSON.stringify({ id: answer.body.id }) }
    },
    (_, { name }) => `Deleted ${escapeControls(name)}.`,
  )
}

/** By name without regard to case, then by id. Throws CommandError. */
function named<Row extends Pick<Insight, 'id' | 'name'>>(
  rows: readonly Row[],
  name: string,
  what: string,
): Row {
  const found =
    rows.find((row) => foldName(row.name) === foldName(name)) ??
    rows.find(({ id }) => id === name.toLowerCase())
  if (found !== undefined) return found
  throw refusedError(`there is no ${what} ${JSON.stringify(name)}`, 'NOT_FOUND', [
    rows.length === 0
      ? `try: svc ${what}s create`
      : `there are: ${rows.map((row) => escapeControls(row.name)).join(', ')}`,
  ])
}
