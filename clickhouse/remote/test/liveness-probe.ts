import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { waitUntil } from '../../../test/support/wait-until.js'
import { ClickHouseError } from '../../port.js'
import { LivenessProbe } from '../liveness-probe.js'

interface Server {
  isThere: (server: Server) => boolean
  asked: number
}

function probeOf(server: Server, graceMs = 50): LivenessProbe {
  return new LivenessProbe({
    everyMs: 20,
    graceMs,
    ask: async () => {
      server.asked++
      await delay(10)
      if (!server.isThere(server)) throw new Error('no answer')
    },
  })
}

const never = new Promise<string>(() => {})
/** Keeps the process alive, because the probe under test does not. */
const alive = setInterval(() => {}, 1_000)
t.teardown(() => clearInterval(alive))

t.test('a slow statement may take as long as the server answers probes', async (t) => {
  const server = { isThere: () => true, asked: 0 }
  const probe = probeOf(server)
  t.equal(await probe.during(waitUntil(() => server.asked > 2).then(() => 'slow')), 'slow')
  const { asked } = server
  await delay(100)
  t.ok(server.asked <= asked + 1, 'without a waiting statement no probe is sent')
})

t.test('one missed probe is ignored, two in a row end the wait', async (t) => {
  const server: Server = { isThere: ({ asked }) => asked > 1, asked: 0 }
  const probe = probeOf(server)
  t.equal(await probe.during(waitUntil(() => server.asked > 4).then(() => 'kept')), 'kept')
  server.isThere = () => false
  await t.rejects(probe.during(never), { name: 'ClickHouseError', code: 'unavailable', retryable: true })
})

t.test('callers from before an outage are released some time after its end', async (t) => {
  const server: Server = { isThere: () => false, asked: 0 }
  const probe = probeOf(server)
  await t.rejects(probe.during(never), ClickHouseError)
  let answer = (_: string): void => {}
  const quick = probe.during(
    new Promise<string>((resolve) => {
      answer = resolve
    }),
  )
  const dead = probe.during(never)
  // It is there from the question on with which the answer comes.
  server.isThere = () => {
    answer('answered')
    return true
  }
  t.equal(await quick, 'answered')
  await t.rejects(dead, /was away/)
  const { asked } = server
  const later = waitUntil(() => server.asked > asked + 3).then(() => 'later')
  t.equal(await probe.during(later), 'later', 'nothing of it stays')
})

t.test('errors of a statement pass unchanged', async (t) => {
  const probe = probeOf({ isThere: () => true, asked: 0 })
  await t.rejects(probe.during(Promise.reject(new RangeError('mine'))), RangeError)
})
