import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startFaultProxy } from '../../test/support/network/fault-proxy.js'
import { outputOf } from '../../test/support/output.js'
import { call, until } from '../../test/support/service.js'
import { MAIN } from './support/run.js'
import { startWorkspace, type Workspace } from './support/workspace.js'

/** A running tail and its output. */
function startTail(t: Test, workspace: Workspace, api: string, args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, 'events', 'tail', '--json', ...args], {
    env: { ...workspace.environment, SVC_API_URL: api },
  })
  t.teardown(() => child.kill('SIGKILL'))
  const said = outputOf(child)
  const names = (): string[] =>
    said.out
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { event: string }).event)
  return {
    names,
    said: () => said.err,
    shows: (count: number) =>
      until(
        () => Promise.resolve(names()),
        (seen) => seen.length >= count,
      ),
    async interrupt(): Promise<number | null> {
      child.kill('SIGINT')
      return said.ended
    },
  }
}

t.test('events are watched as they arrive', async (t) => {
  const workspace = await startWorkspace()
  t.teardown(() => workspace.stop())
  const { service } = workspace
  const send = async (...names: readonly string[]): Promise<void> => {
    const events = names.map((event) => ({ event, userId: 'u' }))
    const { status } = await call(service.keys.serverKey, 'POST', `${service.ingest}/v1/events`, { events })
    if (status !== 202) throw new Error(`sending was answered ${status}`)
  }
  const { hostname, port } = new URL(service.api)

  await t.test('earlier and new events are shown once each, also across a reconnect', async (t) => {
    await send('before')
    await until(
      () => workspace.sh('svc events list --json'),
      ({ out }) => out.includes('before'),
    )
    const proxy = await startFaultProxy({ host: hostname, port: Number(port) })
    t.teardown(() => proxy.close())
    const tail = startTail(t, workspace, `http://127.0.0.1:${proxy.port}`, [])
    await tail.shows(1)
    await send('first', 'second')
    await tail.shows(3)
    const asked = proxy.connections
    await send('third')
    await tail.shows(4)
    t.equal(proxy.connections, asked, 'nothing is asked again while the stream goes on')
    await proxy.set('refuse')
    await until(
      () => Promise.resolve(tail.said()),
      (said) => said.includes('the connection broke'),
    )
    await send('meanwhile')
    await proxy.set('pass')
    await tail.shows(5)
    await send('afterwards')
    t.same(await tail.shows(6), ['before', 'first', 'second', 'third', 'meanwhile', 'afterwards'])
    t.equal(await tail.interrupt(), 0)
  })

  await t.test('--event filters the list, --count ends it, and a timeout fails', async (t) => {
    const tail = startTail(t, workspace, service.api, ['--event', 'wanted', '--lines', '0'])
    await until(
      async () => {
        await send('other', 'wanted')
        return tail.names()
      },
      (names) => names.length >= 2,
    )
    t.notOk(tail.names().includes('other'))
    t.equal(await tail.interrupt(), 0)
    t.match(await workspace.sh('svc events tail --event wanted --lines 1 --count 1 --json'), {
      code: 0,
      out: /"event":"wanted"/,
    })
    t.match(await workspace.sh('svc events tail --event never --count 1 --timeout 1'), {
      code: 1,
      err: /0 of 1 events were seen in 1 s/,
    })
    t.match(await workspace.sh('svc events tail', { SVC_API_KEY: 'tsk_api_wrong' }), { code: 3 })
  })

  await t.test('without a stream events are listed again and again', async (t) => {
    const old = createServer((incoming, answer) => {
      if (incoming.url?.startsWith('/v1/events/live')) {
        answer.writeHead(404, { 'content-type': 'application/json' })
        answer.end('{"code":"NOT_FOUND","message":"not here","requestId":"r","details":[]}')
        return
      }
      const { method = 'GET', headers, url = '/' } = incoming
      request(`${service.api}${url}`, { method, headers }, (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(answer)
      }).end()
    })
    old.listen(0, '127.0.0.1')
    await once(old, 'listening')
    t.teardown(() => old.close())
    const { port } = old.address() as AddressInfo
    const tail = startTail(t, workspace, `http://127.0.0.1:${port}`, ['--lines', '0', '--event', 'listed'])
    await until(
      async () => {
        await send('listed')
        return tail.names()
      },
      (names) => names.length >= 2,
    )
    t.equal(await tail.interrupt(), 0)
  })

  await t.test('an export goes on where its connections broke', async (t) => {
    const proxy = await startFaultProxy({ host: hostname, port: Number(port) })
    t.teardown(() => proxy.close())
    const { sh, folder } = workspace
    for (let batch = 0; batch < 12; batch++)
      await send(...Array.from({ length: 500 }, (_, index) => `exported_${batch}_${index}`))
    for (const format of ['ndjson', 'csv']) {
      await proxy.set('pass')
      t.match(await sh(`svc events export - --format ${format} > whole.${format}`), { code: 0, err: '' })
      const whole = readFileSync(join(folder, `whole.${format}`), 'utf8')
      t.ok(whole.length > 600_000, `${whole.length} characters`)
      const asked = proxy.connections
      await proxy.set({ cutAfterBytes: 250_000 })
      const throughProxy = { SVC_API_URL: `http://127.0.0.1:${proxy.port}` }
      t.match(await sh(`svc events export cut.${format} --json`, throughProxy), { code: 0 })
      t.equal(readFileSync(join(folder, `cut.${format}`), 'utf8'), whole)
      t.ok(proxy.connections > asked + 1, 'several connections')
    }
    await proxy.set({ cutAfterBytes: 50_000 })
    t.match(await sh('svc events export cut.parquet', { SVC_API_URL: `http://127.0.0.1:${proxy.port}` }), {
      code: 1,
      err: /connection|cut|socket|aborted/,
    })
    t.match(await sh('svc events export events.parquet --json'), { code: 0, out: /"format":"parquet"/ })
    t.equal(readFileSync(join(folder, 'events.parquet')).subarray(-4).toString(), 'PAR1')
    t.match(await sh('svc events export events.xml --format xml'), { code: 2, err: /ndjson, csv or parquet/ })
  })
})
