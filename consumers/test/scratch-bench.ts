import { randomUUID } from 'node:crypto'
import type { StoredRecord } from '../../log/port.js'
import { readHeader } from '../../log/record.js'
import { correctRows } from '../correct.js'
import { DedupSet, PendingHashes } from '../dedup-set.js'
import { deduplicateRows, rememberRows } from '../deduplicate.js'
import { readRecords, readRows } from '../read.js'
import { event, NOON, request } from './support/events.js'

const N = 150
const props = JSON.stringify({
  path: '/pricing',
  title: 'x'.repeat(60),
  a: 1.5,
  b: true,
  list: [1, 2, 3],
  ref: 'y'.repeat(120),
  plan: 'pro',
})
console.log('props', props.length)
const batches: StoredRecord[][] = []
let offset = 0
for (let b = 0; b < 6; b++) {
  const records: StoredRecord[] = []
  for (let i = 0; i < N; i++) {
    const events = []
    for (let j = 0; j < 500; j++)
      events.push(
        event({
          properties: props,
          userId: undefined as never,
          anonymousId: `anon-${i}-${j}`,
          insertId: Math.random() < 0.9 ? randomUUID() : undefined,
          timestamp: NOON - j * 1000,
        }),
      )
    const [r] = request(events, { sentAt: NOON - 5000 })
    if (r) records.push({ offset: offset++, payload: r.payload })
  }
  batches.push(records)
}
const seen = new DedupSet()
const pending = new PendingHashes()
const cpu = () => {
  const u = process.cpuUsage()
  return u.user + u.system
}
for (const records of batches) {
  const t0 = cpu()
  const block = readRecords(records, 0, 1e9)
  pending.reset(block.rowLimit)
  const t1 = cpu()
  const t2 = t1
  for (const r of block.records) {
    readRows(block, r)
    correctRows(block, r)
    deduplicateRows(block, r, seen, pending)
  }
  const t3 = cpu()
  for (const r of block.records) rememberRows(block, r, seen)
  const t4 = cpu()
  const c = block.chunks()
  const counts = block.counts()
  const t5 = cpu()
  const n = block.rowCount
  console.log({
    rows: n,
    read: (t1 - t0) / n,
    correct: (t2 - t1) / n,
    dedup: (t3 - t2) / n,
    remember: (t4 - t3) / n,
    chunks: (t5 - t4) / n,
    k: c.chunks.length,
    counts,
    seen: seen.size,
  })
}
const p = batches[0]?.[0]?.payload as Uint8Array
const t = cpu()
for (let i = 0; i < 100000; i++) readHeader(p)
console.log('readHeader us', (cpu() - t) / 100000)
