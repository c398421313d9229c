import t from 'tap'
import { combineSignals } from '../combine-signals.js'

t.test('any of several signals ends a piece of work, or its time', async (t) => {
  const one = new AbortController()
  const joined = combineSignals([undefined, one.signal, new AbortController().signal], 60_000)
  t.equal(joined.signal.aborted, false)
  one.abort('because')
  t.equal(joined.signal.reason, 'because')
  joined.release()
  t.equal(combineSignals([AbortSignal.abort('before')]).signal.reason, 'before')
  const late = combineSignals([], 1)
  await new Promise((resolve) => late.signal.addEventListener('abort', resolve))
  t.match(late.signal.reason, { name: 'TimeoutError' })
})

t.test('a released signal is not aborted any more', (t) => {
  const one = new AbortController()
  const { signal, release } = combineSignals([one.signal])
  release()
  one.abort()
  t.equal(signal.aborted, false)
  t.end()
})
