import { Registry } from 'prom-client'
import t from 'tap'
import type { IdentityProviderSettings } from '../../management/sessions/index.js'
import { createPerson, newId } from '../../postgres/tables/workspaces.js'
import { withDatabase } from '../../postgres/test/support/database.js'
import { openIdentityProvider } from '../../test/support/identity-provider.js'
import { buildOpenApi } from '../http/openapi/openapi.js'
import { routes } from '../routes.js'
import { makeWorkspace } from './support/api.js'
import { type ContractAnswer, createContractClient } from './support/client.js'
import { noClickHouse, startStage } from './support/stage.js'

const { sql } = await withDatabase(t)
const secretKey = Buffer.alloc(32, 7)
const provider = await openIdentityProvider(t)
const { issuer, clientId, clientSecret } = provider
const workspace = await makeWorkspace(sql, secretKey, 'With a provider')
const openapi: unknown = JSON.parse(JSON.stringify(buildOpenApi(routes)))
const SECURE = 'https://svc.example.com'

interface Settings extends Partial<IdentityProviderSettings> {
  /** How far the clock of the service is ahead. */
  readonly aheadMs?: number
}

/** A process of the API that signs people in with the provider. */
async function openApi({ aheadMs = 0, ...settings }: Settings = {}) {
  const oidc = {
    issuer,
    clientId,
    clientSecret,
    unknown: 'refuse' as const,
    workspaceId: workspace.id,
    ...settings,
  }
  const stage = await startStage(
    { sql, clickhouse: noClickHouse, secretKey },
    { oidc, registry: new Registry(), now: () => Date.now() + aheadMs },
  )
  t.teardown(() => stage.stop())
  const url = stage.url ?? ''
  const client = createContractClient(openapi, url)

  const begin = (origin = url) =>
    client.request<{ url: string; code?: string }>('POST', '/sign-in/provider', {
      headers: { 'X-Svc-Console': '1', Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
    })
  /** The browser comes back with a query and a cookie. */
  const finish = (query: string, cookie: string) =>
    client.request('GET', `/sign-in/callback${query}`, { headers: { Cookie: cookie } })
  /** To the provider and back, without the last step. */
  const visit = async (origin?: string): Promise<{ query: string; cookie: string }> => {
    const { body, headers } = await begin(origin)
    const back = await followTo(body.url, `${origin ?? url}/v1/sign-in/callback`)
    return { query: new URL(back).search, cookie: pairOf(cookiesOf(headers)[0]) }
  }
  const signIn = async (origin?: string) => {
    const { query, cookie } = await visit(origin)
    return finish(query, cookie)
  }
  return { url, client, begin, finish, visit, signIn }
}

const cookiesOf = (headers: ContractAnswer['headers']): readonly string[] => headers['set-cookie'] ?? []
const pairOf = (cookie: string | undefined) => cookie?.split(';')[0] ?? ''
/** The cookie of the new session. */
const sessionOf = ({ headers }: ContractAnswer) =>
  cookiesOf(headers).find((cookie) => cookie.includes('svc_session'))

/** Follows the provider's redirects with a browser's cookies, until an address begins with `end`. */
async function followTo(start: string, end: string): Promise<string> {
  const jar = new Map<string, string>()
  let next = start
  for (let step = 0; step < 10 && !next.startsWith(end); step++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = pairOf(set).split(/=(.*)/)
      jar.set(name, value)
    }
    next = new URL(response.headers.get('location') ?? '/no-redirect', next).href
  }
  return next
}

const api = await openApi()
const callback = '/v1/sign-in/callback'

const member = await openApi({ unknown: 'member' })
const anywhere = await openApi({ workspaceId: undefined })
const clocks = await Promise.all([-50_000, 50_000, 150_000].map((aheadMs) => openApi({ aheadMs })))
t.test('while the provider does not answer, the console shows it, and sign-in works later', async (t) => {
  const down = await api.begin()
  t.match(down, { status: 503, body: { code: 'UNAVAILABLE', message: /identity provider/ } })
  await provider.serve([api, member, anywhere, ...clocks, { url: SECURE }].map(({ url }) => url + callback))
  t.equal((await api.begin()).status, 200)
})

t.test('a person with a verified email address is signed in', async (t) => {
  provider.person = { email: 'Owner@Example.com', email_verified: true }
  const state = await api.client.request('GET', '/sign-in')
  t.strictSame(state.body, { signedIn: false, provider: new URL(issuer).host })
  const begun = await api.begin()
  t.match(cookiesOf(begun.headers)[0], /; Path=\/v1\/sign-in\/callback; HttpOnly; SameSite=Lax; Max-Age=600$/)
  const signedIn = await api.signIn()
  t.match(signedIn, { status: 303, headers: { location: '/' } })
  t.match(sessionOf(signedIn), /^svc_session=\w+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=7776000$/)
  const headers = { Cookie: pairOf(sessionOf(signedIn)) }
  const me = await api.client.request('GET', '/me', { headers })
  t.match(me.body, { workspace: { id: workspace.id }, person: { id: workspace.ownerId } })
  const [entry] = await sql`select summary from audit_entries where workspace_id = ${workspace.id}`
  t.equal(entry?.summary, `Signed in Owner of With a provider with ${new URL(issuer).host}`)
  t.match(sessionOf(await api.signIn(SECURE)), /^__Host-svc_session=\w+; Secure; /, 'over https')
})

t.test('an unknown or unverified address is refused', async (t) => {
  for (const [person, reason] of [
    [{ email: 'stranger@example.com', email_verified: true }, 'unknown'],
    [{ email: 'owner@example.com', email_verified: false }, 'unverified'],
  ] as const) {
    provider.person = person
    const refused = await api.signIn()
    t.match(refused, { status: 303, headers: { location: `/#sign-in=${reason}` } })
    t.equal(sessionOf(refused), undefined)
  }
  provider.person = { email: 'owner@example.com', email_verified: true }
})

t.test('a used, changed or mixed-up answer of the provider signs no one in', async (t) => {
  const [one, two] = [await api.visit(), await api.visit()]
  const changed = (text: string, name: string) =>
    text.replace(new RegExp(`(${name}=)(.)`), (_, head, first) => head + (first === 'A' ? 'B' : 'A'))
  const codeOf = (query: string) => new URLSearchParams(query).get('code') ?? ''
  for (const [query, cookie] of [
    [changed(one.query, 'state'), one.cookie],
    [one.query, changed(one.cookie, 'svc_sign_in')],
    [one.query, 'svc_sign_in=nothing'],
    [one.query, ''],
    [one.query, two.cookie],
    [one.query.replace(codeOf(one.query), codeOf(two.query)), one.cookie],
    ['?error=access_denied', one.cookie],
    ['', one.cookie],
  ] as const) {
    const refused = await api.finish(query, cookie)
    t.match(refused, { status: 303, headers: { location: '/#sign-in=failed' } }, `${query} ${cookie}`)
    t.equal(sessionOf(refused), undefined)
  }
  const { query, cookie } = await api.visit()
  t.equal((await api.finish(query, cookie)).headers.location, '/')
  t.equal((await api.finish(query, cookie)).headers.location, '/#sign-in=failed', 'a second time')
  const elsewhere = { headers: { 'X-Svc-Console': '1', Origin: 'http://evil.example' } }
  t.equal((await api.client.refused('POST', '/sign-in/provider', elsewhere)).body.code, 'CROSS_SITE_REQUEST')
})

t.test('a sign-in that one process began can be finished by another', async (t) => {
  const { query, cookie } = await api.visit()
  t.equal((await member.finish(query, cookie)).headers.location, '/')
})

t.test('clocks may differ by a minute, and not by more', async (t) => {
  const locations: (string | undefined)[] = []
  for (const clock of clocks) locations.push((await clock.signIn()).headers.location)
  t.strictSame(locations, ['/', '/', '/#sign-in=failed'])
})

t.test('unknown people become members who may read, but removed ones do not', async (t) => {
  provider.person = { email: 'new@example.com', email_verified: true, name: 'New person' }
  const headers = { Cookie: pairOf(sessionOf(await member.signIn())) }
  const me = await member.client.request<{ person: { id: string } }>('GET', '/me', { headers })
  t.match(me.body, {
    workspace: { id: workspace.id },
    person: { name: 'New person', email: 'new@example.com' },
  })
  t.strictSame((await member.client.request('GET', '/me/permissions', { headers })).body, { data: [] })
  const { id } = me.body.person
  t.equal((await member.signIn()).headers.location, '/', 'the same person again')
  const people = await sql`select id from people where email = 'new@example.com'`
  t.strictSame(
    people.map((row) => row.id),
    [id],
  )
  const [entry] =
    await sql`select summary from audit_entries where action = 'person.create' and resource_id = ${id}`
  t.match(entry?.summary, /^Added new@example\.com, whom .+ signed in$/)
  await sql`update people set removed_at = now() where id = ${id}`
  t.equal((await member.signIn()).headers.location, '/#sign-in=unknown')
})

t.test('the address of a person in several workspaces signs in to the configured one', async (t) => {
  const other = await makeWorkspace(sql, secretKey, 'Another')
  provider.person = { email: 'owner@example.com', email_verified: true }
  t.equal((await anywhere.signIn()).headers.location, '/#sign-in=ambiguous')
  t.equal((await api.signIn()).headers.location, '/')
  await createPerson(sql, {
    id: newId(),
    workspaceId: other.id,
    name: 'Only there',
    email: 'only@example.com',
    permissions: [],
    now: new Date(),
  })
  provider.person = { email: 'only@example.com', email_verified: true }
  t.equal((await anywhere.signIn()).headers.location, '/')
  t.equal((await api.signIn()).headers.location, '/#sign-in=unknown', 'of another workspace')
})
