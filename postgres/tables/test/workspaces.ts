import t from 'tap'
import { classifyKey, SCOPES } from '../../../domain/key.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { withDatabase } from '../../test/support/database.js'
import { CREDENTIAL_CHANNEL, findCredential, hashCredential } from '../credentials.js'
import { createKey, listKeys, revokeKey } from '../keys.js'
import {
  createBrowserSession,
  createSession,
  listSessions,
  removeEndedSessions,
  revokeSession,
} from '../sessions.js'
import {
  createPerson,
  createWorkspace,
  listPeople,
  listWorkspaces,
  newId,
  setQuota,
  writeInvitation,
} from '../workspaces.js'

const { sql } = await withDatabase(t)
const secret = new Uint8Array(32).fill(7)
const now = new Date('2026-11-21T10:00:00.123Z')

const make = (name: string) =>
  createWorkspace(sql, {
    id: newId(),
    name,
    personId: newId(),
    ownerName: 'Ada',
    ownerEmail: 'ada@example.com',
    now,
  })

t.test('a workspace starts with its owner', async (test) => {
  const created = await make('Shop')
  const second = await make('Shop')
  const listed = await listWorkspaces(sql)
  test.strictSame([...listed], [created, second], 'names may repeat; oldest first')
  test.strictSame(await listPeople(sql, created.id), [
    {
      id: created.personId,
      name: 'Ada',
      email: 'ada@example.com',
      owner: true,
      permissions: SCOPES,
      createdAt: now,
      invitationExpiresAt: null,
    },
  ])
})

t.test('people are created and listed, each email address once in a workspace', async (test) => {
  const { id: workspaceId } = await make('People')
  const permissions = ['funnels.manage', 'proposals.review'] as const
  const person = { workspaceId, name: 'Bo', email: 'Bo@example.com', permissions, now }
  const { id } = await createPerson(sql, { ...person, id: newId() })
  const listed = await listPeople(sql, workspaceId)
  test.equal(listed[1]?.id, id)
  test.strictSame(listed[1]?.permissions, ['proposals.review', 'funnels.manage'])
  await test.rejects(createPerson(sql, { ...person, id: newId(), email: 'bo@EXAMPLE.com' }), {
    code: 'EMAIL_TAKEN',
  })
  const other = await make('Other people')
  await createPerson(sql, { ...person, id: newId(), workspaceId: other.id })
  await test.rejects(createPerson(sql, { ...person, id: newId(), workspaceId: newId() }), {
    code: 'UNKNOWN_WORKSPACE',
  })
})

t.test('keys: shown once, stored as a hash, listed without it, revoked once', async (test) => {
  const workspace = await make('Keys')
  const base = { workspaceId: workspace.id, name: 'ci', now }
  const key = await createKey(sql, secret, {
    ...base,
    id: newId(),
    type: 'api',
    scopes: ['funnels.manage', 'proposals.review'],
  })
  test.equal(classifyKey(key.key), 'api')
  test.strictSame(key.scopes, ['proposals.review', 'funnels.manage'])
  test.equal(key.personId, workspace.personId, 'the owner')
  const server = await createKey(sql, secret, {
    ...base,
    id: newId(),
    type: 'server',
    scopes: ['funnels.manage'],
  })
  test.strictSame(server.scopes, [], 'scopes are for api keys')
  const browser = await createKey(sql, secret, { ...base, id: newId(), type: 'publishable', scopes: [] })
  test.match(browser.key, /^tsk_live_/)

  const [stored] = await sql`select * from api_keys where id = ${key.id}`
  test.notOk(JSON.stringify(stored).includes(key.key.slice('tsk_api_'.length, -4)))
  const listed = await listKeys(sql, workspace.id)
  test.strictSame(
    listed.map(({ id, platform }) => [id, platform]),
    [
      [key.id, 'Api'],
      [server.id, 'Server'],
      [browser.id, 'Browser'],
    ],
  )
  test.strictSame(listed[0], {
    id: key.id,
    name: 'ci',
    type: 'api',
    platform: 'Api',
    scopes: ['proposals.review', 'funnels.manage'],
    personId: workspace.personId,
    personName: 'Ada',
    last4: key.key.slice(-4),
    createdAt: now,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
  })

  const credential = await findCredential(sql, hashCredential(secret, key.key))
  test.equal(credential?.id, key.id)
  test.strictSame(credential?.scopes, ['proposals.review', 'funnels.manage'])
  const request = { workspaceId: workspace.id, id: key.id, now }
  test.strictSame(await revokeKey(sql, request), { id: key.id, revokedAt: now, already: false })
  const later = new Date(now.getTime() + 60_000)
  test.strictSame(await revokeKey(sql, { ...request, now: later }), {
    id: key.id,
    revokedAt: now,
    already: true,
  })
  test.equal(await findCredential(sql, hashCredential(secret, key.key)), undefined)
  const other = await make('Strangers')
  await test.rejects(revokeKey(sql, { workspaceId: other.id, id: server.id, now }), { code: 'UNKNOWN_KEY' })
})

t.test('a key cannot do more than its person', async (test) => {
  const { id: workspaceId } = await make('Scopes')
  const permissions = ['funnels.manage'] as const
  const person = await createPerson(sql, {
    id: newId(),
    workspaceId,
    name: 'B',
    email: 'b@x',
    permissions,
    now,
  })
  const key = await createKey(sql, secret, {
    id: newId(),
    workspaceId,
    personId: person.id,
    type: 'api',
    name: 'k',
    scopes: SCOPES,
    now,
  })
  test.equal(key.personId, person.id)
  const credential = await findCredential(sql, hashCredential(secret, key.key))
  test.strictSame(credential?.scopes, ['funnels.manage'])
  const stranger = (await make('Elsewhere')).personId
  for (const personId of [stranger, newId()])
    await test.rejects(
      createKey(sql, secret, { id: newId(), workspaceId, personId, type: 'api', name: 'k', scopes: [], now }),
      { code: 'UNKNOWN_PERSON' },
    )
})

t.test('sessions are created, found, listed and revoked', async (test) => {
  const workspace = await make('Sessions')
  const expiresAt = new Date(Date.now() + 3_600_000)
  const session = await createSession(sql, secret, { id: newId(), workspaceId: workspace.id, expiresAt, now })
  test.equal(classifyKey(session.token), 'session')
  test.equal(session.expiresAt, expiresAt)
  const credential = await findCredential(sql, hashCredential(secret, session.token))
  test.equal(credential?.person.id, workspace.personId)
  test.strictSame(
    [...(await listSessions(sql, workspace.id))],
    [
      {
        id: session.id,
        personId: workspace.personId,
        last4: session.token.slice(-4),
        createdAt: now,
        lastUsedAt: null,
        expiresAt,
        revokedAt: null,
      },
    ],
  )
  const request = { workspaceId: workspace.id, id: session.id, now }
  test.equal((await revokeSession(sql, request)).already, false)
  test.equal((await revokeSession(sql, request)).already, true)
  test.equal(await findCredential(sql, hashCredential(secret, session.token)), undefined)
  await test.rejects(revokeSession(sql, { ...request, id: newId() }), { code: 'UNKNOWN_SESSION' })
})

t.test('sessions and invitations are deleted thirty days after their end', async (test) => {
  const { id: workspaceId, personId } = await make('Ended')
  const day = (n: number, ms = 0) => new Date(now.getTime() + n * 86_400_000 + ms)
  const base = () => ({ id: newId(), workspaceId, now })
  const expired = await createSession(sql, secret, { ...base(), expiresAt: day(1) })
  const revoked = await createSession(sql, secret, { ...base(), expiresAt: day(300) })
  await revokeSession(sql, { workspaceId, id: revoked.id, now: day(2) })
  const unused = await createBrowserSession(sql, secret, base(), 'Firefox')
  const open = await createSession(sql, secret, { ...base(), expiresAt: day(300) })
  const invitation = { personId, codeHash: Buffer.alloc(32, 1), expiresAt: day(3) }
  await sql.begin((tx) => writeInvitation(tx, invitation))
  const left = async () => (await listSessions(sql, workspaceId)).map(({ id }) => id)
  const invitations = async () => (await sql`select from invitations where person_id = ${personId}`).length

  await removeEndedSessions(sql, day(31))
  test.same(await left(), [expired.id, revoked.id, unused.id, open.id])
  await removeEndedSessions(sql, day(31, 1))
  test.same(await left(), [revoked.id, unused.id, open.id])
  await removeEndedSessions(sql, day(32))
  test.same(await left(), [revoked.id, unused.id, open.id])
  await removeEndedSessions(sql, day(32, 1))
  test.same(await left(), [unused.id, open.id])
  await removeEndedSessions(sql, day(33))
  test.equal(await invitations(), 1)
  await removeEndedSessions(sql, day(33, 1))
  test.equal(await invitations(), 0)
  await removeEndedSessions(sql, day(60))
  test.same(await left(), [unused.id, open.id])
  await removeEndedSessions(sql, day(60, 1))
  test.same(await left(), [open.id])
})

t.test('a partial update of quotas keeps the others', async (test) => {
  const { id: workspaceId } = await make('Quota')
  test.strictSame(await setQuota(sql, { workspaceId, dailyEvents: 5_000_000_000 }), {
    workspaceId,
    dailyEvents: 5_000_000_000,
    dailyExposures: null,
    requestsPerSecond: null,
    eventsPerSecond: null,
  })
  await setQuota(sql, { workspaceId, requestsPerSecond: 10, eventsPerSecond: 20 })
  test.strictSame(await setQuota(sql, { workspaceId, dailyEvents: null, eventsPerSecond: null }), {
    workspaceId,
    dailyEvents: null,
    dailyExposures: null,
    requestsPerSecond: 10,
    eventsPerSecond: null,
  })
  await test.rejects(setQuota(sql, { workspaceId: newId(), dailyEvents: 1 }), { code: 'UNKNOWN_WORKSPACE' })
})

t.test('every change of a credential is announced', async (test) => {
  const heard: string[] = []
  const { unlisten } = await sql.listen(CREDENTIAL_CHANNEL, (payload) => heard.push(payload))
  const workspace = await make('Announced')
  const key = await createKey(sql, secret, {
    id: newId(),
    workspaceId: workspace.id,
    type: 'server',
    name: 'k',
    scopes: [],
    now,
  })
  await revokeKey(sql, { workspaceId: workspace.id, id: key.id, now })
  await setQuota(sql, { workspaceId: workspace.id, dailyEvents: 1 })
  await sql`update people set permissions = '{}' where id = ${workspace.personId}`
  await sql`select 1`
  const hash = hashCredential(secret, key.key).toString('hex')
  await waitUntil(() => heard.length >= 4)
  test.strictSame(heard, [hash, hash, `workspace:${workspace.id}`, `workspace:${workspace.id}`])
  await unlisten()
})
