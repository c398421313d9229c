import { SAVED_RANGES, type SavedRange } from '../../domain/funnel.js'
import { foldName } from '../../domain/name.js'
import type { Api, ApiResponse, Input, Result } from '../client/api.js'
import { refusedError, usageError } from '../command-error.js'
import type { CommonOptions, Context } from '../context.js'
import { readBody } from '../files/read-body.js'
import { forEachId } from '../for-each-id.js'
import { renderQuery } from '../funnels/render.js'
import { escapeControls } from '../output.js'
import { printAnswer } from '../render/page.js'
import { renderRetention } from './render.js'
import { printTrendsOf } from './trends.js'

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

/** Changes the fields of a file that `create` accepts, or some of them. */
export async function updateInsightFromFile(
  context: Context,
  name: string,
  file: string,
  options: CommonOptions,
): Promise<void> {
  const { parseSource, readText } = await import('../files/document.js')
  const source = parseSource(file === '-' ? 'standard input' : file, await readText(context, file))
  const api = await context.api()
  const { id, ...insight } = named((await api.call('listInsights', PAGE)).body.data, name, 'insight')
  const changes = source.value as Input<'updateInsight'>['body'] & { readonly kind?: string }
  const { assertValidFile, compileSchema, fetchSchemas } = await import('../files/validate.js')
  // Whole, so that the kind tells the form of the query.
  const { kind, query } = insight
  const whole = { name: insight.name, kind, query, ...changes }
  assertValidFile(source, compileSchema(await fetchSchemas(context), 'CreateInsight')(whole))
  if (whole.kind !== kind)
    throw refusedError(`${name} is an insight of the kind ${kind}, which stays`, undefined, [
      'create another one with: svc insights create',
    ])
  const { kind: _, ...body } = changes
  const answer = await api.call('updateInsight', { path: { insightId: id }, body })
  await printAnswer(context, options, answer, (_, row) => `${escapeControls(row.name)} is saved: ${id}\n`)
}

/** Queries an insight over its range. */
export async function queryInsight(context: Context, name: string, options: CommonOptions): Promise<void> {
  const api = await context.api()
  const insight = named((await api.call('listInsights', PAGE)).body.data, name, 'insight')
  const { kind } = insight
  if (kind === 'trends') {
    const { compare = false, ...query } = insight.query
    return printTrendsOf(context, options, ranged(query), compare)
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

function ranged<Query extends { readonly last?: SavedRange; readonly from?: string }>({
  last = '30d',
  from = new Date(Date.now() - SAVED_RANGES[last]).toISOString(),
  ...query
}: Query): Omit<Query, 'last' | 'from'> & { readonly from: string } {
  return { ...query, from }
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

interface DashboardOptions extends CommonOptions {
  readonly name?: string
  readonly insight?: readonly string[]
  readonly last?: SavedRange
}

export async function addDashboard(context: Context, name: string, options: DashboardOptions): Promise<void> {
  const api = await context.api()
  const body = { name, ...(await dashboardFields(api, options)) }
  const answer = await api.call('createDashboard', { body })
  await printAnswer(context, options, answer, (_, { id }) => `${escapeControls(name)} is created: ${id}\n`)
}

export async function changeDashboard(
  context: Context,
  name: string,
  options: DashboardOptions,
): Promise<void> {
  const api = await context.api()
  const body = await dashboardFields(api, options)
  if (Object.keys(body).length === 0) throw usageError('name a change: --name, --insight or --last')
  const { id } = named((await api.call('listDashboards', PAGE)).body.data, name, 'dashboard')
  const answer = await api.call('updateDashboard', { path: { dashboardId: id }, body })
  await printAnswer(context, options, answer, (_, row) => `${escapeControls(row.name)} is saved: ${id}\n`)
}

/** The fields that the options name. */
async function dashboardFields(
  api: Api,
  { name, insight, last }: DashboardOptions,
): Promise<Input<'updateDashboard'>['body']> {
  const data = insight === undefined ? [] : (await api.call('listInsights', PAGE)).body.data
  return {
    ...(name === undefined ? {} : { name }),
    ...(insight === undefined ? {} : { insights: insight.map((each) => named(data, each, 'insight').id) }),
    ...(last === undefined ? {} : { last }),
  }
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
