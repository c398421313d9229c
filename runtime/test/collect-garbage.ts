import t from 'tap'
import { quietAfterWork } from '../collect-garbage.js'

t.test('a thread is quiet again once after each time of work, its start included', async (t) => {
  const isQuietAgain = quietAfterWork()
  const uses = [0.9, 0.04, 0, 0.06, 0.5, 0.01, 0.01]
  t.same(uses.map(isQuietAgain), [false, true, false, false, false, true, false])
  t.equal(quietAfterWork()(0), true)
})
