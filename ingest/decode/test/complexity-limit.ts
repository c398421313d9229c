import t from 'tap'
import { exceedsComplexity, MAX_MEMBERS } from '../complexity-limit.js'

const weigh = (value: unknown, most: number) => exceedsComplexity(Buffer.from(JSON.stringify(value)), most)

t.test('objects, arrays and keys are counted, but not characters in strings', async (t) => {
  const value = { a: [[], {}], 'b[{:\\"[[': 'x:[{\\":[[', c: 'long enough to be counted at all' }
  t.equal(weigh(value, 7), false, 'one object, three keys, two arrays, one object more')
  t.equal(weigh(value, 6), true)
})

t.test('a body is accepted up to the maximum of objects, arrays and keys', async (t) => {
  const arrays = (count: number) => Buffer.from(`${'['.repeat(count)}${']'.repeat(count)}`)
  t.equal(exceedsComplexity(arrays(MAX_MEMBERS)), false)
  t.equal(exceedsComplexity(arrays(MAX_MEMBERS + 1)), true)
  t.equal(exceedsComplexity(Buffer.alloc(8_000_000, '"')), false)
})
