import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Counter, Registry } from 'prom-client'
import t from 'tap'
import { startAdminServer } from '../admin-server.js'
import type { Check, Stage } from '../stage.js'
import { readVersion } from '../version.js'

function stage(name: Stage['name'], checks: () => Promise<readonly Check[]>, count: number): Stage {
  const registry = new Registry()
  new Counter({ name: 'svc_things_total', help: 'Things.', registers: [registry] }).inc(count)
  return { name, url: undefined, checks, metrics: () => registry.getMetricsAsJSON(), stop: async () => {} }
}

t.test('health, readiness with what is down, and metrics added up over processes', async (t) => {
  let down = false
  const stages = [
    stage('ingest', async () => [{ name: 'log', ok: true, message: '' }], 2),
    stage('api', async () => [{ name: 'postgres', ok: !down, message: down ? 'refused' : '' }], 3),
  ]
  const server = await startAdminServer({ host: '127.0.0.1', port: 0, stages: () => stages })
  t.teardown(() => server.stop())
  const get = async (path: string): Promise<{ status: number; text: string }> => {
    const response = await fetch(server.url + path)
    return { status: response.status, text: await response.text() }
  }
  t.same(JSON.parse((await get('/healthz')).text), { status: 'ok', version: readVersion() })
  t.equal((await get('/readyz')).status, 200)
  down = true
  const notReady = await get('/readyz')
  t.equal(notReady.status, 503)
  t.match(JSON.parse(notReady.text), { down: ['postgres'], status: 'not ready' })
  t.equal((await get('/healthz')).status, 200, 'alive all the same')
  t.match((await get('/metrics')).text, /^svc_things_total 5$/m)
  stages.push(stage('consumers', () => Promise.reject(new Error('being started again')), 0))
  const restarting = await get('/readyz')
  t.equal(restarting.status, 503, 'a stage that does not answer is not ready')
  t.match(JSON.parse(restarting.text), { down: ['postgres', 'consumers'] })
  t.equal((await get('/nothing')).status, 404)
  t.equal((await fetch(`${server.url}/metrics`, { method: 'POST' })).status, 405)
})

t.test(
  'slow heads, slow bodies and silent connections are closed; idle ones live as long as promised',
  async (t) => {
    const server = await startAdminServer({
      host: '127.0.0.1',
      port: 0,
      stages: () => [],
      requestTimeoutMs: 1_000,
    })
    t.teardown(() => server.stop())
    const open = async () => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      socket.on('error', () => {})
      socket.setEncoding('latin1')
      let text = ''
      socket.on('data', (data) => {
        text += data
      })
      await once(socket, 'connect')
      return { socket, text: () => text }
    }
    const slow = [
      '',
      'GET /healthz HTTP/1.1\r\n',
      'POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\na',
    ]
    await Promise.all(
      slow.map(async (bytes) => {
        const { socket } = await open()
        socket.write(bytes)
        const closed = await Promise.race([
          once(socket, 'close').then(() => true),
          pause(30_000, false, { ref: false }),
        ])
        t.ok(closed, JSON.stringify(bytes))
        socket.destroy()
      }),
    )
    const { socket, text } = await open()
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    while (!text().includes('200 OK')) await once(socket, 'data')
    await pause(3_000)
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    t.equal(text().match(/HTTP\/1.1 200/g)?.length, 2)
    t.match(text(), /^keep-alive: timeout=6\r$/im)
    t.notMatch(text(), /timeout=8/)
    socket.destroy()
  },
)
