import fc from 'fast-check'
import t from 'tap'
import type { PartitionProgress } from '../../../postgres/tables/log-progress.js'
import { isSamePosition, isWithin, LogPositionReader } from '../log-position.js'

const LOG = '0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e'
const SLACK_MS = 30_000
const row = (
  partition: number,
  doneOffset: number,
  openTo: number | null,
  through: number | null,
): PartitionProgress => ({
  logId: LOG,
  partition,
  doneOffset,
  openTo,
  watermark: through === null ? null : new Date(through),
  drained: false,
  logCreatedAt: new Date(1_000_000),
})

t.test('a watermark published with an open block counts once the block is done', (t) => {
  const reader = new LogPositionReader()
  const at = 9_000_000
  t.equal(reader.next([row(0, 10, 20, 5_000_000)], at), undefined, 'it may lie beyond the mark')
  t.equal(reader.next([row(0, 15, 20, 5_500_000)], at), undefined)
  const first = reader.next([row(0, 20, 30, 6_000_000)], at)
  t.match(first, { since: 5_000_000 - SLACK_MS, logs: new Map([[LOG, [20]]]) })
  t.match(reader.next([row(0, 30, 40, 7_000_000)], at), { since: 6_000_000 - SLACK_MS })
  t.match(reader.next([row(0, 40, null, 8_000_000)], at), { since: 8_000_000 - SLACK_MS })
  t.match(reader.next([row(0, 40, null, 8_500_000)], at), { since: 8_500_000 - SLACK_MS })
  t.end()
})

t.test('no later event was received before the time of the position', (t) => {
  // Blocks of a partition are received in order. Each is announced, stored, published and marked, with any
  // number of reads in between.
  const look = fc.boolean()
  const block = fc.record({
    records: fc.integer({ min: 1, max: 5 }),
    looks: fc.tuple(look, look, look, look),
  })
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 12 }), (blocks) => {
      const reader = new LogPositionReader()
      const received = new Map<number, number>()
      let progress = row(0, 0, null, 0)
      let offset = 0
      let time = 10_000_000
      const positions: { done: number; since: number }[] = []
      const see = (wanted: boolean): void => {
        const position = wanted ? reader.next([progress], 99_000_000) : undefined
        if (position !== undefined)
          positions.push({ done: position.logs.get(LOG)?.[0] ?? 0, since: position.since + SLACK_MS })
      }
      for (const { records, looks } of blocks) {
        const end = offset + records
        for (let at = offset; at < end; at++) {
          time += 1_000
          received.set(at, time)
        }
        progress = { ...progress, openTo: end, doneOffset: offset }
        see(looks[0])
        see(looks[1])
        // Stored: consumers publish that before the mark.
        progress = { ...progress, watermark: new Date(time) }
        see(looks[2])
        if (looks[3]) progress = { ...progress, doneOffset: end, openTo: null }
        see(looks[3])
        offset = end
      }
      for (const { done, since } of positions)
        for (const [at, when] of received) if (at >= done && when <= since) return false
      return true
    }),
  )
  t.end()
})

t.test('a drained log is part of the position and delays nothing', (t) => {
  const reader = new LogPositionReader()
  const drained = { ...row(0, 7, 9, null), drained: true }
  t.match(reader.next([drained], 5_000_000), { since: 5_000_000 - SLACK_MS, logs: new Map([[LOG, [7]]]) })
  t.equal(reader.next([], 6_000_000)?.logs.size, 0, 'before the first log')
  t.end()
})

t.test('a position can be compared with another one', (t) => {
  const of = (...offsets: number[]) => ({ at: 0, since: 0, logs: new Map([[LOG, offsets]]) })
  const none = { at: 0, since: 0, logs: new Map<string, number[]>() }
  t.ok(isWithin(of(1, 2), of(1, 2)))
  t.ok(isWithin(none, of(1)))
  t.notOk(isWithin(of(1), none))
  t.notOk(isWithin(of(2, 1), of(1, 2)))
  t.notOk(isWithin(of(0, 0, 1), of(5, 5)), 'a partition that the other does not have')
  t.ok(isSamePosition(of(1, 2), { ...of(1, 2), at: 5, since: 5 }))
  t.notOk(isSamePosition(of(1), of(2)))
  t.end()
})
