import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded.js'
import { migrateClickHouse } from '../../clickhouse/migrate.js'
import { listEvents } from '../../clickhouse/queries/events.js'
import { listEventNames } from '../../clickhouse/queries/vocabulary.js'
import type { Figure } from '../support/figures.js'
import { percentile } from '../support/figures.js'
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
      await timed('event names', () => listEventNames(clickhouse, FUNNEL_BENCH_WORKSPACE)),
      await timed('newest 50', () => listEvents(clickhouse, { ...page, offset: 0 })),
      await timed('50 from offset 100,000', () => listEvents(clickhouse, { ...page, offset: 100_000 })),
    ]
  } finally {
    await clickhouse.close()
  }
}

async function timed(name: string, ask: () => Promise<unknown>): Promise<Figure> {
  await ask()
  const times: number[] = []
  for (let i = 0; i < 9; i++) {
    const started = performance.now()
    await ask()
    times.push(performance.now() - started)
  }
  return { name, value: percentile(times, 0.5), unit: 'ms' }
}
