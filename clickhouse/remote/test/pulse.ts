import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { ClickHouseFailure } from '../../port.js'
import { Pulse } from '../pulse.js'

interface Server {
  isThere: boolean
  asked: number
}

function pulseOf(server: Server, graceMs = 50): Pulse {
  return new Pulse({
    everyMs: 20,
    graceMs,
    ask: async () => {
      server.asked++
      await delay(10)
      if (!server.isThere) throw new Error('no answer')
    },
  })
}

const never = new Promise<string>(() => {})
/** What is tested does not keep a process alive. */
const alive = setInterval(() => {}, 1_000)
t.teardown(() => clearInterval(alive))

t.test('what takes its time is waited for while the server is there', async (t) => {
  const server = { isThere: true, asked: 0 }
  const pulse = pulseOf(server)
  t.equal(await pulse.during(delay(200, 'slow')), 'slow')
  t.ok(server.asked > 2, `asked ${server.asked} times`)
  const { asked } = server
  await delay(100)
  t.ok(server.asked <= asked + 1, 'nobody is asked for nobody')
})

t.test('one question missed is none, two are the end of the waiting', async (t) => {
  const server = { isThere: false, asked: 0 }
  const pulse = pulseOf(server)
  const waiting = pulse.during(delay(150, 'kept'))
  for (server.isThere = false; server.asked === 0; ) await delay(1)
  // It is asked the first time now; the second time it answers.
  await delay(11)
  server.isThere = true
  t.equal(await waiting, 'kept')
  server.isThere = false
  await t.rejects(pulse.during(never), { name: 'ClickHouseFailure', code: 'unavailable', retryable: true })
})

t.test('who waited through an absence is let go when it is over, after a while', async (t) => {
  const server = { isThere: false, asked: 0 }
  const pulse = pulseOf(server)
  await t.rejects(pulse.during(never), ClickHouseFailure)
  const quick = pulse.during(delay(60, 'answered'))
  const dead = pulse.during(never)
  server.isThere = true
  t.equal(await quick, 'answered')
  await t.rejects(dead, /was away/)
  t.equal(await pulse.during(delay(100, 'later')), 'later', 'nothing of it stays')
})

t.test('errors pass as they are', async (t) => {
  const pulse = pulseOf({ isThere: true, asked: 0 })
  await t.rejects(pulse.during(Promise.reject(new RangeError('mine'))), RangeError)
})
