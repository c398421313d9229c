import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { seededRandom } from '../../bench/support/random.js'
import { SEED } from '../../test/support/cases.js'
import { type Deployment, deployEmbedded } from '../../test/support/deployment.js'
import { startFaultyProxy } from './support/faulty-proxy.js'
import { installSdk, type Language, type Sdk } from './support/sdk.js'

/** Of the service, and at least as many of each client. `SDK_KILLS=100` is the rehearsal before a release. */
const KILLS = Number(process.env.SDK_KILLS ?? 3)
const MAX_CLIENT_LIFE_MS = 600
const MAX_SERVICE_LIFE_MS = 1_500

const random = seededRandom(SEED)

/** Kills processes that track durably with one spool, until `isOver`. Resolves with the confirmed users. */
async function killClients(
  sdk: Sdk,
  options: Readonly<Record<string, unknown>>,
  event: { readonly event: string },
  isOver: () => boolean,
): Promise<{ readonly confirmed: readonly string[]; readonly kills: number }> {
  const confirmed: string[] = []
  let kills = 0
  for (; kills < KILLS || !isOver(); kills++) {
    const driver = await sdk.start(options)
    const answers = driver.stream('durablyForEver', { event, user: `${kills}` })
    await sleep(random() * MAX_CLIENT_LIFE_MS)
    driver.kill('SIGKILL')
    confirmed.push(...(await answers))
    await driver.ended
  }
  const last = await sdk.start(options)
  // The spool is empty once all that it holds is accepted.
  for (let isDone = false; !isDone; ) isDone = await last.run<boolean>('flush', { ms: 30_000 })
  await last.run('close', {})
  return { confirmed, kills }
}

/** Users of the stored events of a name, one for each event. */
async function storedUsers(service: Deployment, name: string): Promise<readonly string[]> {
  const answer = await fetch(`${service.api}/v1/events/export?event=${name}&format=ndjson`, {
    headers: { authorization: `Bearer ${service.keys.apiKey}` },
  })
  const lines = (await answer.text()).split('\n').filter((line) => line !== '')
  return lines.map((line) => (JSON.parse(line) as { userId: string }).userId)
}

async function testLanguage(
  t: Test,
  language: Language,
  service: Deployment,
  isOver: () => boolean,
): Promise<void> {
  const sdk = installSdk(t, language)
  if ('unreachable' in sdk) {
    t.pass(language, { skip: `optional: ${sdk.unreachable}` })
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const proxy = await startFaultyProxy(t, () => service.ingest)
  const options = {
    url: proxy.url,
    key: service.keys.serverKey,
    spool: folder,
    flushIntervalMs: 10,
    timeoutMs: 2_000,
  }
  const event = { event: `killed_${language}` }
  const { confirmed, kills } = await killClients(sdk, options, event, isOver)
  await service.settled()
  const stored = await storedUsers(service, event.event)
  const users = new Set(stored)
  t.equal(users.size, stored.length, `${language}: ${stored.length} events are stored, each once`)
  t.same(
    confirmed.filter((user) => !users.has(user)),
    [],
    `of ${confirmed.length} confirmed ones none is missing`,
  )
  t.ok(confirmed.length > KILLS, `${confirmed.length} confirmed after ${kills} kills of the client`)
}

t.test(`every confirmed event is stored once (seed ${SEED})`, { timeout: 3_600_000 }, async (t) => {
  const service = await deployEmbedded(t)
  let kills = 0
  const killService = async (): Promise<void> => {
    for (; kills < KILLS; kills++) {
      await sleep(random() * MAX_SERVICE_LIFE_MS)
      await service.crash()
    }
  }
  const isOver = (): boolean => kills >= KILLS
  await Promise.all([
    killService(),
    testLanguage(t, 'node', service, isOver),
    testLanguage(t, 'python', service, isOver),
  ])
  t.equal(kills, KILLS, `${kills} kills of the service`)
})
