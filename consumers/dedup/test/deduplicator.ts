import t from 'tap'
import { waitUntil } from '../../../test/support/wait-until.js'
import { wrapped } from '../../test/support/failing.js'
import { forEachHash } from '../../test/support/hashes.js'
import { TestStores } from '../../test/support/stores.js'
import { SEEN } from '../dedup-set.js'
import { Deduplicator, type MonthIds } from '../deduplicator.js'

const stores = new TestStores()
t.teardown(() => stores.close())
const clickhouse = await stores.clickhouse()

const LOG = { id: '0190c8f1-0000-7000-8000-00000000000a', partitions: 3 }
const STORED = 20_000
/** Most tests check the state after all stored ids were read. */
const PATIENT = { fillWaitMs: 100_000 }

/** Stores ids of partition 2 in a month and returns their words. */
async function storeIds(month: number): Promise<Int32Array> {
  const hash = `toUInt128(3 * number + 2) + bitShiftLeft(toUInt128(sipHash64(number, ${month})), 64)`
  await clickhouse.command(
    `INSERT INTO events (received_at, timestamp, insert_hash, log_id, event)
    SELECT toDateTime64('${Math.floor(month / 100)}-${String(month % 100).padStart(2, '0')}-10 00:00:00', 3, 'UTC') AS received_at,
      received_at, ${hash}, '${LOG.id}', 'e' FROM numbers(${STORED})`,
  )
  const chunks: Uint8Array[] = []
  for await (const chunk of clickhouse.rowBinary(`SELECT ${hash} FROM numbers(${STORED})`))
    chunks.push(Uint8Array.from(chunk))
  const bytes = Buffer.concat(chunks)
  return new Int32Array(Uint8Array.from(bytes).buffer)
}

const january = await storeIds(202601)
const february = await storeIds(202602)

function answers(ids: MonthIds | undefined, hashes: Int32Array) {
  const counts = { no: 0, yes: 0, perhaps: 0 }
  forEachHash(hashes, (w0, w1, w2, w3) => {
    const known = ids?.seen.has(w0, w1, w2, w3)
    if (known === SEEN.yes) counts.yes++
    else if (known === SEEN.maybe) counts.perhaps++
    else counts.no++
  })
  return counts
}

t.test('stored ids are known and memory stays within its limit, for any limit', async (t) => {
  const forms: string[] = []
  for (const bound of [2 ** 24, 400_000, 200_000, 60_000, 35_000, 15_000, 0]) {
    const seen = new Deduplicator(clickhouse, LOG, bound, PATIENT)
    const ids = (await seen.idsOf(2, [202601], 0)).get(202601)
    const { bytes } = seen.size()
    // The sets themselves use up to 14,000 bytes, even if they hold no id.
    t.ok(bytes <= Math.max(bound, 14_000), `${bytes} of ${bound} bytes`)
    const stored = answers(ids, january)
    t.equal(stored.no, 0, `${bound}: ${JSON.stringify(stored)}`)
    const others = answers(ids, february)
    t.equal(others.yes, 0, `${bound}: ${JSON.stringify(others)}`)
    forms.push(JSON.stringify(ids?.seen.forms()))
  }
  t.equal(forms[0], '{"exact":256,"filter":0,"nothing":0}')
  t.equal(forms.at(-1), '{"exact":0,"filter":0,"nothing":256}')
  t.ok(forms.some((form) => /"filter":[1-9]/.test(form)))
})

t.test('if memory is short, the month used longest ago becomes a filter first', async (t) => {
  const seen = new Deduplicator(clickhouse, LOG, 1_000_000, PATIENT)
  const first = await seen.idsOf(2, [202601], 0)
  const alone = seen.size().bytes
  const both = new Deduplicator(clickhouse, LOG, Math.floor(alone * 1.6), PATIENT)
  const early = (await both.idsOf(2, [202601], 0)).get(202601)
  const late = (await both.idsOf(2, [202602], 0)).get(202602)
  t.ok((early?.seen.forms().filter ?? 0) > 100, JSON.stringify(early?.seen.forms()))
  t.ok((late?.seen.forms().exact ?? 0) > 200, JSON.stringify(late?.seen.forms()))
  t.equal(answers(early, january).no, 0)
  t.equal(answers(late, february).no, 0)
  t.equal((await both.idsOf(2, [202601], 0)).get(202601)?.seen, early?.seen, 'still there')
  t.equal(first.size, 1)
})

t.test('sets that have not been used for long are dropped before others are made smaller', async (t) => {
  const one = new Deduplicator(clickhouse, LOG, 2 ** 24, PATIENT)
  await one.idsOf(2, [202601], 0)
  const seen = new Deduplicator(clickhouse, LOG, Math.floor(one.size().bytes * 1.5), PATIENT)
  const early = (await seen.idsOf(2, [202601], 0)).get(202601)
  for (let i = 0; i < 1_100; i++) await seen.idsOf(1, [202603], 0)
  const late = await seen.idsOf(2, [202602], 0)
  t.same(late.get(202602)?.seen.forms(), { exact: 256, filter: 0, nothing: 0 })
  t.ok(early?.seen.isBlind, 'who still holds it is told nothing wrong')
  t.not((await seen.idsOf(2, [202601], 0)).get(202601)?.seen, early?.seen, 'read again')
})

t.test('a set that another owner may have changed is read again, and its memory is freed', async (t) => {
  const seen = new Deduplicator(clickhouse, LOG, 2 ** 24, PATIENT)
  const before = (await seen.idsOf(2, [202601], 0)).get(202601)
  seen.dropPartition(2)
  t.equal(answers(before, january).no, 0)
  t.equal(seen.size().entries, 0)
  const again = (await seen.idsOf(2, [202601], 0)).get(202601)
  t.not(again?.seen, before?.seen)
  t.equal(answers(again, january).yes, STORED)
})

t.test('look-ups wait while a set is filled, and a failure reaches all of them and is retried', async (t) => {
  let failing = true
  const slow = wrapped(clickhouse, {
    async *rowBinary(sql, options) {
      if (failing) throw new Error('connection refused')
      yield* clickhouse.rowBinary(sql, options)
    },
  })
  const seen = new Deduplicator(slow, LOG, 2 ** 24, PATIENT)
  const refused = await Promise.allSettled([seen.idsOf(2, [202601], 0), seen.idsOf(2, [202601], 0)])
  t.same(
    refused.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  t.equal(seen.size().entries, 0)
  failing = false
  const [first, second] = await Promise.all([seen.idsOf(2, [202601], 0), seen.idsOf(2, [202601], 0)])
  t.equal(first.get(202601)?.seen, second.get(202601)?.seen)
  for (const months of [first, second]) t.equal(answers(months.get(202601), january).yes, STORED)
})

t.test(
  'a block does not wait for a large month: until its ids are read, its set excludes no id',
  async (t) => {
    const gate = gated()
    const held = wrapped(clickhouse, {
      async *rowBinary(sql, options) {
        await gate.opened
        yield* clickhouse.rowBinary(sql, options)
      },
    })
    const seen = new Deduplicator(held, LOG, 2 ** 24, { fillWaitMs: 0 })
    const ids = (await seen.idsOf(2, [202601], 0)).get(202601)
    t.same(answers(ids, january), { no: 0, yes: 0, perhaps: STORED })
    // Ids stored during the read are known immediately.
    ids?.seen.add(1, 2, 3, 4)
    t.equal(ids?.seen.has(1, 2, 3, 4), SEEN.yes)
    t.equal((await seen.idsOf(2, [202601], 0)).get(202601)?.seen, ids?.seen)
    gate.open()
    await waitUntil(async () => ids?.seen.isFilling === false)
    t.same(answers(ids, january), { no: 0, yes: STORED, perhaps: 0 })
    t.equal(answers(ids, february).no, STORED)
  },
)

t.test('a background failure is not reported, and the next block begins anew', async (t) => {
  const gate = gated()
  let failing = true
  const held = wrapped(clickhouse, {
    async *rowBinary(sql, options) {
      await gate.opened
      if (failing) throw new Error('connection refused')
      yield* clickhouse.rowBinary(sql, options)
    },
  })
  const seen = new Deduplicator(held, LOG, 2 ** 24, { fillWaitMs: 0 })
  const early = (await seen.idsOf(2, [202601], 0)).get(202601)
  gate.open()
  await waitUntil(async () => early?.seen.isBlind === true)
  t.same(answers(early, january), { no: 0, yes: 0, perhaps: STORED })
  failing = false
  const again = (await seen.idsOf(2, [202601], 0)).get(202601)
  t.not(again?.seen, early?.seen)
  await waitUntil(async () => again?.seen.isFilling === false)
  t.equal(answers(again, january).yes, STORED)
})

/** Something to wait for until it is opened. */
function gated(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}
