import { Command } from 'commander'
import t from 'tap'
import { classifyKey } from '../../../domain/key.js'
import { findCredential, hashCredential } from '../../../postgres/tables/credentials.js'
import { withDatabase } from '../../../postgres/test/support/database.js'
import { defineAdmin } from '../../commands/admin.js'
import type { Context } from '../../context.js'
import { svc } from '../../test/support/run.js'

// Every admin command against a Postgres of one's own, each as the process an operator starts.

const { sql, url } = await withDatabase(t)
const secret = Buffer.alloc(32, 3)
const environment = { SVC_POSTGRES_URL: url, SVC_SECRET_KEY: secret.toString('base64') }
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const NOWHERE = '01a1fdfb-806b-7744-ad25-7a3e359951b5'

const admin = (...args: string[]) => svc(['admin', ...args], environment)

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await admin(...args, '--json')
  if (code !== 0) throw new Error(`${args.join(' ')}: ${err}`)
  return JSON.parse(out) as Record<string, unknown>
}

async function refuses(test: typeof t, args: string[], code: number, message: RegExp): Promise<void> {
  const result = await admin(...args)
  test.equal(result.code, code, args.join(' '))
  test.equal(result.out, '')
  test.match(result.err, message)
  test.notMatch(result.err, /^ +at /m, 'no trace')
}

t.test('every command that changes something is audited', async (t) => {
  const admin = new Command('admin')
  defineAdmin(admin, { terminal: { out() {}, err() {} } } as unknown as Context)
  const leaves = (command: Command, path: string): string[] =>
    command.commands.length === 0
      ? [path.trim()]
      : command.commands.flatMap((sub) => leaves(sub, `${path} ${sub.name()}`))
  const changes = [
    ...[
      'workspace create',
      'person create',
      'person set',
      'person remove',
      'session create',
      'session revoke',
    ],
    ...['key create', 'key revoke', 'key rotate', 'quota set', 'repository connect', 'repository disconnect'],
    ...['dead-letters replay', 'log drain', 'log reopen', 'log abandon', 'retention set', 'secrets rotate'],
    ...['export s3', 'events import'],
  ]
  const reads = [
    ...['workspace list', 'person list', 'session list', 'key list', 'quota show', 'repository status'],
    ...['dead-letters list', 'dead-letters show', 'log list', 'verify', 'retention show', 'export list'],
    // Of all data, into a folder or an empty data directory.
    ...['backup', 'restore'],
  ]
  t.strictSame(leaves(admin, '').sort(), [...changes, ...reads].sort())
})

t.test('svc admin manages workspaces, people, keys, sessions and quotas', async (root) => {
  const test = root as unknown as typeof t
  test.strictSame(await json('workspace', 'list'), { data: [] })
  await refuses(test, ['key', 'list'], 1, /^svc: there is no workspace yet: .*\(UNKNOWN_WORKSPACE\)\n$/)

  for (const command of ['drain', 'reopen'])
    await refuses(test, ['log', command], 1, /^svc: there is no log yet: .*\(UNKNOWN_LOG\)\n$/)

  for (const command of [
    ['backup', '/nowhere'],
    ['restore', '/nowhere'],
  ])
    await refuses(test, command, 2, /SVC_POSTGRES_URL is set, and this command works on embedded stores only/)
  await refuses(test, ['verify'], 1, /needs all three stores embedded, or all of SVC_POSTGRES_URL/)

  const shop = await json('workspace', 'create', '--name', 'Shop')
  test.strictSame(Object.keys(shop), ['id', 'name', 'personId'])
  test.match(shop, { id: ID, name: 'Shop', personId: ID })
  test.strictSame(await json('workspace', 'list'), { data: [shop] })

  const person = await json(
    'person',
    'create',
    '--name',
    'Bo',
    '--email',
    'bo@x.org',
    '--permissions',
    'funnels.manage',
  )
  test.strictSame(Object.keys(person), ['id'])
  await refuses(
    test,
    ['person', 'create', '--name', 'B', '--email', 'BO@x.org'],
    1,
    /BO@x\.org \(EMAIL_TAKEN\)/,
  )
  const people = (await json('person', 'list')).data as {
    email: string
    owner: boolean
    permissions: string[]
  }[]
  test.strictSame(
    people.map(({ email, owner, permissions }) => [email, owner, permissions.length]),
    [
      ['owner@localhost', true, 4],
      ['bo@x.org', false, 1],
    ],
  )

  const scopes = 'funnels.manage,proposals.review'
  const key = await json('key', 'create', '--type', 'api', '--name', 'ci', '--scopes', scopes)
  test.strictSame(Object.keys(key), ['id', 'key', 'type', 'scopes', 'personId'])
  test.strictSame(key.scopes, ['proposals.review', 'funnels.manage'])
  test.equal(key.personId, shop.personId)
  test.equal(classifyKey(String(key.key)), 'api')
  const credential = await findCredential(sql, hashCredential(secret, String(key.key)))
  test.equal(credential?.id, key.id, 'hashed under SVC_SECRET_KEY')
  const server = await json(
    'key',
    'create',
    '--type',
    'server',
    '--name',
    'shop',
    '--person',
    String(person.id),
  )
  test.equal(server.personId, person.id)
  const unknown = ['key', 'create', '--type', 'server', '--name', 'x', '--person', NOWHERE]
  await refuses(test, unknown, 1, new RegExp(`no person ${NOWHERE}.*\\(UNKNOWN_PERSON\\)`))

  const scoped = (type: string, scope: string) => [
    'key',
    'create',
    '--type',
    type,
    '--name',
    'relay',
    '--scopes',
    scope,
  ]
  for (const [type, scope] of [
    ['api', 'exposures.send'],
    ['server', 'funnels.manage'],
    ['publishable', 'exposures.send'],
  ] as const)
    await refuses(test, scoped(type, scope), 2, new RegExp(`type ${type} cannot have the scope ${scope}`))
  const relay = await json(...scoped('server', 'exposures.send'))
  test.strictSame(relay.scopes, ['exposures.send'])

  const id = String(key.id)
  const revoked = await json('key', 'revoke', id)
  test.strictSame(Object.keys(revoked), ['id', 'revokedAt'])
  const again = await admin('key', 'revoke', id, '--json')
  test.equal(again.code, 0)
  test.strictSame(JSON.parse(again.out), revoked)
  test.match(again.err, /already revoked/)
  await refuses(test, ['key', 'revoke', NOWHERE], 1, /\(UNKNOWN_KEY\)/)
  const keys = (await json('key', 'list')).data as Record<string, unknown>[]
  test.strictSame(
    keys.map((each) => [each.id, each.platform, each.revokedAt !== null]),
    [
      [key.id, 'Api', true],
      [server.id, 'Server', false],
      [relay.id, 'Server', false],
    ],
  )
  test.strictSame(
    Object.keys(keys[0] ?? {}).join(' '),
    'id name type platform scopes personId personName last4 createdAt lastUsedAt expiresAt revokedAt',
  )
  const shown = await admin('key', 'list')
  test.match(shown.out, /^ID +NAME +PLATFORM .*\n.* ci +Api +proposals\.review,funnels\.manage /)
  test.notOk(shown.out.includes(String(key.key).slice(8, 30)), 'the key is not shown again')

  const rotated = await json('key', 'rotate', String(server.id), '--grace-hours', '1')
  test.strictSame(Object.keys(rotated), ['id', 'key', 'type', 'scopes', 'personId'])
  test.match(rotated, { type: 'server', personId: person.id })
  test.ok((await findCredential(sql, hashCredential(secret, String(server.key))))?.expiresAt, 'it goes on')
  await refuses(test, ['key', 'rotate', String(server.id)], 1, /rotated before.*\(ILLEGAL_TRANSITION\)/)
  await refuses(test, ['key', 'rotate', id], 1, /revoked before.*\(ILLEGAL_TRANSITION\)/)

  const changed = await json('person', 'set', String(person.id), '--name', 'Bob', '--permissions', scopes)
  test.match(changed, { name: 'Bob', owner: false, permissions: ['proposals.review', 'funnels.manage'] })
  await refuses(test, ['person', 'set', String(person.id)], 2, /name at least one change/)
  for (const demote of [['set', '--owner', 'no'], ['remove']]) {
    const [verb = '', ...options] = demote
    await refuses(test, ['person', verb, String(shop.personId), ...options], 1, /\(LAST_OWNER\)/)
  }
  test.strictSame(await json('person', 'remove', String(person.id)), { id: person.id })
  test.equal(await findCredential(sql, hashCredential(secret, String(rotated.key))), undefined)
  await refuses(test, ['person', 'remove', String(person.id)], 1, /\(NOT_FOUND\)/)

  const before = Date.now()
  const session = await json('session', 'create', '--expires', '90m')
  test.strictSame(Object.keys(session), ['id', 'token', 'expiresAt'])
  test.equal(classifyKey(String(session.token)), 'session')
  const lasts = Date.parse(String(session.expiresAt)) - before
  test.ok(lasts >= 5_400_000 && lasts < 5_460_000)
  const month = await json('session', 'create')
  test.ok(Date.parse(String(month.expiresAt)) - before >= 30 * 86_400_000, 'thirty days by default')
  await json('session', 'revoke', String(session.id))
  const sessions = (await json('session', 'list')).data as { id: string; revokedAt: string | null }[]
  test.strictSame(
    sessions.map((each) => [each.id, each.revokedAt !== null]),
    [
      [session.id, true],
      [month.id, false],
    ],
  )

  const quota = await json('quota', 'set', '--daily-events', '1000000', '--events-per-second', '50')
  test.strictSame(quota, {
    workspaceId: shop.id,
    dailyEvents: 1e6,
    dailyExposures: null,
    requestsPerSecond: null,
    eventsPerSecond: 50,
  })
  const changes = ['--daily-events', 'none', '--daily-exposures', '9', '--requests-per-second', '5']
  test.strictSame(await json('quota', 'set', ...changes), {
    ...quota,
    dailyEvents: null,
    dailyExposures: 9,
    requestsPerSecond: 5,
  })

  test.strictSame(await json('quota', 'show'), await json('quota', 'set', ...changes))

  const kept = { workspaceId: shop.id, days: 62, removedBefore: null }
  test.strictSame(await json('retention', 'set', '--days', '62'), kept)
  test.strictSame(await json('retention', 'show'), kept)
  const audited = await sql<{ action: string; actor: string | null }[]>`
    select action, nullif(actor_person_name, 'operator') as actor from audit_entries order by id`
  test.ok(audited.every(({ actor }) => actor === null))
  test.strictSame(
    audited.map(({ action }) => action),
    [
      'workspace.create',
      'person.create',
      ...['key.create', 'key.create', 'key.create', 'key.delete', 'key.rotate'],
      ...['person.update', 'person.delete', 'session.create', 'session.create', 'session.delete'],
      ...['quota.set', 'quota.set', 'quota.set'],
      'retention.set',
    ],
  )

  const second = await json('workspace', 'create', '--name', 'Zweiter')
  await refuses(
    test,
    ['key', 'list'],
    2,
    new RegExp(`2 workspaces.*--workspace.*\\n.*${shop.id}.*\\n.*${second.id}  Zweiter`),
  )
  test.strictSame(await json('key', 'list', '--workspace', String(second.id)), { data: [] })
  const stranger = ['key', 'revoke', String(rotated.id), '--workspace', String(second.id)]
  await refuses(test, stranger, 1, /\(UNKNOWN_KEY\)/)
  await refuses(
    test,
    ['key', 'list', '--workspace', NOWHERE],
    1,
    /no workspace 01a1fdfb.*\(UNKNOWN_WORKSPACE\)/,
  )

  const wrong = new URL(url)
  wrong.password = 'guess'
  const locked = await svc(['admin', 'workspace', 'list'], { ...environment, SVC_POSTGRES_URL: wrong.href })
  test.equal(locked.code, 1)
  test.match(locked.err, /^svc: Postgres: password authentication failed.*\(28P01\)\n$/)
  wrong.port = '1'
  const absent = await svc(['admin', 'workspace', 'list'], { ...environment, SVC_POSTGRES_URL: wrong.href })
  test.equal(absent.code, 1)
  test.match(absent.err, /^svc: Postgres: .*\(ECONNREFUSED\)\n$/)
  test.notMatch(absent.err, /guess/)
})

t.test('svc admin log abandon gives up a log whose records are lost', async (root) => {
  const test = root as unknown as typeof t
  const [id, later] = ['01a1fdfb-806b-7744-ad25-7a3e359951b6', '01a1fdfb-806b-7744-ad25-7a3e359951b7']
  await sql`insert into logs (id, partitions, identity_partitions) values (${id}, 1, 1)`
  await sql`
    insert into log_partitions (log_id, log_partition, epoch, done_offset, open_to, open_token, open_stored)
    values (${id}, 0, 3, 10, 12, 'token', 2)`
  await sql`
    insert into log_writers (id, log_id, name, renewed_at, expires_at)
    values (${NOWHERE}, ${id}, 'gateway', now(), now() + interval '1 hour')`
  await refuses(test, ['log', 'abandon', id], 1, /1 gateway may still append.*\(LOG_IN_USE\)/)
  await sql`delete from log_writers`
  await refuses(test, ['log', 'abandon', later], 1, /the log in use is .*\(UNKNOWN_LOG\)/)
  test.match(await json('log', 'abandon', id), { id, state: 'drained', events: { stored: 0 } })
  test.match(
    await sql`select epoch::int, done_offset::int as done, open_to as open from log_partitions`,
    [{ epoch: 4, done: 10, open: null }],
    'owners are fenced, and no block is open',
  )
  await sql`delete from log_partitions`
  await sql`delete from logs`
})
