import t from 'tap'
import { pause } from '../pause.js'

t.test('a pause ends after its time', async (t) => {
  const before = performance.now()
  await pause(20, new AbortController().signal)
  t.ok(performance.now() - before >= 15)
})

t.test('a pause ends when its signal aborts, also if it has aborted before', async (t) => {
  const abort = new AbortController()
  const paused = pause(60_000, abort.signal)
  abort.abort()
  await paused
  await pause(60_000, abort.signal, { ref: false })
  t.ok(abort.signal.aborted)
})
