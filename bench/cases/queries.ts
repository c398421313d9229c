import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded.js'
import { migrateClickHouse } from '../../clickhouse/migrate.js'
import { listEvents } from '../../clickhouse/queries/events.js'
import { listEventNames } from '../../clickhouse/queries/vocabulary.js'
import type { Figure } from '../support/figures.js'
import { timed } from '../support/figures.js'
import { FUNNEL_BENCH_WORKSPACE, runFunnelBench } from './funnel.js'

/** What analysts wait for, on the events of one workspace: funnels beside the bare engine, the event names, the newest events. */
export async function queriesCase(folder: string, events: number): Promise<Figure[]> {
  const clickhouse = await openEmbeddedClickHouse({ path: join(folder, 'clickhouse') })
  try {
    await migrateClickHouse(clickhouse)
    const funnels = await runFunnelBench(clickhouse, { events })
    const page = {
      workspaceId: FUNNEL_BENCH_WORKSPACE,
      limit: 50,
      sortBy: 'receivedAt',
      sortDir: 'desc',
    } as const
    return [
      ...funnels,
      {
        name: 'event names',
        value: await timed(() => listEventNames(clickhouse, FUNNEL_BENCH_WORKSPACE)),
        unit: 'ms',
      },
      {
        name: 'newest 50',
        value: await timed(() => listEvents(clickhouse, { ...page, offset: 0 })),
        unit: 'ms',
      },
      {
        name: '50 from offset 100,000',
        value: await timed(() => listEvents(clickhouse, { ...page, offset: 100_000 })),
        unit: 'ms',
      },
    ]
  } finally {
    await clickhouse.close()
  }
}
