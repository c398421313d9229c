import fc from 'fast-check'
import t from 'tap'
import { monthOf } from '../month.js'
import { openEngine } from './support/chdb.js'

t.test('a month ends at its last millisecond, also at the end of a year', async (t) => {
  t.equal(monthOf(Date.UTC(2026, 10, 30, 23, 59, 59, 999)), 202611)
  t.equal(monthOf(Date.UTC(2026, 11, 1)), 202612)
  t.equal(monthOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999)), 202612)
  t.equal(monthOf(Date.UTC(2027, 0, 1)), 202701)
})

const times = fc.integer({ min: 0, max: Date.UTC(2261, 11, 31) })

t.test('equals ClickHouse’s toYYYYMM', async (t) => {
  const engine = openEngine()
  t.teardown(() => engine.close())
  const sample = fc.sample(times, 200)
  const rows = engine.rows(
    `SELECT toYYYYMM(fromUnixTimestamp64Milli(toInt64(arrayJoin([${sample}])), 'UTC'))`,
  )
  t.same(
    rows.map((row) => Number(row[0])),
    sample.map(monthOf),
  )
})
