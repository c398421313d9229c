/**
 * Preloaded into every process of the service under test. Its wall clock is the machine's plus the
 * milliseconds in the file CHAOS_CLOCK. Timers follow the steady clock, as on a machine whose clock is set.
 * Its fault point is the one in a file of the folder CHAOS_POINTS, by the name of its instance.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

const LOOK_MS = 20
const file = process.env.CHAOS_CLOCK ?? ''
const RealDate = Date
const realNow = Date.now.bind(Date)
let offsetMs = 0
let lookedAt = Number.NEGATIVE_INFINITY

const now = (): number => {
  if (performance.now() - lookedAt > LOOK_MS) {
    lookedAt = performance.now()
    offsetMs = Number(readFileSync(file, 'utf8'))
  }
  return realNow() + offsetMs
}

RealDate.now = now
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  apply: () => new RealDate(now()).toString(),
})

const point = join(process.env.CHAOS_POINTS ?? '', process.env.SVC_INSTANCE ?? 'all')
if (isMainThread) {
  if (!existsSync(point)) writeFileSync(point, '')
  process.env.SVC_FAULT_POINT = `@${point}`
}
