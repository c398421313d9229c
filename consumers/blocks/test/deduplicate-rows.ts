import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { AcceptedEvent } from '../../../domain/event.js'
import { cases } from '../../../test/support/cases.js'
import { Deduplicator } from '../../dedup/deduplicator.js'
import { registerLog } from '../../operations/register-log.js'
import { event, request, WORKSPACE } from '../../test/support/events.js'
import { wrapped } from '../../test/support/failing.js'
import {
  Crash,
  deliver,
  eventsHandler,
  type Harness,
  ledger,
  never,
  openLog,
  readAll,
  storedPlaces,
} from '../../test/support/pipeline.js'
import { TestStores } from '../../test/support/stores.js'
import { copy } from '../../test/support/traffic.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse = await stores.clickhouse()

const JULY = Date.UTC(2026, 6)
const AUGUST = Date.UTC(2026, 7)
const OTHER_WORKSPACE = `${WORKSPACE.slice(0, -1)}2`

interface Sent {
  readonly at: number
  readonly events: readonly AcceptedEvent[]
  readonly workspaceId?: string
}

const { sql } = await stores.postgres()

/** A new log in the shared stores. */
async function fresh(): Promise<Harness> {
  const log = await openLog(stores)
  // The earlier log is drained.
  await sql`update logs set drained_at = now()`
  await registerLog(sql, log)
  return { log, sql, clickhouse }
}

/** For the bound at which stored ids are being read while blocks come, and are never read to the end. */
const READ_BESIDE = 2 ** 30 + 1
const NEVER_READ = 2 ** 30 + 2
/** Memory for all ids, for next to none, and for none. */
/** Files of two ids and more, which a later owner of the folder opens. */
const ON_DISK = 2 ** 30 + 3
const BOUNDS = [2 ** 30, READ_BESIDE, NEVER_READ, ON_DISK, 40_000, 0]

function deduplicator(h: Harness, bound: number): Deduplicator {
  if (bound === ON_DISK) {
    const folder = join(stores.folder, h.log.id)
    return new Deduplicator(clickhouse, h.log, 2 ** 30, { folder, runIds: 2 })
  }
  if (bound <= 2 ** 30) return new Deduplicator(clickhouse, h.log, bound)
  const held = wrapped(clickhouse, {
    async *rowBinary(query, options) {
      // Reading all ids is the query with pages by the hash's highest bits.
      if (query.includes('bitShiftRight')) await new Promise(() => {})
      yield* clickhouse.rowBinary(query, options)
    },
  })
  return new Deduplicator(bound === NEVER_READ ? held : clickhouse, h.log, bound, { fillWaitMs: 0 })
}

/** Sends requests, and again by another process, and returns the places that are stored. */
async function stored(sent: readonly Sent[], recordsABatch: number, memoryBytes = 2 ** 30) {
  const h = await fresh()
  for (const { at, events, workspaceId = WORKSPACE } of sent)
    await h.log.append(request(events, { receivedAt: at, workspaceId }))
  const records = await readAll(h.log)
  for (let upTo = recordsABatch; ; upTo += recordsABatch) {
    // A new handler for each part, which remembers nothing but stored ids.
    const seen = deduplicator(h, memoryBytes)
    await deliver(() => eventsHandler(h, { deduplicator: seen }), records.slice(0, upTo))
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

let years = 2030

/** The same in other years, call after call of `map`, since the table is shared by these tests. */
function shifted(sent: Sent, index: number): Sent {
  if (index === 0) years += 4
  const date = new Date(sent.at)
  date.setUTCFullYear(years)
  return { ...sent, at: date.getTime() }
}

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
  for (const bytes of BOUNDS) {
    t.same(await stored(sent.map(shifted), 100, bytes), expected, `in one block, ${bytes} bytes`)
    t.same(await stored(sent.map(shifted), 1, bytes), expected, `each by another process, ${bytes} bytes`)
  }
})

t.test('ids count once despite gateway clocks that differ and a replay months later', async (t) => {
  // One gateway is two seconds ahead, so that over the turn of the month receipts of both months alternate.
  const sent = [
    { at: AUGUST - 1_500, events: [id('a'), id('b')] },
    { at: AUGUST + 500, events: [id('a'), id('c')] },
    { at: AUGUST - 1_000, events: [id('c'), id('b')] },
    { at: AUGUST + 1_000, events: [id('b'), id('a')] },
    { at: AUGUST - 1, events: [id('d'), id('a')] },
    { at: AUGUST, events: [id('d'), id('c')] },
  ]
  const expected = ['0:0', '0:1', '1:0', '1:1', '2:0', '3:0', '4:0', '5:0']
  // The same records again after those of three months later, with the time of receipt they had.
  const replayed = [...sent, { at: AUGUST + 92 * 86_400_000, events: [id('a')] }, ...sent]
  for (const bytes of BOUNDS)
    t.same(
      await stored(replayed.map(shifted), 100, bytes),
      [...expected, '6:0'],
      `in one block, ${bytes} bytes`,
    )
  t.same(await stored(replayed.map(shifted), 1, 0), [...expected, '6:0'], 'one by one, without memory')
})

t.test('rows with the same id are duplicates, and others are not', async (t) => {
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

t.test('random traffic is deduplicated as by a plain set, for any bound, owner and block', async (t) => {
  const months = [0, 1, 2].map((month) => Date.UTC(2028, month, 15))
  let run = 0
  const sending = fc.record({
    requests: fc.array(
      fc.record({
        month: fc.nat({ max: 2 }),
        ids: fc.array(fc.option(fc.nat({ max: 40 })), { minLength: 1, maxLength: 12 }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    bound: fc.constantFrom(2 ** 30, READ_BESIDE, NEVER_READ, ON_DISK, ON_DISK, 40_000, 30_000, 25_000, 0),
    batch: fc.integer({ min: 1, max: 5 }),
    crashes: fc.array(fc.nat({ max: 20 }), { maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(sending, async ({ requests, bound, batch, crashes }) => {
      const prefix = `run${run++}-`
      const h = await fresh()
      const reference = new Set<string>()
      const expected: string[] = []
      for (const [offset, { month, ids }] of requests.entries()) {
        const events = ids.map((n) => (n === null ? event() : id(`${prefix}${n}`)))
        await h.log.append(request(events, { receivedAt: months[month] ?? 0 }))
        for (const [index, n] of ids.entries()) {
          if (n === null || !reference.has(`${month} ${n}`)) expected.push(`${offset}:${index}`)
          if (n !== null) reference.add(`${month} ${n}`)
        }
      }
      let points = 0
      await deliver(
        () =>
          eventsHandler(h, {
            deduplicator: deduplicator(h, bound),
            faultPoint: () => {
              if (crashes.includes(points++)) throw new Crash('any')
            },
          }),
        await readAll(h.log),
        batch,
      )
      const places = await storedPlaces(h)
      t.same([...places.keys()].sort(), expected.sort())
      t.ok([...places.values()].every((times) => times === 1))
    }),
    { numRuns: cases(4, 80) },
  )
})

t.test('an owner that gets its partition back knows the ids that another one stored', async (t) => {
  for (const bound of BOUNDS) {
    const h = await fresh()
    const at = Date.UTC(2029, 0, 15) + bound
    for (let i = 0; i < 6; i++)
      await h.log.append(request([id(`${bound} same`), id(`${bound} ${i % 4}`)], { receivedAt: at }))
    const records = await readAll(h.log)
    const handlers = [0, 1].map(() => eventsHandler(h, { deduplicator: deduplicator(h, bound) }))
    for (let i = 0; i < records.length; i++) {
      const handler = handlers[i % 2]
      await handler?.assigned(0)
      await handler?.handle(0, records.slice(i, i + 1).map(copy), never)
    }
    for (const handler of handlers) await handler.commitAll()
    t.same([...(await storedPlaces(h)).keys()].sort(), ['0:0', '0:1', '1:1', '2:1', '3:1'], `${bound} bytes`)
  }
})

t.test('a block that was stored but not marked is deduplicated as before', async (t) => {
  for (const bound of BOUNDS) {
    const h = await fresh()
    const at = Date.UTC(2027, 5, 15) + bound
    for (let i = 0; i < 4; i++)
      await h.log.append(request([id(`${bound} one`), id(`${bound} ${i}`)], { receivedAt: at }))
    const inserted: number[] = []
    const watched = wrapped(clickhouse, {
      insertEvents(block, signal) {
        inserted.push(block.rowCount)
        return clickhouse.insertEvents(block, signal)
      },
    })
    let crashed = false
    const handler = () =>
      eventsHandler(h, {
        clickhouse: watched,
        deduplicator: deduplicator(h, bound),
        faultPoint: (name) => {
          if (name !== 'consumer:inserted' || crashed) return
          crashed = true
          throw new Crash(name)
        },
      })
    await deliver(handler, await readAll(h.log))
    // With fewer rows the token alone would do, but rows that a kill kept out of the vocabulary would stay
    // out.
    t.same(inserted, [5, 5], `${bound} bytes`)
    t.equal((await storedPlaces(h)).size, 5)
  }
})
