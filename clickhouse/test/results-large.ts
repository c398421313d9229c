import t from 'tap'
import type { Metric } from '../../domain/statistics/index.js'
import { migrateClickHouse } from '../migrate.js'
import { type ResultsRequest, readResults } from '../queries/results/index.js'
import { WORKSPACE } from './support/contract.js'
import { openStore } from './support/open-store.js'

const PERSONS = 200_000
const BEGIN = Date.UTC(2026, 9, 10)
const DAY = 86_400_000
const MEGABYTE = 2 ** 20
const VARIANTS = ['control', 'b', 'c', 'd']

t.setTimeout(0)
const clickhouse = await openStore(t)
await migrateClickHouse(clickhouse)

/**
 * Payments of person `number`, as numbers here and as SQL below. Values are large and nearly alike, so that a
 * sum of squares would have no digits left.
 */
const paidOf = (number: number) => 1e9 + (number % 1_000) / 8
const beforeOf = (number: number) => 1e6 + (number % 77) + (number % 1_000) / 4
const paysAfter = (number: number) => number % 5_000

for (const [event, properties, at] of [
  [
    '$exposure',
    `concat('{"experiment":"e","variant":"', [${VARIANTS.map((key) => `'${key}'`).join(', ')}][1 + number % 4], '"}')`,
    '0',
  ],
  ['paid', `concat('{"v":', toString(1e9 + (number % 1000) / 8), '}')`, 'number % 5000'],
  ['paid', `concat('{"v":', toString(1e6 + number % 77 + (number % 1000) / 4), '}')`, `toInt64(${-DAY})`],
])
  await clickhouse.command(
    `INSERT INTO events (workspace_id, received_at, timestamp, request_index, log_offset, person_key, event, properties)
     SELECT {workspace:UUID}, at, at, 0, number, 1 + number, '${event}', ${properties}
     FROM (SELECT number, fromUnixTimestamp64Milli({begin:Int64} + toInt64(${at}), 'UTC') AS at FROM numbers({persons:UInt64}))`,
    { params: { workspace: WORKSPACE, begin: BEGIN, persons: PERSONS } },
  )

function request(windowHours: number | null, metric?: Metric): ResultsRequest {
  return {
    workspaceId: WORKSPACE,
    key: 'e',
    variants: VARIANTS,
    startedAt: BEGIN,
    endedAt: null,
    measuredUntil: null,
    targets: [{ eventName: 'paid', windowHours, filters: [], metric }],
  }
}

const bounded = (megabytes: number) => ({
  limits: { maxSeconds: 60, maxMemoryBytes: megabytes * MEGABYTE, maxRows: 1e9, maxThreads: 1 },
})
const numbersOf = (arm: number) => Array.from({ length: PERSONS / 4 }, (_, index) => arm + 4 * index)

t.test('means and covariates of many persons are exact to the last digits', async (t) => {
  const metric = { type: 'mean', property: 'v', cuped: true } as const
  const { counts } = await readResults(clickhouse, request(null, metric))
  for (const [arm, { exposed, targets }] of counts.variants.entries()) {
    const numbers = numbersOf(arm)
    // A payment in the millisecond of the exposure has the exposure's position too, so it is not after it.
    const counting = (number: number) => paysAfter(number) > 0
    const values = numbers.map((number) => (counting(number) ? paidOf(number) : 0))
    const before = numbers.map(beforeOf)
    const mean = (some: readonly number[]) => some.reduce((sum, x) => sum + x / some.length, 0)
    const spread = (a: readonly number[], b: readonly number[]) => {
      const [meanA, meanB] = [mean(a), mean(b)]
      return a.reduce((sum, x, i) => sum + ((x - meanA) * ((b[i] ?? 0) - meanB)) / (a.length - 1), 0)
    }
    const [found] = targets
    const close = (ours: number | undefined, theirs: number, name: string, worst = 1e-9) =>
      t.ok(Math.abs((ours ?? Number.NaN) / theirs - 1) < worst, `${name}: ${ours}, reference ${theirs}`)
    // A variance is as well conditioned as its values are far apart: what one unit in the last place of each
    // of them makes of it. The engine's threads add them in any order.
    const conditioned = (some: readonly number[]) =>
      Math.max(1e-9, (2 * Number.EPSILON * mean(some)) / Math.sqrt(spread(some, some)))
    t.equal(exposed, PERSONS / 4)
    t.equal(found?.converted, numbers.filter(counting).length)
    close(found?.values?.mean, mean(values), 'mean')
    close(found?.values?.variance, spread(values, values), 'variance', conditioned(values))
    close(found?.values?.before?.mean, mean(before), 'mean before')
    close(found?.values?.before?.variance, spread(before, before), 'variance before', conditioned(before))
    close(found?.values?.before?.covariance, spread(values, before), 'covariance', conditioned(values))
  }
})

for (const [name, windowHours] of [
  ['at any time', null],
  ['within two seconds', 2 / 3_600],
] as const)
  t.test(
    `${name}: results that do not fit into memory are computed part by part, and are the same`,
    async (t) => {
      const { counts } = await readResults(clickhouse, { ...request(windowHours), ...bounded(1_024) })
      const within = windowHours === null ? 5_000 : 2_001
      for (const [arm, { targets }] of counts.variants.entries())
        t.equal(
          targets[0]?.converted,
          numbersOf(arm).filter((number) => paysAfter(number) > 0 && paysAfter(number) < within).length,
        )
      let smallest: number | undefined
      for (const megabytes of [96, 64, 48, 40, 32, 24, 16, 8])
        try {
          const small = await readResults(clickhouse, { ...request(windowHours), ...bounded(megabytes) })
          t.strictSame(small.counts, counts, `in ${megabytes} MB`)
          smallest = megabytes
        } catch (error) {
          t.match(error, { code: 'memory' })
          break
        }
      t.ok((smallest ?? 96) <= 32, `${smallest} MB are enough`)
    },
  )
