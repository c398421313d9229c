import t, { type Test } from 'tap'
import type { FunnelQuery, FunnelResult } from '../../../../domain/funnel.js'
import { cases as casesOf, LONG, SEED } from '../../../../test/support/cases.js'
import { migrateClickHouse } from '../../../migrate.js'
import { type FunnelCase, randomCase } from '../../../test/support/funnel-cases.js'
import { NOW, rounded } from '../../../test/support/funnel-compare.js'
import { type StoredRequest, store, workspaceIdOf } from '../../../test/support/funnel-store.js'
import { openStore } from '../../../test/support/open-store.js'
import { queryFunnel } from '../index.js'

/**
 * How many random cases each property is checked on: `node …/funnel-invariants.js 200 [first seed]` for a
 * longer run.
 */
const CASES = Number(process.argv[2] ?? casesOf(5, 100))
const FIRST_SEED = Number(process.argv[3] ?? SEED)

t.setTimeout(LONG || CASES > 20 ? 0 : 150_000)
const clickhouse = await openStore(t)
await migrateClickHouse(clickhouse)

const cases = Array.from({ length: CASES }, (_, index) => randomCase(FIRST_SEED + index))
const plain = (one: FunnelCase) => workspaceIdOf(`plain ${one.seed}`)
const noisy = (one: FunnelCase) => workspaceIdOf(`noisy ${one.seed}`)
const renamed = (one: FunnelCase) => workspaceIdOf(`renamed ${one.seed}`)

await store(
  clickhouse,
  cases.flatMap((one) => {
    const links = new Map(one.links)
    return [
      { workspaceId: plain(one), requests: one.requests, links },
      { workspaceId: noisy(one), requests: [...one.requests.map(unrelated), ...one.requests], links },
      {
        workspaceId: renamed(one),
        requests: one.requests.map((request) => ({
          ...request,
          events: request.events.map((event) => ({
            ...event,
            ...(event.userId === undefined ? {} : { userId: newName(event.userId) }),
            ...(event.anonymousId === undefined ? {} : { anonymousId: newName(event.anonymousId) }),
          })),
        })),
        links: new Map(one.links.map(([anonymousId, userId]) => [newName(anonymousId), newName(userId)])),
      },
    ]
  }),
)

/** The same request with events that no funnel of the cases looks at, behind it in the log. */
function unrelated(request: StoredRequest): StoredRequest {
  return {
    ...request,
    logOffset: request.logOffset + 1_000,
    events: request.events.map((event) => ({ ...event, event: 'unrelated' })),
  }
}

/** Another order of the names too, so that nothing rests on it. */
function newName(id: string): string {
  return `${[...id].reverse().join('')}-ʘ`
}

async function ask(one: FunnelCase, changes: Partial<FunnelQuery> = {}, workspaceId = plain(one)) {
  const query = { ...one.query, ...changes }
  return (await queryFunnel(clickhouse, { workspaceId, steps: one.steps, query, now: NOW })).result
}

function each(title: string, check: (t: Test, one: FunnelCase) => Promise<void>): void {
  t.test(title, async (t) => {
    await Promise.all(cases.map((one) => check(t, one)))
  })
}

const counts = (result: Pick<FunnelResult, 'steps'>) => result.steps.map((step) => step.count)
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
const atMost = (few: readonly number[], many: readonly number[]) =>
  few.every((count, index) => count <= (many[index] ?? 0))

each('counts never rise along the steps', async (t, one) => {
  const found = counts(await ask(one))
  t.ok(
    found.every((count, index) => index === 0 || count <= (found[index - 1] ?? 0)),
    `seed ${one.seed}`,
  )
})

each('events of other names change nothing', async (t, one) => {
  t.same(await ask(one, {}, noisy(one)), await ask(one), `seed ${one.seed}`)
})

each('the names of persons do not matter', async (t, one) => {
  t.same(rounded(await ask(one, {}, renamed(one))), rounded(await ask(one)), `seed ${one.seed}`)
})

each('the buckets of a trend add up to the total, whatever their length', async (t, one) => {
  const whole = await ask(one, { interval: undefined })
  for (const interval of ['hour', 'day', 'month'] as const) {
    if (interval === 'hour' && one.query.to - one.query.from > 86_400_000 * 20) continue
    const { trend } = await ask(one, { interval, breakdown: undefined })
    t.equal(sum((trend ?? []).map((point) => point.entered)), whole.entered, `seed ${one.seed} ${interval}`)
    t.equal(
      sum((trend ?? []).map((point) => point.completed)),
      whole.completed,
      `seed ${one.seed} ${interval}`,
    )
  }
})

each('the groups of a breakdown add up to the total if all are shown', async (t, one) => {
  const { breakdown, ...whole } = await ask(one, { breakdown: { property: 'p', limit: 50 } })
  const groups = breakdown ?? []
  t.same(
    counts(whole).map((_, step) => sum(groups.map((group) => counts(group)[step] ?? 0))),
    counts(whole),
    `seed ${one.seed}`,
  )
  t.ok(
    groups.every((group, index) => index === 0 || group.entered <= (groups[index - 1]?.entered ?? 0)),
    `seed ${one.seed}: largest first`,
  )
})

each('strict reaches at most what ordered does, and that at most what any does', async (t, one) => {
  const open = { exclusions: [], breakdown: undefined, interval: undefined }
  const [strict, ordered, any] = await Promise.all(
    (['strict', 'ordered', 'any'] as const).map(async (order) => counts(await ask(one, { ...open, order }))),
  )
  t.ok(atMost(strict ?? [], ordered ?? []), `seed ${one.seed}: ${strict} of ${ordered}`)
  t.ok(atMost(ordered ?? [], any ?? []), `seed ${one.seed}: ${ordered} of ${any}`)
})

each('exclusions only lower the counts', async (t, one) => {
  const fewer = counts(await ask(one, { breakdown: undefined }))
  const more = counts(await ask(one, { breakdown: undefined, exclusions: [] }))
  t.equal(fewer[0], more[0], `seed ${one.seed}: all enter`)
  t.ok(atMost(fewer, more), `seed ${one.seed}: ${fewer} of ${more}`)
})

each('the parts of a range add up to the whole range', async (t, one) => {
  const { from, to } = one.query
  const split = from + Math.floor(((to - from) * (1 + (one.seed % 7))) / 8)
  if (split === from) return
  const open = { breakdown: undefined, interval: undefined }
  const [whole = [], first = [], second = []] = (
    await Promise.all([ask(one, open), ask(one, { ...open, to: split }), ask(one, { ...open, from: split })])
  ).map(counts)
  const both = first.map((count, step) => count + (second[step] ?? 0))
  t.ok(atMost(first, whole) && atMost(second, whole), `seed ${one.seed}: ${first} and ${second} of ${whole}`)
  t.ok(atMost(whole, both), `seed ${one.seed}: ${whole} of ${first} and ${second}`)
})
