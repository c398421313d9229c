import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { readResults, readSegments } from '../../../clickhouse/queries/results/index.js'
import { costOf, leastSpent } from '../../support/cost/cpu.js'
import {
  makeResultsData,
  RESULTS_BENCH_WORKSPACE,
  resultsDataOf,
  resultsRequestOf,
} from '../../support/data/results-data.js'
import type { Figure } from '../../support/figures.js'

/** CPU counts, so others may use the machine meanwhile. */
const LIMITS = { maxSeconds: 300, maxMemoryBytes: 2 ** 32, maxRows: 1e9, maxThreads: 1 }
const ROUNDS = 4

/** The cost of an experiment's results beside counting the persons of the same rows, on data created once. */
export async function resultsCase(folder: string, events: number): Promise<Figure[]> {
  const clickhouse = await openEmbeddedClickHouse({ path: join(folder, `results-${events}`) })
  try {
    await migrateClickHouse(clickhouse)
    return await measureReading(clickhouse, events)
  } finally {
    await clickhouse.close()
  }
}

async function measureReading(clickhouse: ClickHouse, events: number): Promise<Figure[]> {
  const data = resultsDataOf(events)
  await makeResultsData(clickhouse, data, (text) => void process.stderr.write(`  ${text}\n`))
  const request = { ...resultsRequestOf(data), limits: LIMITS }
  const withTargets = (fields: Partial<(typeof request.targets)[number]>) => ({
    ...request,
    targets: request.targets.map((target) => ({ ...target, ...fields })),
  })
  const person = clickhouse.personSql('').key
  const names = request.targets.map(({ eventName }) => eventName)
  const bare = `SELECT count(), uniqExact(person) FROM (
SELECT ${person} AS person FROM events WHERE workspace_id = {workspace:UUID} AND event IN {names:Array(String)}
UNION ALL
SELECT ${person} AS person FROM exposures WHERE workspace_id = {workspace:UUID} AND experiment = {key:String})`
  const least = await leastSpent(ROUNDS, {
    bare: () =>
      clickhouse.query(bare, {
        params: { workspace: RESULTS_BENCH_WORKSPACE, names, key: request.key },
        settings: { max_threads: LIMITS.maxThreads, max_execution_time: LIMITS.maxSeconds },
      }),
    plain: () => readResults(clickhouse, request),
    windows: () => readResults(clickhouse, withTargets({ windowHours: 72 })),
    means: () => readResults(clickhouse, withTargets({ metric: { type: 'mean', property: 'price' } })),
    adjusted: () =>
      readResults(
        clickhouse,
        withTargets({ metric: { type: 'mean', property: 'price', percentile: 0.99, cuped: true } }),
      ),
    segments: () => readSegments(clickhouse, request, { property: 'country', limit: 10 }),
  })
  const { bare: base, ...forms } = least
  const { rows: counts } = await clickhouse.query<{ events: number }>(
    `SELECT count() AS events FROM events WHERE workspace_id = {workspace:UUID} AND event IN {names:Array(String)}`,
    { params: { workspace: RESULTS_BENCH_WORKSPACE, names } },
  )
  const rows = counts[0]?.events ?? 0
  const name = 'count(), uniqExact(person) of the same rows'
  const labels: Record<keyof typeof forms, string> = {
    plain: 'two targets',
    windows: 'two targets with windows',
    means: 'two means, every property parsed',
    adjusted: 'two means, capped and adjusted',
    segments: 'by a property of exposures',
  }
  return [
    { name, value: base.cpuMs, unit: 'ms CPU' },
    ...(Object.keys(forms) as (keyof typeof forms)[]).map((form) => ({
      name: labels[form],
      value: forms[form].cpuMs,
      unit: 'ms CPU',
      ratioTo: 'counting its rows',
      ratio: forms[form].cpuMs / base.cpuMs,
      cost: costOf(forms[form], rows),
    })),
  ]
}
