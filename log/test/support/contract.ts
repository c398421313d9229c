import type { Test } from 'tap'
import {
  type ConsumeOptions,
  type EventLog,
  type LogRecord,
  LogUnavailableError,
  type StoredRecord,
} from '../../port.js'

export interface OpenedLog {
  /** At least two event partitions and two identity partitions, and no records. */
  readonly log: EventLog
  /** Closes it and opens the same log again, as after a restart. */
  reopen(): Promise<EventLog>
  destroy(): Promise<void>
}

/** The contract of log/port.ts, for every adapter. `open` makes a new, empty log for each test. */
export async function logContract(t: Test, name: string, open: () => Promise<OpenedLog>): Promise<void> {
  const test = (title: string, body: (t: Test, opened: OpenedLog) => Promise<void>): Promise<unknown> =>
    t.test(`${name}: ${title}`, async (t) => {
      const opened = await open()
      t.teardown(() => opened.destroy())
      await body(t, opened)
    })

  await test('an empty log has an id, partitions and ends', async (t, { log }) => {
    t.match(log.id, /^[0-9a-f-]{36}$/)
    t.ok(log.partitions >= 2 && log.identityPartitions >= 2)
    for (let p = 0; p < log.partitions + log.identityPartitions; p++) t.type(await log.end(p), 'number')
    await log.ping()
    await log.append([])
    t.equal(await log.end(0), await log.end(0))
  })

  await test('a log that counts its events keeps the count through removal and reopening', async (t, opened) => {
    const { log } = opened
    if ((await log.appendedEvents()) === undefined) {
      t.comment('this log does not count')
      return
    }
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        log.append([
          { ...record(0, `${i}`), events: 3 },
          { ...record(1, `${i}`), events: 4 },
          record(log.partitions, 'link'),
        ]),
      ),
    )
    t.equal(await log.appendedEvents(), 140)
    await log.trim(0, await log.end(0))
    const again = await opened.reopen()
    t.equal(await again.appendedEvents(), 140)
  })

  await test('every partition keeps its order, and offsets grow', async (t, { log }) => {
    for (let i = 0; i < 60; i++) await log.append([record(i % log.partitions, `${i}`)])
    const seen = await readEvents(log)
    for (let p = 0; p < log.partitions; p++) {
      const records = seen.get(p) ?? []
      t.same(
        records.map(text),
        Array.from({ length: 60 }, (_, i) => i)
          .filter((i) => i % log.partitions === p)
          .map(String),
      )
      t.ok(records.every((r, i) => i === 0 || r.offset > (records[i - 1]?.offset ?? 0)))
    }
  })

  await test('many concurrent appenders append each record once, and each in order', async (t, { log }) => {
    const appenders = 64
    const each = 12
    await Promise.all(
      Array.from({ length: appenders }, async (_, a) => {
        for (let i = 0; i < each; i++) await log.append([record(a % log.partitions, `${a}:${i}`)])
      }),
    )
    const all = flat(await readEvents(log)).map(text)
    t.equal(all.length, appenders * each)
    t.equal(new Set(all).size, appenders * each)
    for (let a = 0; a < appenders; a++)
      t.same(
        all.filter((x) => x.startsWith(`${a}:`)),
        Array.from({ length: each }, (_, i) => `${a}:${i}`),
      )
  })

  await test('concurrent calls keep their order', async (t, { log }) => {
    await Promise.all(Array.from({ length: 200 }, (_, i) => log.append([record(0, `${i}`)])))
    t.same(
      (await readEvents(log)).get(0)?.map(text),
      Array.from({ length: 200 }, (_, i) => `${i}`),
    )
  })

  await test('a request is written whole or not at all', async (t, { log }) => {
    const total = log.partitions + log.identityPartitions
    const whole = Array.from({ length: total }, (_, p) => record(p, 'whole'))
    await Promise.all([
      log.append(whole),
      t.rejects(log.append([record(0, 'torn'), record(total, 'torn')]), 'a partition that is not there'),
      log.append(whole),
    ])
    t.same(flat(await readEvents(log)).map(text), Array(2 * log.partitions).fill('whole'))
    t.same(flat(await readAll(log, 'identity')).map(text), Array(2 * log.identityPartitions).fill('whole'))
  })

  await test('several records of a request in one partition keep their order', async (t, { log }) => {
    await log.append([record(1, 'a'), record(0, 'x'), record(1, 'b'), record(1, 'c')])
    t.same((await readEvents(log)).get(1)?.map(text), ['a', 'b', 'c'])
  })

  await test('payloads of every size come back byte for byte', async (t, { log }) => {
    const sizes = [0, 1, 100, 4_090, 16_383, 16_384, 40_000, 175_000, 1_048_577, 5_000_000, 3, 8_400_000]
    const payloads = sizes.map((size, i) => pattern(size, i))
    for (const payload of payloads.slice(0, 6)) await log.append([{ partition: 0, payload }])
    await Promise.all(payloads.slice(6).map((payload) => log.append([{ partition: 0, payload }])))
    const seen = (await readEvents(log)).get(0) ?? []
    t.equal(seen.length, sizes.length)
    for (let i = 0; i < sizes.length; i++)
      t.ok(Buffer.from(payloads[i] ?? []).equals(Buffer.from(seen[i]?.payload ?? [1])), `${sizes[i]} bytes`)
  })

  await test('end covers everything acknowledged before', async (t, { log }) => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const before = await log.end(0)
        await log.append([record(0, `${i}`)])
        t.ok((await log.end(0)) > before)
      }),
    )
    const records = (await readEvents(log)).get(0) ?? []
    t.ok((records.at(-1)?.offset ?? Number.POSITIVE_INFINITY) < (await log.end(0)))
  })

  await test('handled and skipped offsets together reach the end', async (t, { log }) => {
    const told: { from: number; next: number }[] = []
    const abort = new AbortController()
    let end = Number.POSITIVE_INFINITY
    let reached = 0
    const reach = (offset: number): void => {
      reached = offset
      if (reached >= end) abort.abort()
    }
    const consuming = log.consume(
      { ...OPTIONS, maxBatchBytes: 8 },
      {
        assigned: async () => 0,
        handle: async (partition, records, _, next) => {
          if (partition !== 0) return
          const last = records.at(-1)?.offset ?? 0
          told.push({ from: records[0]?.offset ?? 0, next: next ?? last + 1 })
          t.ok((told.at(-1)?.next ?? 0) > last)
          reach(told.at(-1)?.next ?? 0)
        },
        skipTo: async (partition, offset) => {
          if (partition !== 0) return
          t.ok(offset > reached)
          reach(offset)
        },
      },
      abort.signal,
    )
    for (let i = 0; i < 5; i++) await log.append([record(0, 'one'), record(0, 'two'), record(0, 'three')])
    end = await log.end(0)
    reach(reached)
    await consuming
    // A log may write the mark that ends a transaction after it has said that the records are durable.
    t.ok(reached >= end, `${reached} of ${end}`)
    t.ok(told.every(({ from }, i) => i === 0 || from >= (told[i - 1]?.next ?? 0)))
  })

  await test('a rejected batch is delivered again, as it was', async (t, { log }) => {
    await log.append([record(0, 'one'), record(0, 'two')])
    const positions: number[] = []
    const seen: string[][] = []
    await consumeUntil(log, OPTIONS, {
      assigned: async (partition) => {
        if (partition === 0) positions.push(0)
        return 0
      },
      handle: async (_, records) => {
        seen.push(records.map(text))
        for (const { payload } of records) payload.fill(0)
        if (seen.length < 3) throw new Error('the store is down')
      },
      done: () => seen.length >= 3,
    })
    t.same(seen, [
      ['one', 'two'],
      ['one', 'two'],
      ['one', 'two'],
    ])
    t.equal(positions.length, 3, 'the position was asked for before every attempt')
  })

  await test('a handler whose position cannot be read is asked again', async (t, { log }) => {
    await log.append([record(0, 'x')])
    let asked = 0
    const seen: string[] = []
    await consumeUntil(log, OPTIONS, {
      assigned: async (partition) => {
        if (partition === 0 && asked++ === 0) throw new Error('no connection')
        return 0
      },
      handle: async (_, records) => void seen.push(...records.map(text)),
      done: () => seen.length > 0,
    })
    t.same(seen, ['x'])
  })

  await test('the handler decides the position', async (t, { log }) => {
    for (let i = 0; i < 10; i++) await log.append([record(0, `${i}`), record(0, `${i}'`)])
    const records = (await readEvents(log)).get(0) ?? []
    for (const from of [0, 1, 7, 19]) {
      const position = records[from]?.offset ?? 0
      const seen = (await readAll(log, 'events', (p) => (p === 0 ? position : 0))).get(0) ?? []
      t.same(seen.map(text), records.slice(from).map(text), `from record ${from}`)
    }
    const end = await log.end(0)
    const late: string[] = []
    const consuming = consumeUntil(log, OPTIONS, {
      assigned: async (p) => (p === 0 ? end : 0),
      handle: async (partition, batch) => {
        if (partition === 0) late.push(...batch.map(text))
      },
      done: () => late.length > 0,
    })
    await log.append([record(0, 'new')])
    await consuming
    t.same(late, ['new'])
  })

  await test('batches stay below their limit, and a large record is delivered alone', async (t, { log }) => {
    await log.append(Array.from({ length: 40 }, (_, i) => ({ partition: 0, payload: pattern(1_000, i) })))
    await log.append([{ partition: 0, payload: pattern(50_000, 0) }])
    await log.append(Array.from({ length: 5 }, (_, i) => ({ partition: 0, payload: pattern(1_000, i) })))
    const sizes: number[][] = []
    await consumeUntil(
      log,
      { ...OPTIONS, maxBatchBytes: 10_000 },
      {
        handle: async (_, batch) => void sizes.push(batch.map((r) => r.payload.length)),
        done: () => sizes.flat().length === 46,
      },
    )
    for (const batch of sizes) t.ok(batch.length === 1 || sum(batch) <= 10_000)
    t.equal(Math.max(...sizes.flat()), 50_000)
  })

  await test('small records wait for others, so that batches are large', async (t, { log }) => {
    const batches: number[] = []
    let seen = 0
    const started = performance.now()
    const consuming = consumeUntil(
      log,
      { ...OPTIONS, lingerMs: 150 },
      {
        handle: async (_, batch) => {
          batches.push(performance.now())
          seen += batch.length
        },
        done: () => seen === 30,
      },
    )
    const appends: Promise<void>[] = []
    for (let i = 0; i < 30; i++) {
      appends.push(log.append([record(0, `${i}`)]))
      await pause(10)
    }
    await Promise.all(appends)
    await consuming
    const tookMs = performance.now() - started
    t.ok(batches.length <= 2 + tookMs / 150, `${batches.length} batches in ${tookMs} ms`)
    t.ok(batches.length < 30)
    t.ok(batches.every((at, i) => i === 0 || at - (batches[i - 1] ?? 0) >= 145))
  })

  await test('a full batch does not linger', async (t, { log }) => {
    await log.append(Array.from({ length: 100 }, (_, i) => ({ partition: 0, payload: pattern(1_000, i) })))
    let seen = 0
    const started = performance.now()
    await consumeUntil(
      log,
      { ...OPTIONS, maxBatchBytes: 10_000, lingerMs: 60_000 },
      {
        handle: async (_, batch) => {
          seen += batch.length
        },
        done: () => seen >= 90,
      },
    )
    t.ok(performance.now() - started < 30_000)
  })

  await test('records over the lingering threshold do not linger, though they do not fill a batch', async (t, {
    log,
  }) => {
    const append = (count: number) =>
      log.append(Array.from({ length: count }, (_, i) => ({ partition: 0, payload: pattern(1_000, i) })))
    await append(1)
    const batches: number[] = []
    const started = performance.now()
    await consumeUntil(
      log,
      { ...OPTIONS, lingerMs: 60_000, enoughBytes: 10_000 },
      {
        handle: async (_, batch) => {
          batches.push(batch.length)
          if (batches.length === 1) {
            await append(9)
            await append(11)
          }
        },
        done: () => sum(batches) === 21,
      },
    )
    t.ok(performance.now() - started < 30_000)
    t.ok(batches.length <= 3, `${batches.length} batches`)
  })

  await test('events and links are read separately', async (t, { log }) => {
    await log.append([record(0, 'event'), record(log.partitions, 'pair')])
    t.same(flat(await readEvents(log)).map(text), ['event'])
    const identity = await readAll(log, 'identity')
    t.same(identity.get(log.partitions)?.map(text), ['pair'])
  })

  await test('abort waits for the call in progress and no longer', async (t, { log }) => {
    await log.append([record(0, 'x'), record(1, 'y')])
    const abort = new AbortController()
    const steps: string[] = []
    const revoked: number[] = []
    const consuming = log.consume(
      OPTIONS,
      {
        assigned: async () => 0,
        handle: async (partition, _, signal) => {
          if (partition !== 0) return
          abort.abort()
          await pause(50)
          steps.push(signal.aborted ? 'handled' : 'not told')
        },
        revoked: (partition) => void revoked.push(partition),
      },
      abort.signal,
    )
    await consuming
    steps.push('resolved')
    t.same(steps, ['handled', 'resolved'])
    t.same(
      revoked.sort(),
      Array.from({ length: log.partitions }, (_, p) => p),
    )
    await log.append([record(0, 'later')])
    t.same(
      flat(await readEvents(log))
        .map(text)
        .sort(),
      ['later', 'x', 'y'],
      'another consumer has read it',
    )
    t.same(steps, ['handled', 'resolved'])
  })

  await test('abort ends the pause after a failure', async (t, { log }) => {
    await log.append([record(0, 'x')])
    const abort = new AbortController()
    let calls = 0
    const consuming = log.consume(
      OPTIONS,
      {
        assigned: async () => 0,
        handle: async () => {
          // After the third failure the pause is 400 ms.
          if (++calls === 3) setTimeout(() => abort.abort(), 20)
          throw new Error('the store is down')
        },
      },
      abort.signal,
    )
    await consuming
    t.equal(calls, 3)
  })

  await test('trimming removes the records before the position and no others', async (t, { log }) => {
    for (let i = 0; i < 10; i++) await log.append([record(0, `${i}`), record(1, `${i}`)])
    const records = (await readEvents(log)).get(0) ?? []
    const position = records[6]?.offset ?? 0
    await log.trim(0, position)
    await log.trim(0, position)
    const after = await readAll(log, 'events', (p) => (p === 0 ? position : 0))
    t.same(after.get(0)?.map(text), ['6', '7', '8', '9'])
    t.equal(after.get(1)?.length, 10, 'the other partition is as it was')
    const end = await log.end(0)
    await log.trim(0, end)
    t.equal(await log.end(0), end)
    await log.append([record(0, 'next')])
    const next = await readAll(log, 'events', (p) => (p === 0 ? end : 0))
    t.same(next.get(0)?.map(text), ['next'])
    t.ok((next.get(0)?.[0]?.offset ?? 0) >= end)
  })

  await test('a reopened log is the same log', async (t, { log, reopen }) => {
    await log.append([record(0, 'a'), record(1, 'b')])
    const before = { id: log.id, records: await readEvents(log), end: await log.end(0) }
    const again = await reopen()
    t.equal(again.id, before.id)
    t.equal(again.partitions, log.partitions)
    t.equal(await again.end(0), before.end)
    t.same(await readEvents(again), before.records)
    await again.append([record(0, 'c')])
    t.same((await readEvents(again)).get(0)?.map(text), ['a', 'c'])
  })

  await test('close waits for appends in progress and refuses later ones', async (t, { log, reopen }) => {
    const appends = Array.from({ length: 50 }, (_, i) => log.append([record(0, `${i}`)]))
    const closing = log.close()
    await t.rejects(log.append([record(0, 'late')]), LogUnavailableError)
    await Promise.all([...appends, closing])
    t.equal((await readEvents(await reopen())).get(0)?.length, 50)
  })
}

/** Everything in the log now, by partition, from the offsets that `from` gives. */
export function readAll(
  log: EventLog,
  kind: ConsumeOptions['kind'],
  from: (partition: number) => number = () => 0,
): Promise<Map<number, StoredRecord[]>> {
  return readUpTo(log, kind, from)
}

export function readEvents(log: EventLog): Promise<Map<number, StoredRecord[]>> {
  return readUpTo(log, 'events', () => 0)
}

/** Appends a mark to each partition, to know when everything before it was read, and leaves the marks out. */
async function readUpTo(
  log: EventLog,
  kind: ConsumeOptions['kind'],
  from: (partition: number) => number,
): Promise<Map<number, StoredRecord[]>> {
  const first = kind === 'events' ? 0 : log.partitions
  const count = kind === 'events' ? log.partitions : log.identityPartitions
  const mark = `mark ${process.hrtime.bigint()}`
  await log.append(Array.from({ length: count }, (_, i) => record(first + i, mark)))
  const seen = new Map<number, StoredRecord[]>()
  let marks = 0
  await consumeUntil(
    log,
    { ...OPTIONS, kind },
    {
      assigned: async (partition) => from(partition),
      handle: async (partition, records) => {
        const list = seen.get(partition) ?? []
        seen.set(partition, list)
        for (const { offset, payload } of records) {
          const isMark = payload.length < 40 && text({ offset, payload }).startsWith('mark ')
          if (isMark && text({ offset, payload }) === mark) marks++
          if (!isMark) list.push({ offset, payload: payload.slice() })
        }
      },
      done: () => marks === count,
    },
  )
  return seen
}

/** Consumes until `done` holds after a batch. */
export async function consumeUntil(
  log: EventLog,
  options: ConsumeOptions,
  handler: {
    assigned?(partition: number): Promise<number>
    handle(partition: number, records: readonly StoredRecord[]): Promise<void>
    done(): boolean
  },
): Promise<void> {
  const abort = new AbortController()
  await log.consume(
    options,
    {
      assigned: handler.assigned ?? (async () => 0),
      handle: async (partition, records) => {
        try {
          await handler.handle(partition, records)
        } finally {
          if (handler.done()) abort.abort()
        }
      },
    },
    abort.signal,
  )
}

export const OPTIONS: ConsumeOptions = { kind: 'events', maxBatchBytes: 2 ** 20, lingerMs: 0 }

export function record(partition: number, payload: string): LogRecord {
  return { partition, payload: Buffer.from(payload) }
}

export function text(record: StoredRecord): string {
  return Buffer.from(record.payload).toString()
}

function flat(records: ReadonlyMap<number, readonly StoredRecord[]>): StoredRecord[] {
  return [...records.values()].flat()
}

function pattern(size: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let i = 0; i < size; i++) bytes[i] = (i * 31 + seed * 7 + (i >>> 8)) & 0xff
  return bytes
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
