import t, { type Test } from 'tap'
import { v7 } from 'uuid'
import type { ClickHouse } from '../../../clickhouse/port.js'
import { keepHashes } from '../../../clickhouse/removal.js'
import { ROW } from '../../../domain/row.js'
import { eraseRows } from '../../../log/erase-rows.js'
import { readHeader } from '../../../log/record.js'
import { eraseDeadLetters } from '../../../management/privacy/erase-dead-letters.js'
import {
  findReplay,
  lettersOfWorkspace,
  markIntended,
  nextQueued,
  shrinkLetter,
} from '../../../postgres/tables/dead-letters.js'
import { SEED } from '../../../test/support/cases.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { event, NOON, request, WORKSPACE } from '../../test/support/events.js'
import { failingClickHouse, failingSql, type Mishap, wrapped } from '../../test/support/failing.js'
import {
  Crash,
  deliver,
  eventsHandler,
  type Harness,
  harness,
  keyHours,
  ledger,
  readAll,
  storedByHour,
  storedPlaces,
  vocabularies,
} from '../../test/support/pipeline.js'
import { askForAll, letters, replayAll } from '../../test/support/replays.js'
import { TestStores } from '../../test/support/stores.js'
import { JUNE_END } from '../../test/support/traffic.js'
import { splitIntoRows } from '../replay-transactions.js'
import { parseLetter } from '../replayer.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse: ClickHouse = await stores.clickhouse()

let workspaces = 0
const newWorkspace = (): string => `${WORKSPACE.slice(0, -4)}${(0x2000 + workspaces++).toString(16)}`

/** ClickHouse refuses rows named `poison` while `work` runs. */
async function withPoison<T>(work: () => Promise<T>): Promise<T> {
  await clickhouse.command("ALTER TABLE events ADD CONSTRAINT no_poison CHECK event != 'poison'")
  try {
    return await work()
  } finally {
    await clickhouse.command('ALTER TABLE events DROP CONSTRAINT no_poison')
  }
}

interface Poisoned extends Harness {
  readonly workspaceId: string
}

/** Six requests of three events over two months, one of them refused. A third has no insertId. */
async function poisoned(): Promise<Poisoned> {
  const h = await harness(stores, clickhouse)
  const workspaceId = newWorkspace()
  for (let i = 0; i < 6; i++)
    await h.log.append(
      request(
        [
          event({ event: 'fine', insertId: `f${i}` }),
          event({ event: 'poison', insertId: i % 3 === 0 ? undefined : `p${i % 3}:${i >> 2}` }),
          event({ event: 'fine' }),
        ],
        { workspaceId, receivedAt: i % 2 === 0 ? JUNE_END : JUNE_END + 1 },
      ),
    )
  await withPoison(async () => deliver(() => eventsHandler(h), await readAll(h.log)))
  return { ...h, workspaceId }
}

async function checkOnce(test: Test, h: Poisoned, what: string): Promise<void> {
  const places = await storedPlaces(h)
  test.same(
    [...places].filter(([, n]) => n !== 1),
    [],
    `${what}: nothing twice`,
  )
  const { table, vocabulary } = await vocabularies(h, h.workspaceId)
  test.same(vocabulary, table, `${what}: the vocabulary counts the same`)
  const book = await ledger(h)
  test.equal(places.size, book.stored, `${what}: the ledger counts what is stored`)
  test.equal(book.stored + book.duplicates + book.dead, 18, `${what}: every event is accounted for`)
  const hours = await keyHours(h, h.workspaceId)
  const sum = (figure: 'accepted' | 'deduplicated' | 'deadLettered') =>
    hours.reduce((total, hour) => total + hour[figure], 0)
  test.same(
    [sum('accepted'), sum('deduplicated'), sum('deadLettered')],
    [18, book.duplicates, book.dead],
    `${what}: the ledger of the key adds up`,
  )
  test.same(
    hours.map(({ at, stored }) => [at.getTime(), stored]),
    await storedByHour(h, h.workspaceId),
    `${what}: the ledger of the key has what is stored, hour by hour`,
  )
}

t.test(
  'dead letters fail again until the cause is fixed, and are then stored at their position',
  async (t) => {
    const h = await poisoned()
    t.match(await ledger(h), { stored: 12, duplicates: 0, dead: 6 })
    await withPoison(async () => {
      const id = await askForAll(h)
      await replayAll(() => eventsHandler(h))
      t.match(await findReplay(h.sql, id), { letters: 6, replayed: 0, failed: 6, eventsStored: 0 })
    })
    const failed = await letters(h)
    t.equal(failed.length, 6)
    for (const letter of failed)
      t.match(letter, { reason: /no_poison/, attempts: 2, replayed: false, waits: false, announced: false })
    t.match(await ledger(h), { stored: 12, duplicates: 0, dead: 6 })

    await h.sql`insert into workspaces (id, name, created_at) values (${h.workspaceId}, 'w', now())`
    await h.sql`
      insert into exported_days (workspace_id, day, written)
      select ${h.workspaceId}, day::date, 1 from unnest(${['2026-06-30', '2026-07-01', '2026-07-02']}::text[]) as day`
    const id = await askForAll(h)
    await replayAll(() => eventsHandler(h))
    const again = await h.sql`
      select day::text from exported_days where workspace_id = ${h.workspaceId} and requested > written order by day`
    t.same(
      again.map(({ day }) => day as string),
      ['2026-06-30', '2026-07-01'],
      'the days of receipt are exported again',
    )
    t.match(await findReplay(h.sql, id), {
      letters: 6,
      replayed: 6,
      failed: 0,
      eventsStored: 6,
    })
    t.ok((await letters(h)).every(({ replayed, waits }) => replayed && !waits))
    t.match(await ledger(h), { stored: 18, duplicates: 0, dead: 0 })
    const places = await storedPlaces(h)
    for (let i = 0; i < 6; i++) t.equal(places.get(`${i}:1`), 1, `${i}:1`)
    await checkOnce(t, h, 'replayed')
    const { rows } = await clickhouse.query<{ month: string; n: number }>(
      `SELECT toString(toYYYYMM(received_at)) AS month, count() AS n FROM events
    WHERE workspace_id = {w:UUID} AND event = 'poison' GROUP BY month ORDER BY month`,
      { params: { w: h.workspaceId } },
    )
    t.same(rows, [
      { month: '202606', n: 3 },
      { month: '202607', n: 3 },
    ])

    // The ids of replayed letters are known like any other.
    await h.log.append(
      request([event({ event: 'poison', insertId: 'p1:0' })], {
        workspaceId: h.workspaceId,
        receivedAt: JUNE_END + 1,
      }),
    )
    const records = await readAll(h.log)
    await deliver(() => eventsHandler(h), records)
    t.match(await ledger(h), { stored: 18, duplicates: 1, dead: 0 })
  },
)

t.test(
  'a dead letter whose insertId was stored meanwhile is a duplicate, as is a second one with that id',
  async (t) => {
    const h = await harness(stores, clickhouse)
    const workspaceId = newWorkspace()
    const poison = (insertId: string | undefined) =>
      request([event({ event: 'poison', insertId })], { workspaceId, receivedAt: JUNE_END })
    for (const id of ['a', 'b', 'b', undefined, undefined]) await h.log.append(poison(id))
    await withPoison(async () => deliver(() => eventsHandler(h), await readAll(h.log)))
    t.match(await ledger(h), { stored: 0, dead: 5 })
    // The client sends it again.
    await h.log.append(poison('a'))
    const handler = await deliver(() => eventsHandler(h), await readAll(h.log))
    t.match(await ledger(h), { stored: 1, dead: 5 })
    const id = await askForAll(h)
    await handler.assigned(0)
    while (await handler.replay(0));
    t.match(await findReplay(h.sql, id), { replayed: 5, failed: 0, eventsStored: 3, eventsDuplicate: 2 })
    t.match(await ledger(h), { stored: 4, duplicates: 2, dead: 0 })
    t.same([...(await storedPlaces(h)).keys()].sort(), ['1:0', '3:0', '4:0', '5:0'])
  },
)

t.test(
  'a replay that is killed at any point, with a block of the same ids in between, stores rows once',
  async (t) => {
    for (const point of ['replay:announced', 'replay:inserted', 'replay:marked'] as const) {
      const h = await poisoned()
      await askForAll(h)
      // The same ids in the log, in the months of the letters, before the letters are carried out again.
      await h.log.append(
        request(
          [event({ event: 'poison', insertId: 'p1:0' }), event({ event: 'poison', insertId: 'p2:0' })],
          {
            workspaceId: h.workspaceId,
            receivedAt: JUNE_END + 1,
          },
        ),
      )
      const killed = eventsHandler(h, {
        faultPoint(name) {
          if (name === point) throw new Crash(name)
        },
      })
      await killed.assigned(0)
      await t.rejects(killed.replay(0), Crash)
      await deliver(() => eventsHandler(h), await readAll(h.log))
      await replayAll(() => eventsHandler(h))
      t.ok((await letters(h)).every(({ replayed }) => replayed))
      const book = await ledger(h)
      t.match(book, { stored: 19, duplicates: 1, dead: 0 }, `${point}: p1:0 is of July, p2:0 was of June`)
      const places = await storedPlaces(h)
      t.same(
        [...places].filter(([, n]) => n !== 1),
        [],
        `${point}: nothing twice`,
      )
      const { table, vocabulary } = await vocabularies(h, h.workspaceId)
      t.same(vocabulary, table, point)
    }
  },
)

t.test('the vocabulary is repaired after a kill between the table and the vocabulary', async (t) => {
  const h = await poisoned()
  await askForAll(h)
  const killed = eventsHandler(h, {
    faultPoint(name) {
      if (name === 'replay:inserted') throw new Crash(name)
    },
  })
  await killed.assigned(0)
  await clickhouse.command('DETACH TABLE event_names_feed')
  try {
    await t.rejects(killed.replay(0), Crash)
  } finally {
    await clickhouse.command('ATTACH TABLE event_names_feed')
  }
  const { table, vocabulary } = await vocabularies(h, h.workspaceId)
  t.notSame(vocabulary, table)
  await replayAll(() => eventsHandler(h))
  await checkOnce(t, h, 'repaired')
})

t.test('a consumer that has lost the partition writes no intent', async (t) => {
  const h = await poisoned()
  await askForAll(h)
  const former = eventsHandler(h)
  await former.assigned(0)
  await eventsHandler(h).assigned(0)
  await t.rejects(former.replay(0), { name: 'FencedError' })
  t.notOk((await letters(h)).some(({ announced }) => announced))
})

t.test('after a failure the owner of the partition finishes the replay before the next block', async (t) => {
  const h = await poisoned()
  await askForAll(h)
  let fail = true
  const handler = eventsHandler(h, {
    faultPoint(name) {
      if (name === 'replay:announced' && fail) throw new Error('infrastructure')
    },
  })
  await handler.assigned(0)
  await t.rejects(handler.replay(0))
  t.ok((await letters(h)).every(({ announced }) => announced))
  fail = false
  // The same owner inserts a block with one of the ids, without asking for the partition again.
  await h.log.append(
    request([event({ event: 'poison', insertId: 'p1:0' })], {
      workspaceId: h.workspaceId,
      receivedAt: JUNE_END + 1,
    }),
  )
  const [last] = (await readAll(h.log)).slice(-1)
  await handler.handle(0, last === undefined ? [] : [last], new AbortController().signal)
  await handler.commitAll()
  t.match(await ledger(h), { stored: 18, duplicates: 1, dead: 0 })
})

t.test('a replay stores rows once though stores refuse or lose an answer at any statement', async (t) => {
  const h = await poisoned()
  await askForAll(h)
  let seed = SEED
  let calls = 0
  let failures = 0
  const mishap = (): Mishap => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    // Every third call fails until there are three failures, because a run may have few calls.
    const due = failures < 3 && ++calls % 3 === 0
    const fails = due || seed >= 2 ** 32 * 0.8
    if (fails) failures++
    return !fails ? 'none' : (seed >>> 8) % 2 === 0 ? 'refused' : 'answer lost'
  }
  await replayAll(
    () =>
      eventsHandler(h, { sql: failingSql(h.sql, mishap), clickhouse: failingClickHouse(clickhouse, mishap) }),
    200,
  )
  t.ok(failures > 2)
  t.ok((await letters(h)).every(({ replayed }) => replayed))
  t.match(await ledger(h), { stored: 18, duplicates: 0, dead: 0 })
  await checkOnce(t, h, 'after mishaps')
})

t.test('an owner that was frozen after its intent changes nothing when it wakes', async (t) => {
  const h = await poisoned()
  await askForAll(h)
  let wake = (): void => {}
  const frozen = eventsHandler(h, {
    faultPoint: (name) =>
      name === 'replay:announced'
        ? new Promise<void>((resolve) => {
            wake = resolve
          })
        : undefined,
  })
  await frozen.assigned(0)
  const sleeping = frozen.replay(0)
  await waitUntil(async () => (await letters(h)).every(({ announced }) => announced))
  await replayAll(() => eventsHandler(h))
  t.match(await ledger(h), { stored: 18, dead: 0 })
  wake()
  await t.rejects(sleeping, { name: 'FencedError' })
  t.match(await ledger(h), { stored: 18, duplicates: 0, dead: 0 })
  await checkOnce(t, h, 'after waking')
})

t.test('an unreadable record is divided if not all of its rows can be stored', async (t) => {
  const h = await harness(stores, clickhouse)
  const workspaceId = newWorkspace()
  const [record] = request(
    [event({ event: 'fine', insertId: 'x' }), event({ event: 'poison' }), event({ event: 'fine' }), event()],
    { workspaceId },
  )
  const payload = record?.payload ?? new Uint8Array()
  const foreign = Uint8Array.from(payload, (byte, i) => (i === 0 ? 77 : byte))
  await h.log.append([{ partition: 0, payload: foreign, events: 4 }])
  await deliver(() => eventsHandler(h), await readAll(h.log))
  t.match(await letters(h), [{ place: '0:-1', reason: /format 77/, attempts: 1 }])
  t.match(await ledger(h), { stored: 0, dead: 4 })
  await askForAll(h)
  await replayAll(() => eventsHandler(h))
  t.match(await letters(h), [{ place: '0:-1', reason: /format 77/, attempts: 2, waits: false }])

  // A version that knows it; of its rows ClickHouse refuses one, and the strings of another do not fit.
  const known = payload.slice()
  const { count } = readHeader(known)
  const lastLength = new DataView(known.buffer, known.byteOffset).getUint32(known.length - 4, true)
  const lastRow = known.length - count * 4 - lastLength
  known[lastRow + ROW.fixedBytes] = 120
  await h.sql`update dead_letters set payload = ${Buffer.from(known)} where log_id = ${h.log.id}`
  await withPoison(async () => {
    const id = await askForAll(h)
    await replayAll(() => eventsHandler(h))
    t.match(await findReplay(h.sql, id), { letters: 4, replayed: 2, failed: 2, eventsStored: 2 })
  })
  t.match(await letters(h), [
    { place: '0:-1', replayed: true },
    { place: '0:0', replayed: true },
    { place: '0:1', replayed: false, reason: /no_poison/, attempts: 3 },
    { place: '0:2', replayed: true },
    { place: '0:3', replayed: false, reason: /the strings do not fill/, attempts: 3 },
  ])
  t.match(await ledger(h), { stored: 2, duplicates: 0, dead: 2 })
  await askForAll(h)
  await replayAll(() => eventsHandler(h))
  t.match(await ledger(h), { stored: 3, duplicates: 0, dead: 1 })
  t.same([...(await storedPlaces(h)).keys()].sort(), ['0:0', '0:1', '0:2'])
  const { table, vocabulary } = await vocabularies(h, workspaceId)
  t.same(vocabulary, table)
  t.equal(readHeader(payload).receivedAt, NOON)
})

const GONE = { userId: 'gone', anonymousIds: new Set<string>() }

/** A dead letter of three events that waits for a replay. `erase` erases the person of two of them. */
async function letterOfPersons(): Promise<Poisoned & { readonly erase: () => Promise<number> }> {
  const h = await harness(stores, clickhouse)
  const workspaceId = newWorkspace()
  const events = ['gone', 'stays', 'gone'].map((userId) => event({ userId, insertId: `of ${userId}` }))
  const payload = request(events, { workspaceId })[0]?.payload ?? new Uint8Array()
  const foreign = Uint8Array.from(payload, (byte, i) => (i === 0 ? 77 : byte))
  await h.log.append([{ partition: 0, payload: foreign, events: 3 }])
  await deliver(() => eventsHandler(h), await readAll(h.log))
  await h.sql`update dead_letters set payload = ${Buffer.from(payload)}, workspace_id = ${workspaceId}`
  await askForAll(h)
  const erase = () => h.sql.begin((tx) => eraseDeadLetters(tx, workspaceId, GONE, () => Promise.resolve()))
  return { ...h, workspaceId, erase }
}

t.test('a letter that an erasure shortens while it is prepared is read anew', async (t) => {
  const h = await letterOfPersons()
  let meanwhile = false
  const query: ClickHouse['query'] = async (...args) => {
    if (meanwhile) t.equal(await h.erase(), 2)
    meanwhile = false
    return clickhouse.query(...args)
  }
  const handler = eventsHandler(h, { clickhouse: wrapped(clickhouse, { query }) })
  await handler.assigned(0)
  meanwhile = true
  await t.rejects(handler.replay(0), /no longer as they were read/)
  while (await handler.replay(0));
  const { rows } = await clickhouse.query('SELECT user_id AS "user" FROM events WHERE log_id = {log:UUID}', {
    params: { log: h.log.id },
  })
  t.strictSame(rows, [{ user: 'stays' }])
  t.match(await letters(h), [{ place: '0:-1', replayed: true }])
})

t.test('a letter that an erasure has shortened is not split as it was read', async (t) => {
  const h = await letterOfPersons()
  const [letter] = await nextQueued(h.sql, 0)
  if (letter === undefined) throw new Error('no letter waits')
  await h.erase()
  const rows = (parseLetter(letter).record.events?.rowsAsRecords() ?? []).map(({ payload }) => ({
    payload,
    partition: 0,
  }))
  await h.sql.begin((tx) => splitIntoRows(tx, letter, rows, v7))
  t.match(await letters(h), [{ place: '0:-1', waits: true, replayed: false }])
  t.equal((await letters(h)).length, 1)
})

t.test('an erasure leaves a letter alone that a replay has taken up or ended', async (t) => {
  const h = await letterOfPersons()
  const [read] = await h.sql.begin((tx) => lettersOfWorkspace(tx, h.workspaceId, undefined, 2))
  const [queued] = await nextQueued(h.sql, 0)
  const left = read && eraseRows(read.payload, GONE)
  if (read === undefined || queued === undefined || left === undefined) throw new Error('no letter waits')
  const shrink = (payload = left.payload) => h.sql.begin((tx) => shrinkLetter(tx, read, { ...left, payload }))
  await h.sql.begin((tx) => markIntended(tx, [{ ...queued, token: 't', rows: [0, 1, 2], duplicates: 0 }]))
  t.notOk(await shrink(), 'its rows are being inserted')
  await t.rejects(h.erase(), /are being replayed/)
  await h.sql`update dead_letters set replay_token = null, replayed_at = now()`
  t.notOk(await shrink(), 'it is counted as stored')
  await h.sql`update dead_letters set replayed_at = null`
  t.ok(await shrink())
  t.notOk(await shrink(), 'it is shorter')
})

t.test('an erasure finds the letters of rows that replace one which it has not come to', async (t) => {
  const h = await letterOfPersons()
  const [letter] = await nextQueued(h.sql, 0)
  if (letter === undefined) throw new Error('no letter waits')
  await h.sql.begin(async (tx) => {
    const row = { payload: letter.payload, partition: 0 }
    // Ids are random: these are before that of the letter.
    let next = 1
    await splitIntoRows(tx, letter, [row, row, row], () => `00000000-0000-4000-8000-00000000000${next++}`)
    const [whole] = await lettersOfWorkspace(tx, h.workspaceId, undefined, 9)
    t.match(whole, { rowIndex: -1, replayed: true })
    const rows = await lettersOfWorkspace(tx, h.workspaceId, whole, 9)
    t.same(
      rows.map(({ rowIndex }) => rowIndex),
      [0, 1, 2],
    )
  })
})

t.test(
  'a replay knows the insertIds of letters that were erased since the consumer has read them',
  async (t) => {
    const h = await harness(stores, clickhouse)
    const workspaceId = newWorkspace()
    const receivedAt = Date.now()
    for (const insertId of ['known', 'same', 'same'])
      await h.log.append(
        request([event({ event: insertId === 'known' ? 'fine' : 'poison', insertId })], {
          workspaceId,
          receivedAt,
        }),
      )
    const handler = await withPoison(async () => deliver(() => eventsHandler(h), await readAll(h.log)))
    t.match(await ledger(h), { stored: 1, dead: 2 })
    const [, last] = await h.sql<{ id: string; payload: Uint8Array }[]>`
    select id, payload from dead_letters where log_id = ${h.log.id} order by log_offset`
    const erased = eraseRows(last?.payload ?? new Uint8Array(), { userId: 'u1', anonymousIds: new Set() })
    await keepHashes(clickhouse, workspaceId, erased?.insertHashes ?? [], new Date(0))
    await h.sql`delete from dead_letters where id = ${last?.id ?? null}`
    await h.sql`insert into workspaces (id, name, created_at) values (${workspaceId}, 'erased', now())`
    await h.sql`
    insert into erasures (id, workspace_id, requested_at, dead_letters) values (${v7()}, ${workspaceId}, now(), 1)`
    const id = await askForAll(h)
    await handler.assigned(0)
    while (await handler.replay(0));
    t.match(await findReplay(h.sql, id), { replayed: 1, eventsStored: 0, eventsDuplicate: 1 })
  },
)
