import t from 'tap'
import { openEmbeddedClickHouse } from '../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../clickhouse/migrate.js'
import { openEmbeddedLog } from '../../log/embedded/log.js'
import { ledgerSince, readKeyLedger } from '../../postgres/tables/key-ledger.js'
import { SEED } from '../../test/support/cases.js'
import { registerLog } from '../operations/register-log.js'
import { event, KEY, request, WORKSPACE } from './support/events.js'
import { ledger, storedPlaces, vocabularies } from './support/pipeline.js'
import { startCrashChild } from './support/start-crash-child.js'
import { TestStores } from './support/stores.js'
import { JUNE_END } from './support/traffic.js'

const REQUESTS_A_ROUND = 12
const KEYS = [KEY, `${KEY.slice(0, -2)}ab`]

const stores = new TestStores()
t.teardown(() => stores.close())

let seed = SEED
const random = (below: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * below)
}

t.test('every event is stored once though consumers are killed at every point and at any time', async (t) => {
  t.comment(`seed ${SEED}`)
  const { sql, url } = await stores.postgres()
  const logPath = `${stores.folder}/log`
  const log = await openEmbeddedLog({ path: logPath, partitions: 1, identityPartitions: 1 })
  await registerLog(sql, log)
  const clickhousePath = stores.clickhousePath()
  const before = await openEmbeddedClickHouse({ path: clickhousePath, readers: 1 })
  await migrateClickHouse(before)
  await before.close()

  // The promise of docs/send-events.md: an insertId counts once a month, the first link of an anonymous id
  // wins.
  const expected: string[] = []
  const links = new Map<string, string>()
  const seen = new Set<string>()
  const byKey = new Map<string, { accepted: number; stored: number }>()
  let appended = 0
  async function appendRound(): Promise<void> {
    for (let i = 0; i < REQUESTS_A_ROUND; i++) {
      const offset = await log.end(0)
      const receivedAt = JUNE_END + random(2)
      const events = Array.from({ length: 1 + random(10) }, () =>
        event({
          event: `event_${random(5)}`,
          userId: `user${random(40)}`,
          anonymousId: random(3) === 0 ? `anonymous${random(60)}` : undefined,
          insertId: random(2) === 0 ? `id${random(300)}` : undefined,
        }),
      )
      const keyId = KEYS[random(KEYS.length)] ?? KEY
      await log.append(request(events, { receivedAt, keyId }))
      appended += events.length
      const name = `${keyId} ${new Date(receivedAt).toISOString().slice(0, 13)}`
      const counts = byKey.get(name) ?? { accepted: 0, stored: 0 }
      byKey.set(name, counts)
      counts.accepted += events.length
      events.forEach((sent, index) => {
        const id = `${receivedAt} ${sent.insertId}`
        if (sent.insertId === undefined || !seen.has(id)) {
          expected.push(`${offset}:${index}`)
          counts.stored++
        }
        if (sent.insertId !== undefined) seen.add(id)
        if (sent.anonymousId !== undefined && sent.userId !== undefined && !links.has(sent.anonymousId))
          links.set(sent.anonymousId, sent.userId)
      })
    }
  }

  const kills: Array<readonly [string, number]> = [
    ['consumer:before-intent', 2],
    ['consumer:intent-written', 2],
    ['consumer:inserted', 2],
    ['consumer:marked', 1],
    ['identity:linked', 1],
    ['outbox:written', 1],
    ['any time', 0],
    ['drained', 0],
  ]
  for (const [killAt, pass] of kills) {
    await appendRound()
    const { child, ended } = startCrashChild({ logPath, clickhousePath, postgresUrl: url, killAt, pass })
    if (killAt === 'any time')
      child.once('message', () => setTimeout(() => child.kill('SIGKILL'), 20 + random(200)))
    t.equal(await ended, killAt === 'drained' ? '0' : 'SIGKILL', `${killAt}, pass ${pass}`)
  }

  const clickhouse = await openEmbeddedClickHouse({ path: clickhousePath, readers: 1 })
  const h = { log, sql, clickhouse }
  const places = await storedPlaces(h)
  t.same(
    [...places].filter(([, n]) => n !== 1),
    [],
    'nothing twice',
  )
  t.same([...places.keys()].sort(), expected.sort(), 'everything once')
  const { table, vocabulary } = await vocabularies(h, WORKSPACE)
  t.same(vocabulary, table, 'the vocabulary counts the same')
  const book = await ledger(h)
  t.match(book, { open: false, done: await log.end(0), stored: expected.length, dead: 0 })
  t.equal(book.stored + book.duplicates + book.dead, appended, 'appended = stored + duplicates + dead')

  const range = { from: new Date(0), to: new Date(Date.UTC(2100, 0)) }
  const found = new Map<string, object>()
  for (const keyId of KEYS)
    for (const { at, accepted, stored, deduplicated, deadLettered } of await readKeyLedger(
      sql,
      WORKSPACE,
      keyId,
      range,
    )) {
      t.equal(accepted, stored + deduplicated + deadLettered, 'each hour of a key adds up')
      found.set(`${keyId} ${at.toISOString().slice(0, 13)}`, { accepted, stored })
    }
  t.same(found, byKey, 'the ledger of each key has what was appended and stored, hour by hour')
  t.equal(await ledgerSince(sql), null, 'the ledger has every hour')

  const stored = await sql<{ anonymous_id: string; user_id: string }[]>`
    select anonymous_id, user_id from identity_links`
  t.same(
    new Map(stored.map((row) => [row.anonymous_id, row.user_id]).sort() as [string, string][]),
    new Map([...links].sort()),
    'the first link of each anonymous id, in the order of acceptance',
  )
  const known = await clickhouse.query<{ keys: number }>(
    'SELECT uniqExact(anonymous_key) AS keys FROM identity_links',
  )
  t.same(known.rows, [{ keys: links.size }], 'every link is in ClickHouse')
  await clickhouse.close()
  await log.close()
})
