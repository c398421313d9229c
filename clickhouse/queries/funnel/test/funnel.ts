import t, { type Test } from 'tap'
import { personId } from '../../../../domain/person.js'
import { referenceFunnel, referenceRuns } from '../../../../test/reference/funnel.js'
import { cases, failWith, LONG, SEED } from '../../../../test/support/cases.js'
import { migrateClickHouse } from '../../../migrate.js'
import { type CaseFeatures, randomCase } from '../../../test/support/funnel-cases.js'
import { describe, firstDifference, formsOf, NOW, same } from '../../../test/support/funnel-compare.js'
import { fixedCases } from '../../../test/support/funnel-fixed-cases.js'
import { queryOf } from '../../../test/support/funnel-fixtures.js'
import { referenceEvents, store, workspaceIdOf } from '../../../test/support/funnel-store.js'
import { openStore } from '../../../test/support/open-store.js'
import { queryFunnel, queryFunnelPersons } from '../index.js'

/**
 * How many random cases, and how many of them with breakdowns: `node …/funnel.js 10000 [first seed]` for a
 * longer run.
 */
const CASES = Number(process.argv[2] ?? cases(16, 500))
const BREAKDOWNS = Math.ceil(CASES / 3)
const FIRST_SEED = Number(process.argv[3] ?? SEED)
/** Cases whose persons are compared one by one. */
const PERSONS = cases(6, 100)
const AT_ONCE = 100

// A busy machine takes longer than tap's 30 s.
t.setTimeout(LONG || CASES > 200 ? 0 : 300_000)
const clickhouse = await openStore(t)
await migrateClickHouse(clickhouse)

t.test('equals the reference on fixed cases', async (t) => {
  for (const one of fixedCases) {
    const workspaceId = workspaceIdOf(one.title)
    const links = new Map(one.links ?? [])
    await store(clickhouse, [{ workspaceId, requests: one.requests, links }])
    const query = queryOf(one.query)
    const expected = referenceFunnel(referenceEvents(one.requests), links, one.steps, query, NOW)
    for (const maxInMemoryRows of formsOf(query)) {
      const title = maxInMemoryRows > 0 ? `${one.title}, walked here` : one.title
      const { steps } = one
      const { result } = await queryFunnel(clickhouse, {
        workspaceId,
        steps,
        query,
        now: NOW,
        maxInMemoryRows,
      })
      t.same(
        result.steps.map((step) => step.count),
        one.counts,
        title,
      )
      if (one.groups !== undefined)
        t.strictSame(
          result.breakdown?.map((group) => [group.value, group.entered]),
          one.groups,
          title,
        )
      if (one.median !== undefined) t.equal(result.steps[1]?.medianSecondsFromPrevious, one.median, title)
      t.ok(same(result, expected), title)
    }
  }
})

t.test('equals the reference on random funnels', async (t) => {
  await compare(t, CASES, {})
})

t.test('equals the reference on breakdowns of persons who are not tied', async (t) => {
  await compare(t, BREAKDOWNS, { breakdown: 'always', apart: true })
})

t.test('lists the persons of each step, as the reference has them', async (t) => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + PERSONS; seed++) {
    const { requests, links, steps, query } = randomCase(seed, {})
    const workspaceId = workspaceIdOf(`persons ${seed}`)
    const users = new Map(links)
    await store(clickhouse, [{ workspaceId, requests, links: users }])
    const runs = referenceRuns(referenceEvents(requests), users, steps, query)
    const step = seed % steps.length
    for (const outcome of ['reached', 'lost'] as const) {
      const request = { workspaceId, steps, query, now: NOW, step, outcome, slicePersons: 3 }
      const found: string[] = []
      for await (const rows of queryFunnelPersons(clickhouse, request))
        for (const { userId, anonymousId, steps: level } of rows)
          found.push(`${personId(userId, anonymousId, users.get(anonymousId))} ${level}`)
      const expected = runs.filter(({ run: { level } }) =>
        outcome === 'lost' ? level === step + 1 : level > step,
      )
      t.strictSame(
        found.sort(),
        expected.map(({ person, run }) => `${person} ${run.level}`).sort(),
        `${outcome} step ${step} in case ${seed}`,
      )
    }
  }
})

async function compare(t: Test, most: number, features: CaseFeatures): Promise<void> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + most; seed += AT_ONCE) {
    const count = Math.min(AT_ONCE, FIRST_SEED + most - seed)
    const several = Array.from({ length: count }, (_, index) => randomCase(seed + index, features))
    const difference = await firstDifference(clickhouse, several)
    if (difference !== undefined) {
      failWith(describe(difference), t)
      return
    }
  }
  t.comment(`${most} cases from seed ${FIRST_SEED}`)
}
