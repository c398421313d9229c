import t from 'tap'
import type { AcceptedEvent } from '../../domain/event.js'
import { monthBounds } from '../../domain/month.js'
import { createSeenIds } from '../seen-ids.js'
import { event, request, WORKSPACE } from './support/events.js'
import { deliver, eventsHandler, harness, ledger, readAll, storedPlaces } from './support/pipeline.js'
import { TestStores } from './support/stores.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse = await stores.clickhouse()

const { from: JULY, to: AUGUST } = monthBounds(202607)
const OTHER_WORKSPACE = `${WORKSPACE.slice(0, -1)}2`

interface Sent {
  readonly at: number
  readonly events: readonly AcceptedEvent[]
  readonly workspaceId?: string
}

/** Sends requests, and again by another process, and returns the places that are stored. */
async function stored(sent: readonly Sent[], recordsABatch: number) {
  const h = await harness(stores, clickhouse)
  for (const { at, events, workspaceId = WORKSPACE } of sent)
    await h.log.append(request(events, { receivedAt: at, workspaceId }))
  const records = await readAll(h.log)
  for (let upTo = recordsABatch; ; upTo += recordsABatch) {
    // A new handler for each part: nothing is remembered but what is stored.
    await deliver(() => eventsHandler(h), records.slice(0, upTo))
    if (upTo >= records.length) break
  }
  const { stored: count, duplicates } = await ledger(h)
  const places = await storedPlaces(h)
  t.equal(places.size, count)
  t.equal(
    count + duplicates,
    sent.reduce((sum, { events }) => sum + events.length, 0),
  )
  return [...places.keys()].sort()
}

const id = (insertId: string, name = 'e') => event({ event: name, insertId })

t.test('an id counts once in the UTC month of its receipt, to the millisecond', async (t) => {
  const sent = [
    { at: JULY - 1, events: [id('one')] },
    { at: JULY, events: [id('one')] },
    { at: AUGUST - 1, events: [id('one'), id('two')] },
    { at: AUGUST, events: [id('one'), id('two')] },
    // A backlog: an earlier month comes after a later one.
    { at: JULY + 5, events: [id('two'), id('three')] },
    { at: JULY - 1, events: [id('one'), id('three')] },
  ]
  const expected = ['0:0', '1:0', '2:1', '3:0', '3:1', '4:1', '5:1']
  t.same(await stored(sent, 100), expected, 'in one block')
  t.same(await stored(sent.map(shifted), 1), expected, 'each by another process')
})

/** The same in another year, since the table is shared by these tests. */
function shifted(sent: Sent): Sent {
  const date = new Date(sent.at)
  date.setUTCFullYear(2027)
  return { ...sent, at: date.getTime() }
}

t.test('what counts as the same id', async (t) => {
  const at = Date.UTC(2026, 2, 3)
  t.same(
    await stored(
      [
        {
          at,
          events: [
            id('abc'),
            id('abc', 'another_name'),
            id('ABC'),
            id('abc '),
            id(' abc'),
            id('\u00e9'),
            id('e\u0301'),
            id('abc'),
            event(),
            event(),
          ],
        },
        { at, events: [id('abc')], workspaceId: OTHER_WORKSPACE },
      ],
      100,
    ),
    ['0:0', '0:2', '0:3', '0:4', '0:5', '0:6', '0:8', '0:9', '1:0'],
  )
})

t.test('sets that do not fit in memory are read again', async (t) => {
  const h = await harness(stores, clickhouse)
  const at = Date.UTC(2026, 0, 15)
  const later = Date.UTC(2026, 1, 15)
  for (let i = 0; i < 6; i++)
    await h.log.append(request([id('x'), id(`y${i}`)], { receivedAt: i % 2 === 0 ? at : later }))
  const records = await readAll(h.log)
  await deliver(() => eventsHandler(h, { seen: createSeenIds(clickhouse, h.log, 0) }), records, 1)
  t.same([...(await storedPlaces(h)).keys()].sort(), ['0:0', '0:1', '1:0', '1:1', '2:1', '3:1', '4:1', '5:1'])
})
