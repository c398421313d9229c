import type { Test } from 'tap'
import { makeRepository, type TestRepository } from '../../../repositories/test/support/git-repository.js'
import type { TestApi, TestWorkspace } from './api.js'
import type { ContractAnswer } from './client.js'
import { storeEvents } from './events.js'
import type { PageView } from './experiments.js'
import { connectTo, type PlannedView, until } from './repository.js'

export interface RunView {
  readonly id: string
  readonly status: string
  readonly step: string | null
  readonly progress: number
  readonly requested: number
  readonly generated: number
  readonly survived: number
  readonly dropped: readonly { readonly reason: string; readonly count: number }[]
  readonly durationMs: number | null
  readonly error: { readonly step: string; readonly message: string } | null
}

/** A shop as teams write them, so that there is something to propose. */
export const SHOP = {
  'index.html': `<!doctype html>
<html lang="en">
  <head>
    <title>Lumen - lamps made by hand</title>
    <link rel="stylesheet" href="style.css">
  </head>
  <body>
    <nav><a href="/">Home</a> <a href="/lamps.html">Lamps</a> <a href="/contact.html">Contact</a></nav>
    <main>
      <section class="hero">
        <h1>Welcome to Lumen</h1>
        <p>Table lamps made by hand in Porto. Free returns within 30 days.</p>
        <a class="btn btn-primary" href="/lamps.html">Click here</a>
      </section>
      <section>
        <h2>Newsletter</h2>
        <form action="/newsletter" method="post">
          <label for="email">E-mail</label>
          <input id="email" type="text" name="email">
          <label for="phone">Phone (optional)</label>
          <input id="phone" type="text" name="phone">
          <button type="submit">Submit</button>
        </form>
      </section>
      <section>
        <h2>What people say</h2>
        <blockquote>“The light is warm and the lamp is beautiful.” <cite>Ana, Lisbon</cite></blockquote>
      </section>
    </main>
  </body>
</html>
`,
  'checkout.html': `<!doctype html>
<html lang="en">
  <head>
    <title>Checkout - Lumen</title>
  </head>
  <body>
    <main>
      <h1>Checkout</h1>
      <p>Free returns within 30 days.</p>
      <form action="/orders" method="post">
        <label for="name">Name</label>
        <input id="name" type="text" name="name" required>
        <label for="mail">E-mail</label>
        <input id="mail" type="text" name="email" required>
        <label for="company">Company (optional)</label>
        <input id="company" type="text" name="company">
        <button type="submit">Submit</button>
      </form>
    </main>
  </body>
</html>
`,
  'app/Signup.jsx': `export function Signup({ onDone }) {
  return (
    <main lang="en">
      <h1>Sign up</h1>
      <p>Create an account to see your orders.</p>
      <form onSubmit={onDone}>
        <label htmlFor="email">E-mail</label>
        <input id="email" type="text" name="email" />
        <label htmlFor="password">Password</label>
        <input id="password" type="password" name="password" />
        <button type="submit">Submit</button>
      </form>
    </main>
  )
}
`,
  'package.json': '{"name":"lumen","dependencies":{"react":"18"}}\n',
} as const

/** A workspace with a shop, as requests see it. */
export interface Shop {
  readonly workspace: TestWorkspace
  readonly repository: TestRepository
  generate(body?: unknown): Promise<ContractAnswer<{ readonly runId: string; readonly status: string }>>
  run(id: string): Promise<RunView>
  /** The run once it is over. */
  over(id: string): Promise<RunView>
  /** A batch from its request to its proposals, newest first. */
  batch(body?: unknown): Promise<readonly PlannedView[]>
  proposals(runId: string): Promise<readonly PlannedView[]>
  post(path: string, body?: unknown): Promise<ContractAnswer<PlannedView>>
  get(id: string): Promise<PlannedView>
}

export async function makeShop(
  api: TestApi,
  t: Test,
  files: Readonly<Record<string, string>> = SHOP,
): Promise<Shop> {
  const workspace = await api.workspace()
  const { key } = workspace
  const repository = makeRepository(t, { files, bare: true })
  await connectTo(api, workspace, { location: repository.path })
  await storeEvents(
    api,
    workspace.id,
    Date.now(),
    [
      ...Array.from({ length: 40 }, () => 'page_viewed'),
      ...Array.from({ length: 9 }, () => 'newsletter_subscribed'),
      ...Array.from({ length: 7 }, () => 'signup_completed'),
      ...Array.from({ length: 5 }, () => 'order_paid'),
    ].map((event, n) => ({ event, userId: `u${n}` })),
  )
  const get = async <Body>(path: string) => (await api.client.request<Body>('GET', path, { key })).body
  const post = <Body>(path: string, body: unknown = {}) =>
    api.client.request<Body>('POST', path, { key, body })
  const run = (id: string) => get<RunView>(`/experiment-runs/${id}`)
  const over = (id: string) =>
    until(
      () => run(id),
      ({ status }) => status === 'succeeded' || status === 'failed',
      30,
    )
  const proposals = async (runId: string) =>
    (await get<PageView<PlannedView>>(`/experiments?experimentRunId=${runId}&limit=200`)).data
  const generate = (body: unknown = {}) =>
    post<{ readonly runId: string; readonly status: string }>('/experiments/generate', body)
  return {
    workspace,
    repository,
    run,
    over,
    proposals,
    generate,
    async batch(body) {
      const { runId } = (await generate(body)).body
      const { status, error } = await over(runId)
      if (status !== 'succeeded') throw new Error(`the run failed: ${JSON.stringify(error)}`)
      return proposals(runId)
    },
    post,
    get: (id) => get<PlannedView>(`/experiments/${id}`),
  }
}
