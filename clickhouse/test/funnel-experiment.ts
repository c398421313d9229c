import t from 'tap'
import { referenceFunnel } from '../../test/reference/funnel.js'
import { cases, failWith } from '../../test/support/cases.js'
import { migrateClickHouse } from '../migrate.js'
import { queryFunnel } from '../queries/funnel/index.js'
import { describe, differences, firstDifference, NOW } from './support/funnel-compare.js'
import { randomExperimentCase } from './support/funnel-experiment-cases.js'
import { referenceEvents } from './support/funnel-store.js'
import { openStore } from './support/open-store.js'

/** How many random cases: `node …/funnel-experiment.js 2000 [first seed]` for a longer run. */
const CASES = Number(process.argv[2] ?? cases(16, 400))
const FIRST_SEED = Number(process.argv[3] ?? 1)
const AT_ONCE = 40

t.setTimeout(0)
const clickhouse = await openStore(t)
await migrateClickHouse(clickhouse)

t.test('equals the reference on random funnels by variant', async (t) => {
  let entered = 0
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed += AT_ONCE) {
    const count = Math.min(AT_ONCE, FIRST_SEED + CASES - seed)
    const some = Array.from({ length: count }, (_, index) => randomExperimentCase(seed + index))
    for (const one of some)
      entered += referenceFunnel(
        referenceEvents(one.requests),
        new Map(one.links),
        one.steps,
        one.query,
        NOW,
      ).entered
    const difference = await firstDifference(clickhouse, some)
    if (difference !== undefined) {
      failWith(`${JSON.stringify(difference.case.query.experiment)}\n${describe(difference)}`, t)
      return
    }
  }
  t.ok(entered > CASES / 4, `${entered} persons entered in ${CASES} cases from seed ${FIRST_SEED}`)
})

/** Exclusions in the exact order, whose arrays the engine once mixed up across the join with the variants. */
t.test('equals the reference on cases that have failed before', async (t) => {
  t.strictSame(await differences(clickhouse, [92].map(randomExperimentCase)), [])
})

t.test('a breakdown by a property and by variant is refused', async (t) => {
  const one = randomExperimentCase(1)
  await t.rejects(
    queryFunnel(clickhouse, {
      workspaceId: '01932b5e-0000-7000-8000-000000000001',
      steps: one.steps,
      query: { ...one.query, breakdown: { property: 'p', limit: 3 } },
      now: NOW,
    }),
    RangeError,
  )
})
