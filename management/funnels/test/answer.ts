import fc from 'fast-check'
import t from 'tap'
import { withApi } from '../../../api/test/support/api.js'
import { storeEvents } from '../../../api/test/support/events.js'
import { type LinkSteps, linkSteps } from '../../../api/test/support/links.js'
import { listEvents } from '../../../clickhouse/queries/events/events.js'
import { queryFunnel } from '../../../clickhouse/queries/funnel/index.js'
import { listEventNames } from '../../../clickhouse/queries/vocabulary.js'
import type { FunnelStep } from '../../../domain/funnel.js'
import { cases } from '../../../test/support/cases.js'

const api = await withApi(t)
const { client } = api
const hour = 3_600_000
const at = Date.UTC(2026, 10, 20, 12)
api.clock.now = () => at

interface AnswerView {
  entered: number
  completed: number
  steps: { count: number; medianSecondsFromPrevious: number | null }[]
  trend: { complete: boolean }[] | null
  query: { elapsedMs: number; rowsRead: number }
}

const steps: FunnelStep[] = ['view', 'pay'].map((eventName) => ({ name: eventName, eventName, filters: [] }))
const range = { from: new Date(at - 24 * hour).toISOString(), to: new Date(at).toISOString() }

async function makeFunnel(name: string) {
  const { id, key } = await api.workspace(name)
  const body = { name, steps: steps.map(({ eventName }) => ({ eventName })) }
  const made = await client.request<{ id: string }>('POST', '/funnel', { key, body })
  const path = `/funnel/${made.body.id}`
  return {
    id,
    key,
    path,
    ask: async (query: object = range) =>
      (await client.request<AnswerView>('POST', `${path}/query`, { key, body: query })).body,
    /** The answer of the store now. */
    async computed() {
      const query = {
        from: at - 24 * hour,
        to: at,
        windowSeconds: 604_800,
        order: 'ordered',
        filters: [],
        exclusions: [],
        breakdown: undefined,
        interval: undefined,
      } as const
      return (await queryFunnel(api.clickhouse, { workspaceId: id, steps, query, now: at })).result
    },
  }
}

const view = (person: string, minutes: number) => ({
  event: 'view',
  anonymousId: person,
  timestamp: at - 10 * hour + minutes * 60_000,
})
const pay = (person: string, minutes: number) => ({
  event: 'pay',
  userId: person,
  timestamp: at - 5 * hour + minutes * 60_000,
})

t.test('a repeated query is cached until new events arrive', async (t) => {
  const funnel = await makeFunnel('Again')
  await storeEvents(api, funnel.id, at, [view('a', 0), view('b', 1), pay('u', 2)])
  const first = await funnel.ask()
  t.match(first, { entered: 2, completed: 0 })
  t.ok(first.query.rowsRead > 0)
  const second = await funnel.ask()
  t.equal(second.query.rowsRead, 0)
  t.same({ ...second, query: undefined }, { ...first, query: undefined })

  const other = await makeFunnel('Other')
  await storeEvents(api, other.id, at, [view('a', 0)])
  t.equal((await funnel.ask()).query.rowsRead, 0, 'events of another workspace')
  t.match(await other.ask(), { entered: 1 }, 'the same query of another workspace')

  t.ok((await funnel.ask({})).query.rowsRead > 0, 'a range that ends now')
  t.ok((await funnel.ask({ from: range.from })).query.rowsRead > 0)
  t.ok((await funnel.ask({ ...range, windowSeconds: 60 })).query.rowsRead > 0, 'another query')

  await storeEvents(api, funnel.id, at, [view('c', 3)])
  t.match(await funnel.ask(), { entered: 3, completed: 0 })
  await storeEvents(api, funnel.id, at, [], [{ anonymousId: 'a', userId: 'u' }])
  t.match(await funnel.ask(), { entered: 3, completed: 1 })
  t.equal((await funnel.ask()).query.rowsRead, 0)

  await client.request('PATCH', funnel.path, { key: funnel.key, body: { steps: [{ eventName: 'pay' }] } })
  t.match(await funnel.ask(), { entered: 1, completed: 1 }, 'the funnel is another one')
})

t.test('completeness of a trend follows the clock', async (t) => {
  const funnel = await makeFunnel('Trend')
  await storeEvents(api, funnel.id, at, [view('a', 0)])
  const query = { ...range, interval: 'hour', windowSeconds: 3_600 }
  const of = (answer: AnswerView) => (answer.trend ?? []).filter((point) => point.complete).length
  const before = await funnel.ask(query)
  api.clock.now = () => at + 2 * hour
  const after = await funnel.ask(query)
  t.equal(after.query.rowsRead, 0)
  t.equal(of(before), 23)
  t.equal(of(after), 24)
  api.clock.now = () => at
})

t.test('a cached answer always equals the answer of the store', async (t) => {
  const change = fc.constantFrom(
    'view' as const,
    'pay' as const,
    'other' as const,
    'merge' as const,
    'link' as const,
    'step' as const,
  )
  let kept = 0
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 10, maxLength: 16 }), async (changes) => {
      const funnel = await makeFunnel('Changes')
      const stranger = await makeFunnel('Stranger')
      const links: { readonly steps: LinkSteps; done: number }[] = []
      for (const [index, kind] of changes.entries()) {
        if (kind === 'view') await storeEvents(api, funnel.id, at, [view(`a${index % 4}`, index)])
        else if (kind === 'pay') await storeEvents(api, funnel.id, at, [pay(`u${index % 4}`, index)])
        else if (kind === 'other') await storeEvents(api, stranger.id, at, [view('a0', index)])
        else if (kind === 'merge') await api.clickhouse.command('OPTIMIZE TABLE events')
        else if (kind === 'link' && links.length < 4) {
          const pair = { anonymousId: `a${links.length}`, userId: `u${(links.length * 3 + 1) % 4}` }
          links.push({ steps: linkSteps(api, funnel.id, [pair]), done: 0 })
        } else {
          const next = links.find((link) => link.done < 3)
          if (next !== undefined) {
            const { commit, show, deliver } = next.steps
            await [commit, show, deliver][next.done++]?.()
          }
        }
        const [one, two] = await Promise.all([funnel.ask(), funnel.ask()])
        if (one.query.rowsRead === 0) kept++
        const computed = await funnel.computed()
        for (const answer of [one, two])
          t.same(
            [answer.entered, answer.completed, answer.steps],
            [computed.entered, computed.completed, computed.steps],
            changes.slice(0, index + 1).join(' '),
          )
      }
    }),
    { numRuns: cases(2, 20) },
  )
  t.ok(kept > 0, `${kept} kept answers`)
})

t.test('a cached answer survives writes to other workspaces only', async (t) => {
  const place = fc.nat({ max: 2 })
  const change = fc.oneof(
    { weight: 4, arbitrary: fc.record({ store: place, event: fc.constantFrom('view', 'pay') }) },
    { weight: 2, arbitrary: fc.record({ link: place }) },
    { weight: 5, arbitrary: fc.record({ ask: place }) },
    { weight: 1, arbitrary: fc.constant({ settle: true } as const) },
  )
  let kept = 0
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 16, maxLength: 20 }), async (changes) => {
      const funnels = await Promise.all(['One', 'Two', 'Three'].map(makeFunnel))
      const all = funnels.map((funnel) => ({
        ...funnel,
        links: 0,
        /** Links being delivered, one at a time as in Postgres. */
        writing: Promise.resolve(),
        answers: async () => {
          const { key } = funnel
          const [answer, page, names] = await Promise.all([
            funnel.ask(),
            client.request<{ data: { id: string }[] }>('GET', '/events?limit=100', { key }),
            client.request<{ data: { eventName: string; count: number }[] }>('GET', '/funnel/events', {
              key,
            }),
          ])
          if (answer.query.rowsRead === 0) kept++
          return {
            funnel: [answer.entered, answer.completed, answer.steps],
            events: page.body.data.map(({ id }) => id),
            names: names.body.data.map(({ eventName, count }) => [eventName, count]),
          }
        },
      }))
      type One = (typeof all)[number]
      const of = (place: number): One => all[place] as One
      const fresh = async ({ id, computed }: One) => {
        const { entered, completed, steps } = await computed()
        const page = await listEvents(api.clickhouse, {
          workspaceId: id,
          limit: 100,
          offset: 0,
          sortBy: 'receivedAt',
          sortDir: 'desc',
        })
        const names = await listEventNames(api.clickhouse, { workspaceId: id, limit: 100, offset: 0 })
        return {
          funnel: [entered, completed, steps],
          events: page.rows.map((row) => row.id),
          names: names.rows.map(({ eventName, count }) => [eventName, count]),
        }
      }
      const settle = async (title: string) => {
        await Promise.all(all.map(({ writing }) => writing))
        for (const one of all)
          for (const answers of await Promise.all([one.answers(), one.answers()]))
            t.same(answers, await fresh(one), title)
      }
      const asking: Promise<unknown>[] = []
      for (const [index, step] of changes.entries()) {
        if ('ask' in step) asking.push(of(step.ask).answers())
        else if ('store' in step) {
          const one = of(step.store)
          const event = step.event === 'view' ? view(`a${index % 4}`, index) : pay(`u${index % 4}`, index)
          one.writing = Promise.all([one.writing, storeEvents(api, one.id, at, [event])]).then(() => {})
        } else if ('link' in step) {
          const one = of(step.link)
          if (one.links === 4) continue
          const pair = { anonymousId: `a${one.links}`, userId: `u${(one.links++ * 3 + 1) % 4}` }
          one.writing = one.writing.then(() => storeEvents(api, one.id, at, [], [pair]))
        } else {
          await Promise.all(asking.splice(0))
          await settle(JSON.stringify(changes.slice(0, index + 1)))
        }
      }
      await Promise.all(asking)
      await settle(JSON.stringify(changes))
      // No link is being delivered, so the last answer is cached.
      for (const one of all) t.same(await one.answers(), await fresh(one))
    }),
    { numRuns: cases(1) },
  )
  t.ok(kept >= 3, `${kept} kept answers`)
})

// Last, because the store does not report a deletion as a new version.
t.test('a cached answer notices deleted events', async (t) => {
  const funnel = await makeFunnel('Removed')
  await storeEvents(api, funnel.id, at, [view('a', 0), view('b', 1)])
  t.match(await funnel.ask(), { entered: 2 })
  await api.clickhouse.command(
    `ALTER TABLE events DELETE WHERE workspace_id = {id:UUID} AND anonymous_id = 'a'`,
    { params: { id: funnel.id }, settings: { mutations_sync: 2 } },
  )
  // The same number of events, but other ones.
  await storeEvents(api, funnel.id, at, [pay('x', 1)])
  t.match(await funnel.ask(), { entered: 1 })
  t.equal((await funnel.ask()).query.rowsRead, 0)
  await api.clickhouse.command("ALTER TABLE events DROP PARTITION '202611'")
  await storeEvents(api, funnel.id, at, [pay('x', 1), pay('y', 1)])
  t.match(await funnel.ask(), { entered: 0 })
})
