import t, { type Test } from 'tap'
import { withApi } from '../support/api.js'
import { connectToGitHub, type PlannedView, until } from '../support/repository.js'
import { SHOP } from '../support/shop.js'

const api = await withApi(t)

interface RunView {
  readonly status: string
  readonly survived: number
  readonly error: { readonly step: string; readonly message: string } | null
}

async function shopAtGitHub(t: Test) {
  const workspace = await api.workspace()
  const { key } = workspace
  const github = await connectToGitHub(api, t, workspace, { files: SHOP })
  const batch = async (): Promise<RunView & { readonly runId: string }> => {
    const { body } = await api.client.request<{ runId: string }>('POST', '/experiments/generate', {
      key,
      body: { count: 3 },
    })
    const run = await until(
      async () => (await api.client.request<RunView>('GET', `/experiment-runs/${body.runId}`, { key })).body,
      ({ status }) => status === 'succeeded' || status === 'failed',
      60,
    )
    return { ...run, runId: body.runId }
  }
  return { github, key, batch }
}

t.test('a batch is generated from GitHub despite answers that are cut off, refused or late', async (t) => {
  const { github, key, batch } = await shopAtGitHub(t)
  github.fault({ path: /\/git\/trees\//, answer: 'cut' })
  github.fault({ path: /\/git\/blobs\//, answer: { status: 502, body: { message: 'Bad gateway' } } })
  github.fault({
    path: /\/git\/blobs\//,
    answer: {
      status: 403,
      headers: { 'retry-after': '1' },
      body: { message: 'You have exceeded a secondary rate limit.' },
    },
  })
  const run = await batch()
  t.match(run, { status: 'succeeded', survived: 3, error: null })
  const { body: page } = await api.client.request<{ data: readonly PlannedView[] }>(
    'GET',
    `/experiments?experimentRunId=${run.runId}`,
    { key },
  )
  t.equal(page.data.length, 3)
  for (const { id } of page.data) {
    const { body } = await api.client.request<PlannedView>('GET', `/experiments/${id}`, { key })
    t.equal(body.plan?.commit, github.repository.git('rev-parse', 'main'))
  }

  const before = github.asked.filter(({ path }) => path.includes('/git/blobs/')).length
  const again = await batch()
  t.equal(again.status, 'succeeded')
  const after = github.asked.filter(({ path }) => path.includes('/git/blobs/')).length
  t.ok(after - before <= before, 'what is known is not asked for again')
  t.ok(
    github.asked.every(({ method }) => method === 'GET'),
    'nothing is written',
  )
})

t.test('a token that is refused ends the run with the step and the reason', async (t) => {
  const { github, batch } = await shopAtGitHub(t)
  github.fault({
    times: 50,
    path: /^\/repos\//,
    answer: { status: 401, body: { message: 'Bad credentials' } },
  })
  const run = await batch()
  t.match(run, { status: 'failed', survived: 0, error: { step: 'read' } })
  t.notMatch(run.error?.message, github.token)
})
