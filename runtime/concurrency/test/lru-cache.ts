import fc from 'fast-check'
import t from 'tap'
import { LruCache } from '../lru-cache.js'

t.test('the least recently used entry is evicted first', (t) => {
  const cache = new LruCache<number>(10_000)
  for (let i = 0; i < 10; i++) cache.set(`k${i}`, i, 750)
  t.equal(cache.get('k0'), 0)
  cache.set('one more', 10, 750)
  t.equal(cache.get('k0'), 0)
  t.equal(cache.get('k1'), undefined)
  t.equal(cache.get('one more'), 10)
  t.end()
})

t.test('a cache stays within its bytes and returns the latest value', (t) => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    bytes: fc.integer({ min: 0, max: 1_200 }),
    remove: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const cache = new LruCache<number>(4_000)
      const last = new Map<string, number>()
      steps.forEach(({ key, bytes, remove }, index) => {
        last.delete(key)
        if (remove) cache.delete(key)
        else {
          cache.set(key, index, bytes)
          last.set(key, index)
        }
        const found = cache.get(key)
        if (found !== undefined && found !== last.get(key)) throw new Error(`${key} is ${found}`)
        if (cache.bytes > 4_000 || cache.bytes < 0) throw new Error(`${cache.bytes} bytes`)
      })
      for (const key of last.keys()) cache.delete(key)
      return cache.bytes === 0
    }),
  )
  t.end()
})

t.test('an entry larger than a tenth of the cache is not stored', (t) => {
  const cache = new LruCache<string>(10_000)
  cache.set('big', 'x', 1_000)
  t.equal(cache.get('big'), undefined)
  t.equal(cache.bytes, 0)
  t.end()
})
