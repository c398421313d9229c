import { randomUUID } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { svc } from '../../cli/test/support/run.js'
import type { ClickHouse } from '../../clickhouse/port.js'
import { openRemoteClickHouse } from '../../clickhouse/remote/open.js'
import { shardsOf } from '../../clickhouse/shards.js'
import { workspaceHashKeys } from '../../log/hash-keys.js'
import { personKeyOf } from '../../log/record.js'
import { SEED } from '../support/cases.js'
import { type Cluster, startCluster } from '../support/cluster.js'
import { kafkaProblem } from '../support/kafka.js'
import { call, callAgain, countOf, temporaryDataDir, until } from '../support/service.js'

/** Points of an erasure at which its API process is killed, and the process that is killed beside it. */
const STRIKES = [
  ['erasure:links', 'nothing'],
  ['erasure:letters', 'clickhouse'],
  ['erasure:count-worked', 'consumers'],
  ['erasure:events-worked', 'clickhouse'],
  ['names:subtracted', 'nothing'],
  ['erasure:names-worked', 'ingest'],
  ['erasure:files-worked', 'postgres'],
] as const
const SETTLE_MS = 120_000

interface Erasure {
  readonly id: string
  readonly status: string
  readonly error: string | null
  readonly receipt: object | null
}

t.test(
  'stages on servers erase a person while every part of them is killed and others send',
  { timeout: 600_000, skip: kafkaProblem() ?? false },
  async (t) => {
    const data = temporaryDataDir()
    t.teardown(() => data.remove())
    const fault = join(data.path, 'fault-point')
    writeFault(fault, '')
    const cluster = await startCluster({
      brokers: 1,
      shards: 1 + (SEED % 2),
      dataDir: data.path,
      consumers: 1,
      logLevel: 'error',
      env: { SVC_FAULT_POINT: `@${fault}` },
    })
    t.teardown(() => cluster.close())
    const { SVC_CLICKHOUSE_URL: url = '', SVC_CLICKHOUSE_CLUSTER } = cluster.environment
    const clickhouse = await openRemoteClickHouse({ url, cluster: SVC_CLICKHOUSE_CLUSTER })
    t.teardown(() => clickhouse.close())
    const { serverKey, apiKey, sessionToken } = cluster.keys
    const urlOf = (kind: 'api' | 'ingest') => (): string =>
      cluster.stages(kind)[0]?.url ?? 'http://127.0.0.1:9'
    const send = async (events: readonly object[]): Promise<void> => {
      const url = () => `${urlOf('ingest')()}/v1/events`
      const answer = await until(
        () => callAgain(serverKey, 'POST', url, { events }).catch(() => undefined),
        (answer) => answer !== undefined,
      )
      if (answer?.status !== 202) throw new Error(`events were answered with ${answer?.status}`)
    }
    const [user, phone, laptop] = [randomUUID(), randomUUID(), randomUUID()]
    const ids = [user, phone, laptop]
    const mine = [
      { event: 'visited', anonymousId: phone, insertId: 'mine 1' },
      { event: 'bought', userId: user, anonymousId: phone, insertId: 'mine 2' },
      { event: 'bought', userId: user, anonymousId: laptop, insertId: 'mine 3' },
      {
        event: '$exposure',
        anonymousId: laptop,
        properties: { experiment: 'one', variant: 'b' },
        insertId: 'mine 4',
      },
      { event: 'poison', userId: user, anonymousId: phone, insertId: 'mine 5' },
      { event: 'only_once', userId: user },
    ]
    await clickhouse.command("ALTER TABLE events ADD CONSTRAINT no_poison CHECK event != 'poison'")
    for (const event of mine) await send([event])
    await send([
      { event: 'poison', userId: 'other', insertId: 'theirs' },
      { event: 'shared', userId: 'other', anonymousId: laptop },
    ])
    t.match(await cluster.settled(SETTLE_MS), { dead: 2 })
    await clickhouse.command('ALTER TABLE events DROP CONSTRAINT no_poison')
    const others = startTraffic(send)
    t.teardown(() => others.stop())

    writeFault(fault, `${STRIKES[0][0]}:1:kill-group`)
    const asked = await call<Erasure>(sessionToken, 'POST', `${urlOf('api')()}/v1/erasures`, { userId: user })
    t.equal(asked.status, 202)
    const [api] = cluster.stages('api')
    if (api === undefined) throw new Error('the cluster has no API')
    for (const [i, [point, also]] of STRIKES.entries()) {
      await api.ended
      t.match(api.output(), `fault point ${point}`)
      const next = STRIKES[i + 1]
      writeFault(fault, next === undefined ? '' : `${next[0]}:1:kill-group`)
      await Promise.all([strike(cluster, also), startAgain(api)])
    }
    const done = await until(
      () =>
        call<Erasure>(sessionToken, 'GET', `${urlOf('api')()}/v1/erasures/${asked.body.id}`).then(
          ({ body }) => body,
          () => undefined,
        ),
      (erasure) => erasure?.status === 'done' || erasure?.status === 'failed',
      120,
    )
    t.match(done, {
      status: 'done',
      error: null,
      receipt: { events: 4, exposures: 1, links: 2, deadLetters: 1 },
    })

    const sent = await others.stop()
    const before = await cluster.settled(SETTLE_MS)
    for (const event of mine.slice(0, 5)) await send([event])
    const after = await cluster.settled(SETTLE_MS)
    t.same(after, { ...before, duplicates: before.duplicates + 5 }, 'sent again it stays erased')
    await until(
      () => cluster.sql`select from withheld_links`,
      ({ length }) => length === 0,
    )
    t.same(await postgresTablesWith(cluster, ids), [], 'no table of Postgres has the ids')
    const keys = workspaceHashKeys(Buffer.from(cluster.secretKey, 'base64'), cluster.keys.workspaceId)
    const personKeys = [
      personKeyOf('user', user, keys),
      personKeyOf('anonymous', phone, keys),
      personKeyOf('anonymous', laptop, keys),
    ].map((key) => BigInt.asUintN(64, key))
    t.same(
      await clickhouseTablesWith(clickhouse, ids, personKeys),
      [],
      'no table of ClickHouse has the person',
    )
    t.equal(await countOf(urlOf('api')(), apiKey, 'visited'), sent)
    t.equal(await countOf(urlOf('api')(), apiKey, 'bought'), sent)
    t.equal(await countOf(urlOf('api')(), apiKey, 'only_once'), 0)
    t.equal(await countOf(urlOf('api')(), apiKey, 'shared'), 1)
    const verified = await svc(['admin', 'verify', '--json'], cluster.environment)
    t.match(JSON.parse(verified.out), { difference: null }, 'all counts agree')

    const replayed = await svc(['admin', 'dead-letters', 'replay', '--all', '--json'], cluster.environment)
    t.match(JSON.parse(replayed.out), { state: 'done', letters: 1, eventsStored: 1 }, "the other's is kept")

    await cluster.stages('consumers')[0]?.kill()
    // As an older copy of Postgres, beside the events that were stored since.
    await cluster.sql`update log_partitions set done_offset = 0, total_stored = 0 where log_partition = 0`
    const older = await svc(['admin', 'verify', '--json'], cluster.environment)
    const failed = (JSON.parse(older.out) as { checks: { check: string; ok: boolean }[] }).checks.filter(
      ({ ok }) => !ok,
    )
    t.ok(failed.some(({ check }) => check.startsWith('end of the rows of partition 0,')))
  },
)

/** Sends events of others, two a request, until it is stopped; resolves with the number of requests. */
function startTraffic(send: (events: readonly object[]) => Promise<void>) {
  let requests = 0
  let stopped = false
  const running = (async () => {
    for (; !stopped; requests++) {
      const event = (name: string) => ({
        event: name,
        userId: `other ${requests % 50}`,
        insertId: `${name} ${requests}`,
      })
      await send([event('visited'), event('bought')])
      await sleep(20)
    }
  })()
  // Awaited by `stop`.
  running.catch(() => {})
  return {
    async stop(): Promise<number> {
      stopped = true
      await running
      return requests
    },
  }
}

/** Whole or not at all, as every process reads it at any time. */
function writeFault(file: string, setting: string): void {
  writeFileSync(`${file}.new`, setting)
  renameSync(`${file}.new`, file)
}

type Struck = (typeof STRIKES)[number][1]

/** SIGKILL, and a new start. */
async function strike(cluster: Cluster, what: Struck): Promise<void> {
  if (what === 'postgres') {
    cluster.postgres.kill()
    await cluster.postgres.restart()
  } else if (what === 'clickhouse') {
    await cluster.clickhouse.kill()
    await cluster.clickhouse.start()
  } else if (what !== 'nothing') {
    const [stage] = cluster.stages(what)
    await stage?.kill()
    if (stage !== undefined) await startAgain(stage)
  }
}

/** A stage may be killed by the next fault point before it is ready. */
async function startAgain(stage: ReturnType<Cluster['stages']>[number]): Promise<void> {
  await stage.start().catch((error: unknown) => {
    if (!String(error).includes('fault point')) throw error
  })
}

/** Names of the Postgres tables that contain one of the texts, also in bytes. */
async function postgresTablesWith({ sql }: Cluster, texts: readonly string[]): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by table_name`
  const wanted = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')])
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await sql`
      select from ${sql(name)} as r where exists (select from unnest(${wanted}::text[]) as w where position(w in r::text) > 0)`
    if (rows.length > 0) found.push(`${name}: ${rows.length} rows`)
  }
  return found
}

/** Names of the ClickHouse tables that contain one of the texts or a key of the person. */
async function clickhouseTablesWith(
  clickhouse: ClickHouse,
  texts: readonly string[],
  personKeys: readonly bigint[],
): Promise<string[]> {
  const found = shardsOf(clickhouse).map((shard) =>
    shardTablesWith(shard, [...texts, ...personKeys.map(String)]),
  )
  return (await Promise.all(found)).flat()
}

async function shardTablesWith(clickhouse: ClickHouse, texts: readonly string[]): Promise<string[]> {
  const { rows: tables } = await clickhouse.query<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await clickhouse.query<{ n: number }>(
      `SELECT count() AS n FROM ${name}
       WHERE multiSearchAny(formatRow('CSV', *), {texts:Array(String)})`,
      { params: { texts } },
    )
    if (rows[0]?.n !== 0) found.push(`${name}: ${rows[0]?.n} rows`)
  }
  return found
}
