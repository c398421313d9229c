import t from 'tap'
import { withApi } from './support/api.js'
import { storeEvents } from './support/events.js'
import { putExperiment } from './support/experiments.js'
import { operationCase } from './support/operations.js'

const api = await withApi(t)
const { client } = api
const workspace = await api.workspace()
const { key } = workspace

const etagOf = async (path: string): Promise<string> =>
  String((await client.request('GET', path, { key })).headers.etag)
const sent = (ifMatch: string, body?: unknown) => ({ key, headers: { 'If-Match': ifMatch }, body })

/** Writes of a resource, and the path of its GET. */
const WRITES = [
  ['PATCH', 'updateExperiment', /^(\/experiments\/[^/]+)$/],
  ['PUT', 'replaceConversionTargets', /^(\/experiments\/[^/]+)\/conversion-targets$/],
  ['POST', 'approveProposal', /^(\/experiments\/[^/]+)\/approve$/],
  ['POST', 'dismissProposal', /^(\/experiments\/[^/]+)\/dismiss$/],
  ['POST', 'startExperiment', /^(\/experiments\/[^/]+)\/start$/],
  ['POST', 'pauseExperiment', /^(\/experiments\/[^/]+)\/pause$/],
  ['POST', 'resumeExperiment', /^(\/experiments\/[^/]+)\/resume$/],
  ['POST', 'endExperiment', /^(\/experiments\/[^/]+)\/end$/],
  ['POST', 'shipExperiment', /^(\/experiments\/[^/]+)\/ship$/],
  ['POST', 'decideExperiment', /^(\/experiments\/[^/]+)\/decide$/],
  ['PATCH', 'updateLearning', /^(\/learnings\/[^/]+)$/],
  ['PATCH', 'updateFunnel', /^(\/funnel\/[^/]+)$/],
  ['DELETE', 'deleteFunnel', /^(\/funnel\/[^/]+)$/],
  ['PATCH', 'updateInsight', /^(\/funnel\/insights\/[^/]+)$/],
  ['DELETE', 'deleteInsight', /^(\/funnel\/insights\/[^/]+)$/],
  ['PATCH', 'updateDashboard', /^(\/funnel\/dashboards\/[^/]+)$/],
  ['DELETE', 'deleteDashboard', /^(\/funnel\/dashboards\/[^/]+)$/],
  ['POST', 'rotateKey', /^(\/keys\/[^/]+)\/rotate$/],
  ['DELETE', 'revokeKey', /^(\/keys\/[^/]+)$/],
  ['DELETE', 'endSession', /^(\/sessions\/[^/]+)$/],
  ['PATCH', 'updatePerson', /^(\/people\/[^/]+)$/],
  ['DELETE', 'removePerson', /^(\/people\/[^/]+)$/],
  ['PATCH', 'updateHook', /^(\/hooks\/[^/]+)$/],
  ['DELETE', 'deleteHook', /^(\/hooks\/[^/]+)$/],
] as const

// `start` needs it.
await storeEvents(api, workspace.id, Date.now(), [{ event: 'order_paid', userId: 'u' }])

for (const [method, operationId, resource] of WRITES)
  t.test(`${operationId} is refused for another ETag, and accepted for the current one`, async (t) => {
    const { status, prepare } = operationCase(operationId)
    const { path, body } = await prepare({ api, workspace })
    const read = resource.exec(path)?.[1] ?? ''
    const key = /^\/(keys|people|sessions|hooks)/.test(path) ? workspace.session : workspace.key
    const sent = (ifMatch: string) => ({ key, headers: { 'If-Match': ifMatch }, body })
    const before = await client.request('GET', read, { key })
    const etag = String(before.headers.etag)
    for (const stale of [`"${'A'.repeat(27)}"`, `W/${etag}`, 'nonsense', etag.replaceAll('"', ''), '']) {
      const refused = await client.request(method, path, sent(stale))
      t.strictSame([refused.status, refused.body.code], [412, 'PRECONDITION_FAILED'], stale)
    }
    t.strictSame((await client.request('GET', read, { key })).body, before.body, 'nothing changed')
    const accepted = await client.request(method, path, sent(`"other", ${etag}`))
    t.equal(accepted.status, status)
    const again = await client.request(method, path, sent(etag))
    // A revoked key stays in the list.
    t.equal(again.status, method === 'DELETE' && operationId !== 'revokeKey' ? 404 : 412)
  })

t.test('* matches any state, and a missing resource is still a 404', async (t) => {
  const id = await putExperiment(api, workspace, 'running')
  t.equal((await client.request('POST', `/experiments/${id}/pause`, sent('*', {}))).status, 200)
  const other = await api.workspace()
  for (const ifMatch of ['*', '"x"']) {
    const options = { ...sent(ifMatch, {}), key: other.key }
    t.equal((await client.request('POST', `/experiments/${id}/pause`, options)).status, 404)
    t.equal((await client.request('PATCH', `/funnel/${id}`, { ...options, body: { name: 'N' } })).status, 404)
  }
})

t.test('a new measurement does not refuse a write', async (t) => {
  const id = await putExperiment(api, workspace, 'running', { key: 'measured' })
  const etag = await etagOf(`/experiments/${id}`)
  const properties = { experiment: 'measured', variant: 'treatment' }
  await storeEvents(api, workspace.id, Date.now(), [{ event: '$exposure', userId: 'u', properties }])
  api.clock.now = () => Date.now() + 60_000
  t.not(await etagOf(`/experiments/${id}`), etag)
  t.equal((await client.request('POST', `/experiments/${id}/pause`, sent(etag, {}))).status, 200)
})

t.test('the use of a key and of an invitation does not refuse a write', async (t) => {
  const { session } = workspace
  const made = await workspace.keyWith([])
  const invited = await client.request<{ id: string; invitation: { url: string } }>('POST', '/people', {
    key: session,
    body: { name: 'Bo', email: 'bo@example.com' },
  })
  const paths = [`/keys/${made.id}`, `/people/${invited.body.id}`]
  const tags = await Promise.all(
    paths.map(async (path) => String((await client.request('GET', path, { key: session })).headers.etag)),
  )
  await api.sql`update api_keys set last_used_at = now() where id = ${made.id}`
  await api.sql`delete from invitations where person_id = ${invited.body.id}`
  for (const [at, path] of paths.entries()) {
    const tag = tags[at] ?? ''
    t.not((await client.request('GET', path, { key: session })).headers.etag, tag)
    t.equal(
      (await client.request('DELETE', path, { key: session, headers: { 'If-Match': tag } })).status,
      204,
    )
  }
})

t.test('of several writers with the same ETag one succeeds', async (t) => {
  const id = await putExperiment(api, workspace, 'proposed')
  for (let round = 0; round < 5; round++) {
    const etag = await etagOf(`/experiments/${id}`)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        client.request<{ notes: string }>(
          'PATCH',
          `/experiments/${id}`,
          sent(etag, { notes: `${round}.${n}` }),
        ),
      ),
    )
    t.strictSame(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 412)])
    const winner = answers.find(({ status }) => status === 200)
    const now = await client.request<{ notes: string }>('GET', `/experiments/${id}`, { key })
    t.equal(now.body.notes, winner?.body.notes)
  }
})

t.test('a replay under an Idempotency-Key is not checked again', async (t) => {
  const id = await putExperiment(api, workspace, 'running')
  const etag = await etagOf(`/experiments/${id}`)
  const headers = { 'If-Match': etag, 'Idempotency-Key': 'if-match-replay' }
  const pause = () => client.request('POST', `/experiments/${id}/pause`, { key, headers, body: {} })
  t.equal((await pause()).status, 200)
  const replayed = await pause()
  t.strictSame([replayed.status, replayed.headers['idempotent-replayed']], [200, 'true'])
})
