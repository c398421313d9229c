import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { SCOPES, type Scope } from '../../domain/key.js'
import { waitUntil } from '../../test/support/wait-until.js'
import { withApi } from './support/api.js'
import { createContractClient } from './support/client.js'
import { openStream } from './support/event-stream.js'
import { startStage } from './support/stage.js'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()

interface PersonView {
  id: string
  name: string
  email: string
  owner: boolean
  permissions: Scope[]
  invitationExpiresAt: string | null
}
type Refused = { code?: string; details?: { path: string }[] }
type Added = PersonView & { invitation: { url: string; expiresAt: string } } & Refused

let made = 0
const add = (body: object = {}, key = workspace.session) =>
  client.request<Added>('POST', '/people', {
    key,
    body: { name: 'Bo', email: `bo-${++made}@example.com`, permissions: ['funnels.manage'], ...body },
  })
const change = (id: string, body: object, key = workspace.session) =>
  client.request<PersonView & Refused>('PATCH', `/people/${id}`, { key, body })
const remove = (id: string, key = workspace.session) =>
  client.request<Refused>('DELETE', `/people/${id}`, { key })
const listed = async () =>
  (await client.request<{ data: PersonView[] }>('GET', '/people', { key: workspace.session })).body.data
const statusOf = async (key: string) => (await client.request('GET', '/me', { key })).status
/** Another owner, with a session. */
async function owner() {
  const person = await workspace.person([])
  await change(person.id, { owner: true })
  return person
}

t.test('an owner adds a person, changes what they may do, and removes them', async (t) => {
  const { status, body } = await add({ permissions: ['funnels.manage', 'proposals.review'] })
  t.equal(status, 201)
  const { invitation, ...view } = body
  t.match(view, { name: 'Bo', owner: false, permissions: ['proposals.review', 'funnels.manage'] })
  t.match(invitation.url, /^http:\/\/127\.0\.0\.1:\d+\/#code=tsk_once_\w{37}$/)
  const days = (Date.parse(invitation.expiresAt) - Date.now()) / 86_400_000
  t.ok(days > 6.9 && days <= 7)
  t.strictSame((await listed()).at(-1), view)
  const stored = JSON.stringify(await api.sql`select * from invitations`)
  t.notOk(stored.includes(invitation.url.slice(-37)), 'only a hash of the code is stored')

  t.strictSame((await change(view.id, { name: 'Bob', permissions: [] })).body, {
    ...view,
    name: 'Bob',
    permissions: [],
  })
  t.strictSame((await change(view.id, { owner: true })).body.permissions, SCOPES)
  t.match((await change(view.id, { permissions: [] })).body, { owner: true, permissions: SCOPES })
  const again = await client.request<Added['invitation']>('POST', `/people/${view.id}/invitation`, {
    key: workspace.session,
  })
  t.equal(again.status, 201)
  t.not(again.body.url, invitation.url)
  t.equal((await remove(view.id)).status, 204)
  t.notOk((await listed()).some(({ id }) => id === view.id))
  t.equal((await remove(view.id)).status, 404)
  const audit = await client.request<{ data: { action: string; resourceId: string; summary: string }[] }>(
    'GET',
    '/audit',
    { key: workspace.session },
  )
  t.strictSame(
    audit.body.data
      .filter(({ resourceId }) => resourceId === view.id)
      .map(({ action, summary }) => [action, summary]),
    [
      ['person.delete', `Removed Bob (${view.email})`],
      ['person.invite', `Invited Bob (${view.email})`],
      ['person.update', `Changed owner, permissions of Bob (${view.email})`],
      ['person.update', `Changed name, permissions of Bo (${view.email})`],
      ['person.create', `Added Bo (${view.email})`],
    ],
  )
})

t.test('an invitation signs in once, within seven days, and a new one takes its place', async (t) => {
  const start = Date.now()
  api.clock.now = () => start
  const signIn = (url: string) =>
    client.request<{ token: string }>('POST', '/sessions', { key: url.split('#code=')[1] ?? '' })
  const { id, invitation } = (await add({ name: 'Cy' })).body
  const invite = async () =>
    (await client.request<{ url: string }>('POST', `/people/${id}/invitation`, { key: workspace.session }))
      .body.url
  const [second, pending] = [await invite(), (await listed()).at(-1)]
  t.equal((await signIn(invitation.url)).status, 401, 'replaced')
  t.equal(Date.parse(pending?.invitationExpiresAt ?? ''), start + 7 * 86_400_000)
  const both = await Promise.all([signIn(second), signIn(second)])
  t.strictSame(both.map(({ status }) => status).sort(), [200, 401])
  const token = both.find(({ status }) => status === 200)?.body.token ?? ''
  const me = await client.request<{ person: object }>('GET', '/me', { key: token })
  t.match(me.body.person, { id, name: 'Cy', owner: false })
  t.equal((await listed()).at(-1)?.invitationExpiresAt, null)

  const late = await invite()
  api.clock.now = () => start + 7 * 86_400_000
  t.equal((await signIn(late)).status, 401)
  api.clock.now = () => Date.now()
  const last = await invite()
  await remove(id)
  t.equal((await signIn(last)).status, 401)
})

t.test('only owners see and manage people', async (t) => {
  const member = await workspace.person(SCOPES)
  for (const [method, path] of [
    ['GET', '/people'],
    ['POST', '/people'],
    ['PATCH', `/people/${member.id}`],
    ['DELETE', `/people/${member.id}`],
    ['POST', `/people/${member.id}/invitation`],
  ] as const)
    t.match(await client.request(method, path, { key: member.session, body: {} }), {
      status: 403,
      body: { code: 'MISSING_PERMISSION', details: [{ path: 'owner' }] },
    })
})

t.test('a removed person has no key, session or invitation left, and may come back', async (t) => {
  const person = await workspace.person(SCOPES)
  const key = await workspace.keyWith(SCOPES, person.id)
  t.strictSame([await statusOf(person.session), await statusOf(key.key)], [200, 200])
  const [{ email } = { email: '' }] = (await listed()).filter(({ id }) => id === person.id)
  await remove(person.id)
  t.strictSame([await statusOf(person.session), await statusOf(key.key)], [401, 401])
  const back = (await add({ email: email.toUpperCase(), name: 'Back', permissions: [] })).body
  t.match(back, { id: person.id, name: 'Back', email: email.toUpperCase(), owner: false, permissions: [] })
  t.strictSame([await statusOf(person.session), await statusOf(key.key)], [401, 401])
  t.equal((await add({ email })).body.code, 'EMAIL_TAKEN')
})

t.test('if two owners demote or remove each other concurrently, one stays an owner', async (t) => {
  for (const method of ['PATCH', 'DELETE'])
    for (let round = 0; round < 3; round++) {
      const other = await api.workspace()
      const second = await other.person([])
      const act = (id: string, key: string) =>
        client.request<Refused>(method, `/people/${id}`, {
          key,
          ...(method === 'PATCH' ? { body: { owner: false } } : {}),
        })
      await client.request('PATCH', `/people/${second.id}`, { key: other.session, body: { owner: true } })
      const answers = await Promise.all([act(second.id, other.session), act(other.ownerId, second.session)])
      const won = answers.filter(({ status }) => status < 300)
      t.equal(won.length, 1, `${method} ${answers.map(({ text }) => text).join(' ')}`)
      const [{ owners } = { owners: 0 }] = await api.sql<{ owners: number }[]>`
        select count(*)::int as owners from people
        where workspace_id = ${other.id} and is_owner and removed_at is null`
      t.equal(owners, 1)
    }
})

t.test('a person who is no longer an owner can manage no one, at once', async (t) => {
  const second = await owner()
  const member = await workspace.person([])
  t.equal((await change(member.id, { name: 'Once' }, second.session)).status, 200)
  await change(second.id, { owner: false })
  t.equal((await change(member.id, { name: 'Twice' }, second.session)).status, 403)

  const third = await owner()
  let late: Promise<{ status: number }> | undefined
  await api.sql.begin(async (tx) => {
    await tx`update people set is_owner = false where id = ${third.id}`
    late = change(member.id, { name: 'Late' }, third.session)
    await waitUntil(async () => (await tx`select from pg_locks where not granted`).length > 0)
  })
  t.equal((await late)?.status, 403, 'who was an owner when the request began')
})

t.test('a write in progress is refused if its owner is demoted', async (t) => {
  const second = await owner()
  const { hostname, port } = new URL(api.url)
  const begin = async (path: string, body: object) => {
    const text = JSON.stringify(body)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /v1${path} HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer ${second.session}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`,
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    return async () => {
      socket.write(text)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return /^HTTP\/1.1 (\d+)/.exec(answer.toString())?.[1]
    }
  }
  const started = [
    await begin('/people', { name: 'Di', email: 'di@example.com', permissions: [] }),
    await begin('/keys', { name: 'Late', type: 'server' }),
    await begin('/hooks', { url: 'https://example.com', kinds: ['*'] }),
  ]
  await change(second.id, { owner: false })
  t.strictSame(await Promise.all(started.map((finish) => finish())), ['403', '403', '403'])
})

t.test('open streams end with the person, the key or the session, in other processes too', async (t) => {
  // It would look by itself in ten minutes.
  const other = await startStage(api, { liveTurnMs: 600_000 })
  t.teardown(() => other.stop())
  const elsewhere = createContractClient(api.openapi, other.url ?? '')
  const follow = async (key: string) => {
    const stream = await openStream(other.url ?? '', key)
    t.equal(stream.status, 200)
    t.teardown(() => stream.close())
    return stream
  }
  const kept = await follow(workspace.session)
  const person = await workspace.person(SCOPES)
  const key = await workspace.keyWith(SCOPES, person.id)
  const [own, revoked, signedIn] = [
    await follow(key.key),
    await workspace.keyWith([]),
    await follow(person.session),
  ]
  const alone = await follow(revoked.key)
  await client.request('DELETE', `/keys/${revoked.id}`, { key: workspace.session })
  await alone.until((stream) => stream.ended())
  t.notOk(own.ended() || signedIn.ended())
  await remove(person.id)
  for (const stream of [own, signedIn]) {
    await stream.until(() => stream.ended())
    t.match(stream.messages.at(-1), { name: 'end', data: { code: 'UNAUTHENTICATED' } })
  }
  t.notOk(kept.ended())
  for (const gone of [key.key, person.session])
    t.equal((await elsewhere.refused('GET', '/me', { key: gone })).status, 401)
})

t.test('a long query is not answered if its key has ended meanwhile', async (t) => {
  const { id, key } = await workspace.keyWith([])
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let query: Promise<{ status: number }> | undefined
  await api.sql.begin(async (tx) => {
    await tx`lock table funnels in access exclusive mode`
    query = client.request('GET', '/funnel', { key })
    const waits = () => tx`select 1 from pg_locks where not granted and relation = 'funnels'::regclass`
    await waitUntil(async () => (await waits()).length > 0)
    await client.request('DELETE', `/keys/${id}`, { key: workspace.session })
    setTimeout(release, 1_100)
    await released
  })
  t.equal((await query)?.status, 401)
})

t.test('narrowed permissions are obeyed in other processes', async (t) => {
  const other = await startStage(api)
  t.teardown(() => other.stop())
  const elsewhere = createContractClient(api.openapi, other.url ?? '')
  const person = await workspace.person(['funnels.manage'])
  const create = async () =>
    (
      await elsewhere.request('POST', '/funnel', {
        key: person.session,
        body: { name: `F${++made}`, steps: [{ eventName: 'a' }] },
      })
    ).status
  t.equal(await create(), 201)
  await change(person.id, { permissions: [] })
  await waitUntil(async () => (await create()) === 403)
})

t.test('an invitation signs its person in once, and a newer one ends it', async (t) => {
  const codeOf = ({ url }: { url: string }) => url.split('#code=')[1] ?? ''
  const redeem = (code: string) =>
    client.request<{ token: string } & Refused>('POST', '/sessions', { key: code })
  const { body } = await add({ permissions: [] })
  const newer = await client.request<Added['invitation']>('POST', `/people/${body.id}/invitation`, {
    key: workspace.session,
  })
  t.equal((await redeem(codeOf(body.invitation))).status, 401)
  const signedIn = await redeem(codeOf(newer.body))
  t.equal(signedIn.status, 200)
  const me = await client.request<{ person: { id: string } }>('GET', '/me', { key: signedIn.body.token })
  t.equal(me.body.person.id, body.id)
  t.equal((await redeem(codeOf(newer.body))).status, 401, 'used up')
})
