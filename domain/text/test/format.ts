import t from 'tap'
import {
  formatChange,
  formatCount,
  formatDuration,
  formatPercent,
  formatProbability,
  pluralize,
} from '../format.js'

t.test('a percentage has one decimal, and is 0% or 100% only if exact', async (t) => {
  const cases: [number, string][] = [
    [0, '0%'],
    [0.0002, '<0.1%'],
    [0.0005, '0.1%'],
    [0.169, '16.9%'],
    [0.17, '17.0%'],
    [0.9994, '99.9%'],
    [0.9996, '>99.9%'],
    [1, '100%'],
    [1.5, '150.0%'],
  ]
  for (const [share, text] of cases) t.equal(formatPercent(share), text)
})

t.test('a probability is never certain', async (t) => {
  t.equal(formatProbability(1), '>99.9%')
  t.equal(formatProbability(0), '<0.1%')
  t.equal(formatProbability(0.95), '95.0%')
})

t.test('a change has its sign', async (t) => {
  t.equal(formatChange(0.169), '+16.9%')
  t.equal(formatChange(-0.0321), '-3.2%')
  t.equal(formatChange(0), '0%')
  t.equal(formatChange(0.0001), '<+0.1%')
  t.equal(formatChange(-0.0001), '>-0.1%')
  t.equal(formatChange(1), '+100.0%')
})

t.test('counts and durations are formatted', async (t) => {
  t.equal(formatCount(1_234_567), '1,234,567')
  t.equal(pluralize(1, 'person'), '1 person')
  t.equal(pluralize(1_204, 'person'), '1,204 persons')
  t.equal(formatDuration(400), '400ms')
  t.equal(formatDuration(2_500), '2.5s')
  t.equal(formatDuration(604_800_000), '7d')
  t.equal(formatDuration(90_061_000), '1d 1h')
})

t.test('a missing figure is a dash', async (t) => {
  for (const format of [formatPercent, formatProbability, formatChange, formatDuration])
    t.equal(format(null), '-')
})
