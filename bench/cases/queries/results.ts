import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse, statementsOf } from '../../../clickhouse/migrate.js'
import type { ClickHouse, EventBlock } from '../../../clickhouse/port.js'
import { readResults, readSegments } from '../../../clickhouse/queries/results/index.js'
import { readMigrations } from '../../../runtime/migrations.js'
import { packageRoot } from '../../../runtime/package-root.js'
import { costOf, leastCpu, leastSpent } from '../../support/cost/cpu.js'
import { shopBlocks } from '../../support/data/exposure-blocks.js'
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

/**
 * The cost of an experiment's results beside counting the persons of the same rows, on data created once;
 * then the cost of storing with and without exposures.
 */
export async function resultsCase(folder: string, scratch: string, events: number): Promise<Figure[]> {
  const figures: Figure[] = []
  const clickhouse = await openEmbeddedClickHouse({ path: join(folder, `results-${events}`) })
  try {
    await migrateClickHouse(clickhouse)
    figures.push(...(await measureReading(clickhouse, events)))
  } finally {
    await clickhouse.close()
  }
  const store = await openEmbeddedClickHouse({ path: join(scratch, 'store') })
  try {
    await migrateClickHouse(store)
    for (const share of [0, 5, 20]) figures.push(await measureStoring(store, share))
  } finally {
    await store.close()
  }
  return figures
}

async function measureReading(clickhouse: ClickHouse, events: number): Promise<Figure[]> {
  const data = resultsDataOf(events)
  await makeResultsData(clickhouse, data, (text) => void process.stderr.write(`  ${text}\n`))
  const request = { ...resultsRequestOf(data), limits: LIMITS }
  const withTargets = (fields: Partial<(typeof request.targets)[number]>) => ({
    ...request,
    targets: request.targets.map((target) => ({ ...target, ...fields })),
  })
  const person = clickhouse.personKeySql('person_key')
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

/** @param share exposures per hundred events */
async function measureStoring(clickhouse: ClickHouse, share: number): Promise<Figure> {
  const schema = readMigrations(join(packageRoot(), 'clickhouse', 'schema'))
  const view = schema
    .flatMap((migration) => statementsOf(migration, clickhouse.schema))
    .filter((statement) =>
      /^(?:CREATE MATERIALIZED VIEW IF NOT EXISTS|ALTER TABLE) exposures_feed\b/.test(statement),
    )
  const blocks = shopBlocks(share)
  let inserts = 0
  const insert = async () => {
    for (const block of blocks) {
      const named: EventBlock = { ...block, token: `${share} ${inserts++}` }
      await clickhouse.insertEvents(named)
    }
  }
  const least = { with: Infinity, without: Infinity }
  await clickhouse.command('SYSTEM STOP MERGES')
  for (let round = 0; round < 2 * ROUNDS; round++) {
    await clickhouse.command('DROP VIEW exposures_feed')
    least.without = Math.min(least.without, (await leastCpu(1, { insert })).insert)
    for (const statement of view) await clickhouse.command(statement)
    least.with = Math.min(least.with, (await leastCpu(1, { insert })).insert)
  }
  return {
    name: `storing, ${share} of 100 events exposures`,
    value: least.with,
    unit: 'ms CPU',
    ratioTo: 'without their table',
    ratio: least.with / least.without,
  }
}
