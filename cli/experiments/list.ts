import type { Input, Result } from '../client/api.js'
import type { CommonOptions, Context } from '../context.js'
import { printPage } from '../render/page.js'
import type { Column } from '../render/table.js'
import {
  formatAge,
  formatChange,
  formatCount,
  formatProbability,
  statusColor,
} from '../render/terminal-style.js'

type Row = Result<'listExperiments'>['data'][number]
type Query = NonNullable<Input<'listExperiments'>['query']>
type Filters = Omit<Query, 'hasPr'> & { readonly hasPr?: string }

export async function listExperiments(
  context: Context,
  { json, hasPr, ...query }: CommonOptions & Filters,
): Promise<void> {
  const answer = await (await context.api()).call('listExperiments', {
    query: { ...query, ...(hasPr === undefined ? {} : { hasPr: hasPr === 'true' }) },
  })
  const style = context.style()
  const measured: readonly Column<Row>[] = [
    {
      title: 'exposed',
      text: ({ measurements }) =>
        measurements?.usersExposed == null ? '-' : formatCount(measurements.usersExposed),
      alignRight: true,
      dropPriority: 3,
    },
    {
      title: 'lift',
      text: ({ measurements }) => formatChange(measurements?.estimatedLift),
      color: ({ measurements }) => liftPaint(measurements?.estimatedLift),
      alignRight: true,
      dropPriority: 2,
    },
    {
      title: 'chance',
      text: ({ measurements }) => formatProbability(measurements?.confidence),
      alignRight: true,
      dropPriority: 4,
    },
  ]
  await printPage(context, { json }, answer, 'experiments', [
    { title: 'key', text: ({ key }) => key, minWidth: 14 },
    { title: 'status', text: ({ status }) => status, color: ({ status }) => statusColor(status) },
    { title: 'name', text: ({ name }) => name, minWidth: 10, dropPriority: 5 },
    ...measured,
    { title: 'updated', text: ({ updatedAt }) => formatAge(style, updatedAt), dropPriority: 1 },
  ])
}

export async function listProposals(
  context: Context,
  { json, ...query }: CommonOptions & Query,
): Promise<void> {
  const answer = await (await context.api()).call('listExperiments', {
    query: { ...query, status: 'proposed' },
  })
  const style = context.style()
  await printPage(context, { json }, answer, 'proposals', [
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
  ])
}

function liftPaint(lift: number | null | undefined): 'green' | 'red' | undefined {
  if (lift === null || lift === undefined || lift === 0) return undefined
  return lift > 0 ? 'green' : 'red'
}
