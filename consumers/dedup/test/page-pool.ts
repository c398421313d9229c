import t from 'tap'
import { PAGE_BYTES, PAGE_WORDS, PagePool } from '../page-pool.js'

t.test('a released page is cleared and reused', async (t) => {
  const pool = new PagePool()
  const page = pool.acquire().fill(7)
  t.equal(page.length, PAGE_WORDS)
  t.equal(pool.idleBytes, 0)
  pool.release([page, new Int32Array(10)])
  t.equal(pool.idleBytes, PAGE_BYTES, 'arrays of another size are not kept')
  t.equal(pool.acquire(), page)
  t.ok(page.every((word) => word === 0))
})

t.test('the requested number of idle pages is freed', async (t) => {
  const pool = new PagePool()
  t.notOk(pool.trim(1))
  pool.release([0, 1, 2].map(() => new Int32Array(PAGE_WORDS)))
  t.ok(pool.trim(PAGE_BYTES + 1))
  t.equal(pool.idleBytes, PAGE_BYTES)
  t.ok(pool.trim(10 * PAGE_BYTES))
  t.equal(pool.idleBytes, 0)
})

t.test('scratch memory grows and is counted', async (t) => {
  const pool = new PagePool()
  const first = pool.scratch(100)
  t.ok(first.length >= 100)
  t.equal(pool.scratch(50), first)
  t.ok(pool.scratch(1_000).length >= 1_000)
  t.ok(pool.idleBytes >= 4_000)
})
