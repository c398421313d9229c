import type { Input, Result } from '../client/api.js'
import type { Common, Context } from '../context.js'
import { showPage } from '../render/list.js'
import { chance, signed, statusPaint, when, whole } from '../render/look.js'
import type { Column } from '../render/table.js'

type Row = Result<'listExperiments'>['data'][number]
type Query = NonNullable<Input<'listExperiments'>['query']>
type Filters = Omit<Query, 'hasPr'> & { readonly hasPr?: string }

export async function listExperiments(
  context: Context,
  { json, hasPr, ...query }: Common & Filters,
): Promise<void> {
  const answer = await (await context.api()).call('listExperiments', {
    query: { ...query, ...(hasPr === undefined ? {} : { hasPr: hasPr === 'true' }) },
  })
  const look = context.look()
  const measured: readonly Column<Row>[] = [
    {
      title: 'exposed',
      text: ({ measurements }) =>
        measurements?.usersExposed == null ? '-' : whole(measurements.usersExposed),
      right: true,
      drop: 3,
    },
    {
      title: 'lift',
      text: ({ measurements }) => signed(measurements?.estimatedLift),
      paint: ({ measurements }) => liftPaint(measurements?.estimatedLift),
      right: true,
      drop: 2,
    },
    { title: 'chance', text: ({ measurements }) => chance(measurements?.confidence), right: true, drop: 4 },
  ]
  await showPage(context, { json }, answer, 'experiments', [
    { title: 'key', text: ({ key }) => key, least: 14 },
    { title: 'status', text: ({ status }) => status, paint: ({ status }) => statusPaint(status) },
    { title: 'name', text: ({ name }) => name, least: 10, drop: 5 },
    ...measured,
    { title: 'updated', text: ({ updatedAt }) => when(look, updatedAt), drop: 1 },
  ])
}

export async function listProposals(context: Context, { json, ...query }: Common & Query): Promise<void> {
  const answer = await (await context.api()).call('listExperiments', {
    query: { ...query, status: 'proposed' },
  })
  const look = context.look()
  await showPage(context, { json }, answer, 'proposals', [
    { title: 'key', text: ({ key }) => key, least: 14 },
    { title: 'priority', text: ({ priority }) => priority, drop: 2 },
    { title: 'name', text: ({ name }) => name, least: 12 },
    {
      title: 'surfaces',
      text: ({ surfaces }) => surfaces.map(({ path }) => path).join(', '),
      least: 10,
      drop: 3,
    },
    { title: 'created', text: ({ createdAt }) => when(look, createdAt), drop: 1 },
  ])
}

function liftPaint(lift: number | null | undefined): 'green' | 'red' | undefined {
  if (lift === null || lift === undefined || lift === 0) return undefined
  return lift > 0 ? 'green' : 'red'
}
