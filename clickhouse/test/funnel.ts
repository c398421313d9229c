import t from 'tap'
import { openEmbeddedClickHouse } from '../embedded.js'
import { migrateClickHouse } from '../migrate.js'
import { randomCase } from './support/funnel-cases.js'
import { describe, firstDifference } from './support/funnel-compare.js'

/** How many random cases: `node …/funnel.js 10000 [first seed]` for a longer run. */
const CASES = Number(process.argv[2] ?? 400)
const FIRST_SEED = Number(process.argv[3] ?? 1)
const AT_ONCE = 200

const clickhouse = await openEmbeddedClickHouse({ path: t.testdir() })
t.teardown(() => clickhouse.close())
await migrateClickHouse(clickhouse)

t.test('equals the reference on random ordered funnels', async (t) => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed += AT_ONCE) {
    const count = Math.min(AT_ONCE, FIRST_SEED + CASES - seed)
    const cases = Array.from({ length: count }, (_, index) => randomCase(seed + index))
    const difference = await firstDifference(clickhouse, cases)
    if (difference !== undefined) {
      t.fail(`differs from the reference:\n${describe(difference)}`)
      return
    }
  }
  t.pass(`${CASES} cases from seed ${FIRST_SEED}`)
})
