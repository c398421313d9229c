import { Registry } from 'prom-client'
import t from 'tap'
import { v7 } from 'uuid'
import { openEmbeddedClickHouse } from '../../../clickhouse/embedded/open.js'
import { migrateClickHouse } from '../../../clickhouse/migrate.js'
import { registerLog } from '../../../consumers/operations/register-log.js'
import { startConsumers } from '../../../consumers/start.js'
import { openEmbeddedLog } from '../../../log/embedded/log.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { encodeRecords } from '../../../log/record.js'
import { insertDeadLetters } from '../../../postgres/tables/dead-letters.js'
import { createWorkspace } from '../../../postgres/tables/workspaces.js'
import { withDatabase } from '../../../postgres/test/support/database.js'
import { createLogger } from '../../../runtime/logger.js'
import { svc } from '../../test/support/run.js'

const { sql, url } = await withDatabase(t)
const environment = { SVC_POSTGRES_URL: url, SVC_SECRET_KEY: Buffer.alloc(32, 3).toString('base64') }
const folder = t.testdir({})
const log = await openEmbeddedLog({ path: `${folder}/log`, partitions: 1, identityPartitions: 1 })
t.teardown(() => log.close())
await registerLog(sql, log)
const workspace = await createWorkspace(sql, {
  id: v7(),
  name: 'Shop',
  personId: v7(),
  ownerName: 'O',
  ownerEmail: 'o@x.org',
  now: new Date(),
})

const letters = (...args: string[]) => svc(['admin', 'dead-letters', ...args], environment)

async function json<Body = Record<string, unknown>>(...args: string[]): Promise<Body> {
  const { code, out, err } = await letters(...args, '--json')
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${err}`)
  return JSON.parse(out) as Body
}

interface Listed {
  readonly data: readonly {
    readonly id: string
    readonly reason: string
    readonly replayedAt: string | null
  }[]
  readonly pagination: unknown
}

function payloadOf(event: string): Uint8Array {
  const [record] = encodeRecords(
    {
      workspaceId: workspace.id,
      keyId: v7(),
      receivedAt: Date.UTC(2026, 10, 2),
      sentAt: undefined,
      events: [
        {
          event,
          userId: 'ada',
          anonymousId: undefined,
          properties: '{"amount":12}',
          timestamp: undefined,
          insertId: `id of ${event}`,
          sdkVersion: undefined,
        },
      ],
    },
    workspaceHashKeys(new Uint8Array(32), workspace.id),
    log,
    () => false,
  ).records
  return record?.payload ?? new Uint8Array()
}

await sql.begin((tx) =>
  insertDeadLetters(
    tx,
    log.id,
    0,
    [
      {
        offset: 3,
        rowIndex: 1,
        workspaceId: workspace.id,
        reason: 'Refused\u001b[2J by the engine',
        events: 1,
        payload: payloadOf('bought'),
      },
      {
        offset: 4,
        rowIndex: -1,
        workspaceId: undefined,
        reason: 'record format 77 is not known',
        events: 1,
        payload: Uint8Array.of(77, 1, 2),
      },
      {
        offset: 5,
        rowIndex: 0,
        workspaceId: workspace.id,
        reason: 'refused 100%',
        events: 1,
        payload: payloadOf('viewed'),
      },
    ],
    v7,
  ),
)
await sql`update dead_letters set failed_at = now() - interval '3 hours' where log_offset = 5`
await sql`insert into log_partitions (log_id, log_partition, total_dead) values (${log.id}, 0, 3)`
const ids = (await sql<{ id: string }[]>`select id from dead_letters order by log_offset`).map(({ id }) => id)
const [bought = '', unreadable = '', viewed = ''] = ids

t.test('svc admin dead-letters list filters and pages', async (t) => {
  const all = await json<Listed>('list')
  t.strictSame(
    all.data.map(({ id }) => id),
    [unreadable, bought, viewed],
  )
  t.strictSame(all.pagination, { limit: 50, offset: 0, total: 3, hasMore: false })
  t.match(all.data[1], {
    id: bought,
    events: 1,
    workspaceId: workspace.id,
    log: { id: log.id, partition: 0, offset: 3, index: 1 },
    attempts: 1,
    replayedAt: null,
    replayId: null,
  })
  const listed = async (...args: string[]) => (await json<Listed>('list', ...args)).data.map(({ id }) => id)
  t.strictSame(await listed('--reason', 'REFUSED'), [bought, viewed])
  t.strictSame(await listed('--reason', '100%'), [viewed])
  t.strictSame(await listed('--since', '1h'), [unreadable, bought])
  t.strictSame(await listed('--since', '2030-01-01T00:00:00Z'), [])
  t.strictSame(await listed('--workspace', workspace.id), [bought, viewed])
  t.strictSame(await listed('--limit', '1', '--offset', '1'), [bought])
  t.strictSame(await listed('--state', 'waiting'), [])
  const shown = await letters('list', '--limit', '2')
  t.match(
    shown.out,
    /^ID +FAILED +TRIES +EVENTS +WORKSPACE +LOG POSITION +STATE +REASON\n.* 0:4 +open +record format 77.*\n.* 0:3:1 +open +Refused\ufffd\[2J by/,
  )
  t.equal(shown.err, 'Letters 1 to 2 of 3: see --limit and --offset.\n')
  for (const wrong of [
    ['--since', 'yesterday'],
    ['--limit', '0'],
    ['--state', 'x'],
    ['--workspace', 'x'],
    ['--reason', ''],
  ])
    t.equal((await letters('list', ...wrong)).code, 2, wrong.join(' '))
  const nowhere = await letters('list', '--workspace', v7())
  t.equal(nowhere.code, 1)
  t.match(nowhere.err, /\(UNKNOWN_WORKSPACE\)\n$/)
})

t.test('svc admin dead-letters show prints the reason and the content', async (t) => {
  t.match(await json('show', bought), {
    id: bought,
    holdsLinks: false,
    record: { workspaceId: workspace.id, receivedAt: '2026-11-02T00:00:00.000Z', sentAt: null },
    contents: [
      { index: 0, event: 'bought', userId: 'ada', properties: { amount: 12 }, insertId: 'id of bought' },
    ],
    unreadable: null,
    payload: Buffer.from(payloadOf('bought')).toString('base64').slice(0, 40),
  })
  const shown = await letters('show', bought)
  t.match(shown.out, /reason +Refused\ufffd\[2J by the engine\n/)
  t.match(shown.out, /offset +3\nindex in the record +1\n/)
  t.match(shown.out, /event +bought\nuserId +ada\n[\s\S]*properties +\{"amount":12\}\n/)
  const broken = await letters('show', unreadable)
  t.equal(broken.code, 0)
  t.match(broken.out, /unreadable +a record of 3 bytes has no header\npayload +4d0102\n/)
  const absent = await letters('show', v7())
  t.equal(absent.code, 1)
  t.match(absent.err, /\(UNKNOWN_DEAD_LETTER\)\n$/)
})

t.test('svc admin dead-letters replay asks a running svc, and reports the outcome', async (t) => {
  for (const wrong of [[], [bought, '--all'], [bought, '--reason', 'x'], ['x'], ['--all', '--timeout', '-1']])
    t.equal((await letters('replay', ...wrong)).code, 2, wrong.join(' '))
  const absent = await letters('replay', bought, v7())
  t.match(absent, { code: 1, out: '', err: /nothing is replayed \(UNKNOWN_DEAD_LETTER\)\n$/ })

  // No worker runs that could carry it out.
  const lonely = await letters('replay', bought, '--timeout', '1')
  t.match(lonely, {
    code: 1,
    out: /state +requested\nletters +1\n/,
    err: /^svc: no running svc started the replay within 1 s: [0-9a-f-]{36} stays requested.* \(NOT_RUNNING\)\n$/,
  })
  t.strictSame(
    (await json<Listed>('list', '--state', 'waiting')).data.map(({ id }) => id),
    [bought],
  )
  const again = await letters('replay', bought)
  t.match(again, {
    code: 0,
    out: 'There was nothing to replay.\n',
    err: `Letter ${bought} had been asked for before: the replay has not come to it yet.\n`,
  })

  const clickhouse = await openEmbeddedClickHouse({ path: `${folder}/clickhouse`, readers: 1 })
  t.teardown(() => clickhouse.close())
  await migrateClickHouse(clickhouse)
  const stage = await startConsumers({
    log,
    sql,
    clickhouse,
    dedupMemoryBytes: 2 ** 26,
    logger: createLogger('silent', 'test'),
    registry: new Registry(),
    now: Date.now,
  })
  t.teardown(() => stage.stop())
  const asked = await json('replay', viewed, '--timeout', '0')
  t.match(asked, { state: /requested|running|done/, letters: 1 })
  const rest = await letters('replay', '--all', '--json')
  t.match(rest, { code: 1, err: /1 of 1 letters could not be stored.*\(DEAD_AGAIN\)\n$/ })
  t.match(JSON.parse(rest.out), { state: 'done', letters: 1, replayed: 0, failed: 1 })
  const none = await json('replay', '--all', '--reason', 'no such reason')
  t.match(none, { id: null, state: 'done', letters: 0 })
  t.strictSame(
    (await json<Listed>('list')).data.map(({ id }) => id),
    [unreadable],
  )
  t.match(await json('show', unreadable), { attempts: 2, replayedAt: null })
  t.match(
    (await json<Listed>('list', '--state', 'replayed')).data.map(({ id }) => id).sort(),
    [bought, viewed].sort(),
  )
  const { rows } = await clickhouse.query('SELECT event, log_offset FROM events ORDER BY log_offset')
  t.same(rows, [
    { event: 'bought', log_offset: 3 },
    { event: 'viewed', log_offset: 5 },
  ])
  const before = await letters('replay', bought, '--json')
  t.match(before, { code: 0, err: `Letter ${bought} had been replayed before: nothing changed.\n` })
  const audited = await sql<{ summary: string }[]>`
    select summary from audit_entries where action = 'dead-letters.replay' order by id`
  t.strictSame(
    audited.map(({ summary }) => summary),
    Array(audited.length).fill('Asked for the replay of 1 dead letter'),
  )
  t.equal(audited.length, 2, 'a letter without a workspace has no entry')
})
