import t from 'tap'
import { withApi } from '../support/api.js'
import { type PlannedView, until } from '../support/repository.js'
import { makeShop, PATIENCE_S, type Shop } from '../support/shop.js'

const api = await withApi(t)
const { client, sql } = api

interface Revision {
  readonly id: string
  readonly status: string
  readonly instructions: string
  readonly error: string | null
  readonly finishedAt: string | null
}

const refine = (at: Shop, id: string, instructions: string) =>
  client.request<Revision>('POST', `/experiments/${id}/refine`, {
    key: at.workspace.key,
    body: { instructions },
  })
const latest = async (at: Shop, id: string) =>
  (await client.request<Revision>('GET', `/experiments/${id}/refine`, { key: at.workspace.key })).body
const over = (at: Shop, id: string) =>
  until(
    () => latest(at, id),
    ({ finishedAt }) => finishedAt !== null,
    PATIENCE_S,
  )
/** The visible proposal and what its pull request would write. */
const shown = async (at: Shop, id: string) => {
  const { name, hypothesis, variants, conversionTargets, surfaces, plan } = await at.planned(id)
  return { name, hypothesis, variants, conversionTargets, surfaces, plan }
}

const at = await makeShop(api, t)
const batch = await at.batch({ count: 20 })
const on = (path: string): PlannedView => {
  const found = batch.find(({ surfaces, status }) => surfaces[0]?.path === path && status === 'proposed')
  if (found === undefined) throw new Error(`nothing is proposed for ${path}`)
  return found
}

t.test(
  "a revision's notes and hypothesis name the new event and words that the code does not state",
  async (t) => {
    const { id } = on('contact.html')
    await refine(at, id, 'target form_filled_in, and say "Ask us for free"')
    t.match(await over(at, id), { status: 'done', error: null })
    const { notes, hypothesis, conversionTargets } = await at.planned(id)
    t.equal(conversionTargets[0]?.eventName, 'form_filled_in')
    t.match(notes, 'Send `form_filled_in` when')
    t.equal(notes.split('Send `').length, 2, notes)
    t.match(hypothesis, 'then `form_filled_in` will increase')
    t.match(
      notes,
      '“Ask us for free” stands there as the instructions word it: contact.html does not state “free”',
    )
  },
)

t.test(
  'an instruction that is not understood changes nothing, and the answer lists the understood ones',
  async (t) => {
    const { id } = on('contact.html')
    const before = await shown(at, id)
    await refine(at, id, 'Paint it like a herring')
    const failed = await over(at, id)
    t.match(failed, { status: 'failed', instructions: 'Paint it like a herring' })
    t.ok((failed.error ?? '').length > 20, failed.error ?? '')
    t.strictSame(await shown(at, id), before)
    await refine(at, id, 'Say "Write to us"')
    t.match(await over(at, id), { status: 'done', instructions: 'Say "Write to us"' }, 'the latest is shown')
  },
)

/** Does something while a revision is made from the earlier proposal. */
async function beside(id: string, instructions: string, work: () => Promise<unknown>): Promise<Revision> {
  await sql.begin(async (tx) => {
    await tx`lock table proposal_ideas in access exclusive mode`
    await tx`set local idle_in_transaction_session_timeout = 0`
    t.equal((await refine(at, id, instructions)).status, 202)
    await until(
      () =>
        sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%proposal_ideas%'`,
      (waiting) => waiting.length > 0,
      30,
    )
    await work()
  })
  return over(at, id)
}

t.test('of two concurrent revisions one is made', async (t) => {
  const { id } = on('contact.html')
  const revision = await beside(id, 'Say "Ask us"', async () => {
    t.match((await refine(at, id, 'Say "Tell us"')).body, { code: 'REFINE_IN_FLIGHT' })
  })
  t.match(revision, { status: 'done', instructions: 'Say "Ask us"' })
})

t.test('an edit made during a revision is kept, and the revision builds on it', async (t) => {
  const { id } = on('contact.html')
  const revision = await beside(id, 'Say "Send it"', async () => {
    const edited = await client.request('PATCH', `/experiments/${id}`, {
      key: at.workspace.key,
      body: { conversionTargets: [{ eventName: 'order_paid' }], notes: 'Mind the tone' },
    })
    t.equal(edited.status, 200)
  })
  t.match(revision, { status: 'done' })
  const after = await at.planned(id)
  t.match(after, { notes: 'Mind the tone', conversionTargets: [{ eventName: 'order_paid' }] })
  t.match(after.plan?.files[0]?.diff, 'Send it')
})

t.test('a revision replaces the previous proposal', async (t) => {
  const { id, key } = on('contact.html')
  const { notes, priority } = await at.planned(id)
  const before = await at.planned(id)
  const accepted = await refine(at, id, 'Say "Have a code?" instead')
  t.equal(accepted.status, 202)
  t.equal(accepted.headers.location, `/v1/experiments/${id}/refine`)
  t.match(await over(at, id), { id: accepted.body.id, status: 'done', error: null })
  const after = await at.planned(id)
  t.match(after, { id, key, notes, priority, status: 'proposed' }, 'the same proposal')
  t.ok(after.updatedAt > before.updatedAt)
  t.match(after.plan?.files[0]?.diff, 'Have a code?')
  t.equal((await at.post(`/experiments/${id}/approve`)).status, 200)
  await at.reaches(id, 'pr_open')
  t.match(at.repository.git('show', `svc/${key}:contact.html`), 'Have a code?')
})

for (const [action, body, status] of [
  ['dismiss', { reasons: ['other'] }, 'dismissed'],
  ['approve', {}, 'pr_open'],
] as const)
  t.test(`${action} during a revision wins, and the revision fails`, async (t) => {
    const { id } = on(action === 'approve' ? 'app/Signup.jsx' : 'index.html')
    const { name, variants } = await at.planned(id)
    const shares = variants.length === 2 ? '70/30' : '50/25/25'
    const revision = await beside(id, `Split it ${shares}`, async () => {
      t.equal((await at.post(`/experiments/${id}/${action}`, body)).status, 200)
    })
    t.match(revision, {
      status: 'failed',
      error: /^the proposal was not rewritten, because in the meantime it (is|was) /,
    })
    t.match(await at.reaches(id, status), {
      status,
      name,
      variants: variants.map(({ trafficSplit }) => ({ trafficSplit })),
    })
    t.match((await refine(at, id, 'Shorter')).body, { code: 'ILLEGAL_TRANSITION' })
  })
