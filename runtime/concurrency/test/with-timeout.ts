import t from 'tap'
import { TimeoutError, withTimeout } from '../with-timeout.js'

t.test('a wait ends at its limit', async (t) => {
  t.equal(await withTimeout(1_000, 'x', Promise.resolve(5)), 5)
  await t.rejects(withTimeout(1_000, 'x', Promise.reject(new RangeError('own'))), RangeError)
  await t.rejects(withTimeout(5, 'a store', new Promise<void>(() => {})), TimeoutError)
  const told: unknown[] = []
  const late = withTimeout(5, 'a store', new Promise<void>(() => {}), (error) => told.push(error))
  await t.rejects(late, { message: 'a store: no answer in 5 ms' })
  t.match(told, [TimeoutError])
})
