import t from 'tap'
import { NoAnswerError, within } from '../within.js'

t.test('waits no longer than the limit', async (t) => {
  t.equal(await within(1_000, 'x', Promise.resolve(5)), 5)
  await t.rejects(within(1_000, 'x', Promise.reject(new RangeError('own'))), RangeError)
  await t.rejects(within(5, 'a store', new Promise<void>(() => {})), NoAnswerError)
  const told: unknown[] = []
  const late = within(5, 'a store', new Promise<void>(() => {}), (error) => told.push(error))
  await t.rejects(late, { message: 'a store: no answer in 5 ms' })
  t.match(told, [NoAnswerError])
})
