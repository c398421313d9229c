import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { open } from 'lmdb'
import t, { type Test } from 'tap'
import { seededRandom } from '../../../bench/support/random.js'
import { SEED } from '../../../test/support/cases.js'
import { type EventLog, LogOutcomeUnknownError, LogUnavailableError } from '../../port.js'
import { startWriter } from '../../test/support/child.js'
import {
  consumeUntil,
  logContract,
  OPTIONS,
  readAll,
  readEvents,
  record,
  text,
} from '../../test/support/contract.js'
import { groupKey } from '../group-format.js'
import { type EmbeddedLogOptions, openEmbeddedLog } from '../log.js'

const LAYOUT = { partitions: 3, identityPartitions: 2, pollMs: 5 }

function newPath(t?: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-log-'))
  t?.teardown(() => rmSync(path, { recursive: true }))
  return path
}

async function openLog(t: Test, options: Partial<EmbeddedLogOptions> = {}): Promise<EventLog> {
  const log = await openEmbeddedLog({ path: options.path ?? newPath(t), ...LAYOUT, ...options })
  t.teardown(() => log.close())
  return log
}

await logContract(t, 'embedded', async () => {
  const path = newPath()
  let log = await openEmbeddedLog({ path, ...LAYOUT })
  return {
    log,
    reopen: async () => {
      await log.close()
      log = await openEmbeddedLog({ path, ...LAYOUT })
      return log
    },
    destroy: async () => {
      await log.close()
      rmSync(path, { recursive: true })
    },
  }
})

await t.test('the partition counts and the id of a log never change', async (t) => {
  const path = newPath(t)
  const log = await openLog(t, { path, now: () => 0x0123_4567_89ab })
  t.match(log.id, /^01234567-89ab-7/, 'a UUID of version 7 with the given time')
  await t.rejects(openEmbeddedLog({ path, ...LAYOUT, partitions: 4 }), { code: 'layout' })
  await t.rejects(openEmbeddedLog({ path, ...LAYOUT, identityPartitions: 1 }), {
    name: 'LogError',
    code: 'layout',
    message: /has 3 event and 2 identity partitions, not 3 and 1/,
  })
  await t.rejects(openEmbeddedLog({ path, ...LAYOUT, partitions: 0 }), RangeError)
  t.equal((await openLog(t, { path })).id, log.id)
  await log.append([record(0, 'still works')])
})

await t.test('offsets outlive the records', async (t) => {
  const path = newPath(t)
  const log = await openEmbeddedLog({ path, ...LAYOUT })
  for (let i = 0; i < 5; i++) await log.append([record(0, `${i}`)])
  const end = await log.end(0)
  await log.trim(0, end)
  await log.close()
  const again = await openLog(t, { path })
  t.equal(await again.end(0), end)
  t.same((await readEvents(again)).get(0), [], 'nothing is left')
  await again.append([record(0, 'next')])
  t.equal((await readEvents(again)).get(0)?.[0]?.offset, end + 1, 'after the mark of the reader above')
})

await t.test('a group is removed once all of it is released', async (t) => {
  const log = await openLog(t)
  await log.append(Array.from({ length: 10 }, (_, i) => record(0, `${i}`)))
  await log.trim(0, 7)
  t.same((await readAll(log, 'events', (p) => (p === 0 ? 7 : 0))).get(0)?.map(text), ['7', '8', '9'])
  t.equal((await readEvents(log)).get(0)?.length, 10)
  await log.trim(0, 10)
  t.equal((await readEvents(log)).get(0)?.length, 0)
})

await t.test('trimming removes more groups than fit into one transaction', async (t) => {
  const log = await openLog(t)
  const large = { partition: 0, payload: new Uint8Array(16_384) }
  for (let i = 0; i < 4; i++) await log.append(Array.from({ length: 150 }, () => large))
  await log.append([record(0, 'kept')])
  await log.trim(0, 600)
  t.same((await readEvents(log)).get(0)?.map(text), ['kept'])
})

await t.test('the file stays small while records are removed', async (t) => {
  const path = newPath(t)
  const log = await openLog(t, { path })
  const payload = new Uint8Array(500_000)
  for (let i = 0; i < 120; i++) {
    await log.append([{ partition: 0, payload }])
    if (i % 4 === 3) await log.trim(0, await log.end(0))
  }
  for (let i = 0; i < 30; i++) await log.ping()
  t.ok(
    statSync(join(path, 'data.mdb')).size < 15_000_000,
    `${statSync(join(path, 'data.mdb')).size} bytes for 60 MB`,
  )
})

await t.test('two processes write at the same time', async (t) => {
  const path = newPath(t)
  const log = await openLog(t, { path })
  const count = 400
  const writers = ['a', 'b'].map((name) => startWriter([path, 'some', name, `${count}`]))
  t.teardown(() => writers.forEach((writer) => void writer.process.kill('SIGKILL')))
  const seen: { id: string; partition: number; offset: number }[] = []
  await consumeUntil(log, OPTIONS, {
    handle: async (partition, records) => {
      for (const r of records) seen.push({ id: text(r), partition, offset: r.offset })
    },
    done: () => seen.length >= 2 * count,
  })
  await Promise.all(writers.map((writer) => writer.gone))
  t.equal(new Set(seen.map((r) => r.id)).size, 2 * count, 'every id')
  t.equal(new Set(seen.map((r) => `${r.partition}/${r.offset}`)).size, 2 * count, 'every offset once')
  t.equal(seen.length, 2 * count)
  t.ok(seen.every((r) => Number(r.id.split('-')[1]) % 3 === r.partition))
  for (const name of ['a', 'b'])
    for (let lane = 0; lane < 8; lane++) {
      const mine = seen.filter((r) => r.id.startsWith(name) && Number(r.id.split('-')[1]) % 8 === lane)
      for (let partition = 0; partition < 3; partition++) {
        const numbers = mine.filter((r) => r.partition === partition).map((r) => Number(r.id.split('-')[1]))
        t.same(
          numbers,
          numbers.toSorted((x, y) => x - y),
          'an appender that waits keeps its order',
        )
      }
    }
  t.equal([...(await readAll(log, 'identity')).values()].flat().length, 2 * count)
})

await t.test('acknowledged records survive kill -9', async (t) => {
  const path = newPath(t)
  const log = await openLog(t, { path })
  const random = seededRandom(SEED)
  let acknowledged = 0
  let position = [0, 0, 0]
  for (let round = 0; round < 4; round++) {
    const writers = ['a', 'b'].map((name) => startWriter([path, 'forever', `${name}${round}`]))
    await Promise.all(writers.map((writer) => writer.wrote('open')))
    await pause(60 + random() * 120)
    for (const writer of writers) writer.process.kill('SIGKILL')
    await Promise.all(writers.map((writer) => writer.gone))
    const ids = writers.flatMap((writer) => writer.lines.filter((line) => line !== 'open'))
    acknowledged += ids.length
    const from = position
    const records = await readAll(log, 'events', (p) => from[p] ?? 0)
    const found = [0, 1].map((p) => (records.get(p) ?? []).map((r) => text(r).split(' ')[0] ?? ''))
    const sets = found.map((list) => new Set(list))
    t.same(
      ids.filter((id) => !sets[0]?.has(id) || !sets[1]?.has(id)),
      [],
      'none is missing',
    )
    t.same(found[0]?.toSorted(), found[1]?.toSorted(), 'every request is in both partitions or in none')
    t.equal(sets[0]?.size, found[0]?.length, 'each once')
    position = [await log.end(0), await log.end(1), await log.end(2)]
    for (const p of [0, 1, 2]) await log.trim(p, position[p] ?? 0)
  }
  t.ok(acknowledged > 100, `${acknowledged} requests`)
})

await t.test('a thread of the same process reads and removes', async (t) => {
  const path = newPath(t)
  const log = await openLog(t, { path })
  const count = 600
  const worker = new Worker(new URL('../../test/support/consumer-thread.js', import.meta.url), {
    workerData: { path, expected: count },
  })
  t.teardown(() => worker.terminate())
  const answer = once(worker, 'message')
  const ids = Array.from({ length: count }, (_, i) => `${i}`)
  await Promise.all(
    ids.map((id, i) =>
      log.append([{ partition: i % 3, payload: Buffer.from(id.padEnd(i % 10 === 0 ? 100_000 : 16)) }]),
    ),
  )
  const [seen] = (await answer) as [string[]]
  await once(worker, 'exit')
  t.same(seen.toSorted(), ids.toSorted())
  await log.append([record(0, 'after the thread has closed its side')])
  t.equal((await readEvents(log)).get(0)?.length, 1)
})

await t.test('a full disk refuses requests, and removing records makes room', async (t) => {
  const path = newPath(t)
  const writer = startWriter([path, 'disk-full'], 'ulimit -f 20000')
  await writer.gone
  t.equal(writer.process.exitCode, 0)
  const full = Number(writer.lines.find((line) => line.startsWith('full after'))?.split(' ')[2])
  t.ok(full >= 5 && full <= 10, `${full} megabytes went in`)
  t.equal(writer.lines.filter((line) => line === `end ${full}`).length, 1, 'the refused request left nothing')
  const last = Number(writer.lines.at(-1)?.split(' ')[1])
  t.ok(last === full + 3 || last === full + 4, `the end is ${last}`)
})

await t.test('appending stops before the disk is full', async (t) => {
  const path = newPath(t)
  const log = await openLog(t, { path })
  await log.append([{ partition: 0, payload: new Uint8Array(3_000_000) }])
  const strict = await openLog(t, { path, reserveBytes: Number.MAX_SAFE_INTEGER })
  await t.rejects(strict.append([record(0, 'x')]), { name: 'LogUnavailableError', message: /bytes are left/ })
  await t.rejects(strict.ping(), LogUnavailableError)
  await strict.trim(0, 1)
  t.equal(
    (await readEvents(log)).get(0)?.length,
    0,
    'what was refused is not there, what was released is gone',
  )
})

await t.test('an error between two writes undoes the first', async (t) => {
  const log = await openLog(t)
  await log.append([record(0, 'before')])
  const end = await log.end(0)
  // LMDB refuses this record. The compiler and the codec would not let it through, so the test forces it.
  const impossible = { length: 3 } as unknown as Uint8Array
  await t.rejects(
    log.append([
      record(0, 'torn'),
      { partition: 1, payload: impossible },
      { partition: 2, payload: new Uint8Array(20_000) },
    ]),
    LogUnavailableError,
  )
  t.equal(await log.end(0), end)
  await log.append([record(0, 'after'), record(0, 'it')])
  t.same((await readEvents(log)).get(0)?.map(text), ['before', 'after', 'it'])
  t.same((await readEvents(log)).get(2), [])
})

await t.test('append refuses at once over the limit of bytes in flight', async (t) => {
  const log = await openLog(t, { maxBytesInFlight: 1_000_000 })
  const payload = new Uint8Array(400_000)
  const appends = [1, 2, 3, 4].map(() => log.append([{ partition: 0, payload }]))
  const results = await Promise.allSettled(appends)
  t.same(
    results.map((r) => r.status),
    ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
  )
  t.ok(results[2]?.status === 'rejected' && results[2].reason instanceof LogUnavailableError)
  await log.append([{ partition: 0, payload }])
  t.equal((await readEvents(log)).get(0)?.length, 3)
})

await t.test(
  'while another process holds the lock, appends are refused, and they work again after its end',
  async (t) => {
    const path = newPath(t)
    // By an appender with patience, because a machine may stall while it writes.
    await (await openLog(t, { path })).append([record(0, 'before')])
    const log = await openLog(t, { path, patienceMs: 200 })
    const holder = startWriter([path, 'hold'])
    t.teardown(() => holder.process.kill('SIGKILL'))
    await holder.wrote('holding')
    const started = performance.now()
    await t.rejects(log.append([record(0, 'refused')]), LogUnavailableError)
    await t.rejects(
      log.append([record(0, 'refused')]),
      LogUnavailableError,
      'at once, the log is known not to answer',
    )
    await t.rejects(log.ping(), LogUnavailableError)
    t.ok(performance.now() - started < 30_000)
    t.same(await log.end(0), 1, 'reading goes on')
    holder.process.kill('SIGKILL')
    await holder.gone
    await appendWhenBack(log)
    t.same((await readEvents(log)).get(0)?.map(text), ['before', 'after'])
  },
)

await t.test('damage is reported and never skipped', async (t) => {
  const path = newPath(t)
  const log = await openLog(t, { path })
  await log.append([record(0, 'a'), record(0, 'b')])
  await t.rejects(
    log.consume(OPTIONS, { assigned: async () => 3, handle: async () => {} }, new AbortController().signal),
    { name: 'LogError', code: 'damaged', message: /read from offset 3, and the log ends at/ },
  )
  const database = open<Uint8Array, Uint8Array>({
    path,
    noSubdir: false,
    overlappingSync: false,
    encoding: 'binary',
    keyEncoding: 'binary',
  })
  await database.put(groupKey(0, 0, 2), Buffer.from('garbage'))
  const revoked: number[] = []
  await t.rejects(
    log.consume(
      OPTIONS,
      { assigned: async () => 0, handle: async () => {}, revoked: (p) => void revoked.push(p) },
      new AbortController().signal,
    ),
    { code: 'damaged' },
  )
  t.same(revoked.sort(), [0, 1, 2], 'all partitions end')
  await database.close()
})

async function appendWhenBack(log: EventLog): Promise<void> {
  const before = await log.end(0)
  for (const end = performance.now() + 20_000; ; ) {
    try {
      return await log.append([record(0, 'after')])
    } catch (error) {
      if (performance.now() > end) throw error
      await pause(20)
      // Its patience ended before the transaction did.
      if (error instanceof LogOutcomeUnknownError) await pause(2_000)
      if ((await log.end(0)) > before) return
    }
  }
}
