import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { waitUntil } from '../../../test/support/wait-until.js'
import type { EventLog } from '../../port.js'
import { consumeUntil, OPTIONS, record, text } from '../../test/support/contract.js'
import { Ticker } from '../consume.js'
import { openEmbeddedLog } from '../log.js'

const warnings: { fields: object; message: string }[] = []

async function openLog(t: Test): Promise<EventLog> {
  const path = mkdtempSync(join(tmpdir(), 'svc-log-'))
  const log = await openEmbeddedLog({
    path,
    partitions: 2,
    identityPartitions: 1,
    pollMs: 5,
    logger: { warn: (fields, message) => void warnings.push({ fields, message }) },
  })
  t.teardown(async () => {
    await log.close()
    rmSync(path, { recursive: true })
  })
  return log
}

t.test('pauses double from 100 ms, and are short again after a success', async (t) => {
  const log = await openLog(t)
  await log.append([record(0, 'x')])
  const calls: number[] = []
  warnings.length = 0
  let good = 0
  await consumeUntil(log, OPTIONS, {
    assigned: async () => good,
    handle: async () => {
      calls.push(performance.now())
      if (calls.length === 4) {
        good = 1
        await log.append([record(0, 'y')])
      } else if (calls.length < 6) throw new Error('the store is down')
    },
    done: () => calls.length === 6,
  })
  const pauses = calls.slice(1).map((at, i) => at - (calls[i] ?? 0))
  const expected = [100, 200, 400, 0, 100]
  for (const [i, least] of expected.entries())
    t.ok((pauses[i] ?? 0) >= least - 2, `pause ${i}: ${pauses[i]} ms`)
  t.same(
    warnings.map((w) => (w.fields as { pauseMs: number }).pauseMs),
    [100, 200, 400, 100],
  )
  t.match(warnings[0], { fields: { partition: 0, err: { message: 'the store is down' } } })
})

t.test('a failing partition does not stop the others', async (t) => {
  const log = await openLog(t)
  const seen: string[] = []
  const consuming = consumeUntil(log, OPTIONS, {
    handle: async (partition, records) => {
      if (partition === 0) throw new Error('broken')
      seen.push(...records.map(text))
    },
    done: () => seen.length === 10,
  })
  for (let i = 0; i < 10; i++) await log.append([record(0, 'x'), record(1, `${i}`)])
  await consuming
  t.equal(seen.length, 10)
})

t.test('a handler that never waits leaves time on the thread to other work', async (t) => {
  const log = await openLog(t)
  await log.append(Array.from({ length: 2_000 }, (_, i) => record(0, `${i}`)))
  let seen = 0
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  await consumeUntil(
    log,
    { ...OPTIONS, maxBatchBytes: 1 },
    {
      handle: async (_, records) => {
        seen += records.length
      },
      done: () => seen === 2_000,
    },
  )
  clearInterval(timer)
  t.ok(ticks > 2, `${ticks} ticks`)
})

t.test('an appended record is seen within a few polls', async (t) => {
  const log = await openLog(t)
  const delays: number[] = []
  let sentAt = 0
  const consuming = consumeUntil(log, OPTIONS, {
    handle: async () => void delays.push(performance.now() - sentAt),
    done: () => delays.length === 20,
  })
  for (let i = 0; i < 20; i++) {
    sentAt = performance.now()
    await log.append([record(0, `${i}`)])
    await waitUntil(() => delays.length > i)
  }
  await consuming
  // A busy machine may be late with most of them.
  t.ok(Math.min(...delays) < 400, `${delays} ms`)
})

/** Long enough to end a test that waits for it. */
const NEVER_MS = 3_600_000

t.test('an idle consumer watches the file and wakes at every change', async (t) => {
  const file = join(t.testdir(), 'data')
  writeFileSync(file, '')
  const ticker = new Ticker(1, file, NEVER_MS)
  t.teardown(() => ticker.close())
  const other = join(t.testdir(), 'other')
  writeFileSync(other, '')
  const watcher = watch(other)
  t.teardown(() => watcher.close())
  /** Resolves after the earlier changes of files have been announced, because they come in order. */
  const watched = async (): Promise<void> => {
    const changed = once(watcher, 'change')
    appendFileSync(other, 'x')
    await changed
  }
  for (let tick = 0; tick < 50; tick++) await ticker.next()
  for (let change = 0; change < 3; change++) {
    let woken = false
    const next = ticker.next().then(() => {
      woken = true
    })
    await watched()
    t.notOk(woken, 'nothing has changed')
    appendFileSync(file, 'x')
    await next
  }
  appendFileSync(file, 'x')
  await watched()
  await ticker.next()
  ticker.busy()
  for (let tick = 0; tick < 10; tick++) await ticker.next()
})

t.test('a consumer that cannot watch the file continues to poll', async (t) => {
  const ticker = new Ticker(1, join(t.testdir(), 'nowhere'), NEVER_MS)
  for (let tick = 0; tick < 120; tick++) await ticker.next()
  t.end()
})
