import t, { type Test } from 'tap'
import { type Deployment, deployEmbedded } from '../deployment.js'
import type { Unreachable } from '../python-packages.js'
import { call, countOf, until } from '../service.js'
import { eventNameOf, type ForeignClient } from './clients.js'
import { startCuttingProxy } from './cutting-proxy.js'

const EVENTS = 10_000

/** Every event of published clients is stored once, though connections are cut. */
export function testForeignClients(
  language: string,
  install: () => Promise<readonly ForeignClient[] | Unreachable>,
): void {
  t.test(`other products' clients for ${language} lose nothing`, { timeout: 900_000 }, async (t) => {
    const clients = await install()
    if ('unreachable' in clients) {
      t.pass('they cannot be had', { skip: `optional: ${clients.unreachable}` })
      return
    }
    const service = await deployEmbedded(t)
    for (const client of clients)
      await t.test(client.name, { timeout: 600_000 }, (t) => testClient(t, service, client))
  })
}

async function testClient(t: Test, service: Deployment, client: ForeignClient): Promise<void> {
  const proxy = await startCuttingProxy(service.ingest)
  t.teardown(() => proxy.close())
  await client.track({ address: proxy.address, key: service.keys.serverKey, count: EVENTS })
  await service.settled()
  const name = eventNameOf(client.name)
  // The last block may be announced and not yet stored.
  const stored = await until(
    () => countOf(service.api, service.keys.apiKey, name),
    (count) => count >= EVENTS,
  )
  t.equal(stored, EVENTS, 'as many as were tracked')
  const steps = [{ eventName: name }, { eventName: 'never' }]
  const { body } = await call(service.keys.apiKey, 'POST', `${service.api}/v1/funnel/query`, { steps })
  t.match(body, { entered: EVENTS }, 'of as many users: each once')
  t.ok(proxy.cuts() > 5, `${proxy.cuts()} connections were cut`)
}
