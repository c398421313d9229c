import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { deadlineSignal } from '../deadline-signal.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

t.test('a deadline held only by a combined signal fires, also after garbage collection', async (t) => {
  const joined = deadlineSignal(200, new AbortController().signal)
  const aborted = new Promise<string>((resolve) =>
    joined.addEventListener('abort', () => resolve((joined.reason as Error).name), { once: true }),
  )
  const collecting = setInterval(collect, 20)
  t.equal(await Promise.race([aborted, delay(20_000, 'never')]), 'TimeoutError')
  clearInterval(collecting)
  t.equal(deadlineSignal(60_000).aborted, false)
  const first = new Error('first')
  t.equal(deadlineSignal(60_000, AbortSignal.abort(first)).reason, first)
})
