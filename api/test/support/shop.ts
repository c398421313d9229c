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
  readonly ideas: readonly { readonly name: string; readonly outcome: string }[]
  readonly questions: number
  readonly tokens: number
  readonly durationMs: number | null
  readonly error: { readonly step: string; readonly message: string } | null
}

/** How long to wait for background work. */
export const PATIENCE_S = 120

/** A realistic shop, so that there is something to propose. */
export const SHOP = {
  'index.html': `<!doctype html>
<html lang="en">
  <head>
    <title>Lumen - lamps made by hand</title>
    <link rel="stylesheet" href="style.css">
  </head>
  <body>
    <nav><a href="/">Home</a> <a href="/lamps.html">Lamps</a> <a href="/checkout.html">Our plans</a> <a href="/contact.html">Contact</a></nav>
    <main>
      <section class="hero">
        <h1>Lamps that last a lifetime</h1>
        <p>Table lamps made by hand in a small workshop in Porto</p>
        <a class="btn" href="/lamps.html">Choose your lamp</a>
        <a class="btn" href="#">All lamps</a>
      </section>
      <div class="card" id="winter"><h3>The lamps of this winter</h3><a href="/lamps.html">See the lamps</a></div>
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
      <h1>Choose the plan for your lamps</h1>
      <div>
        <div class="plan"><h3>One lamp</h3><p>$90</p><a class="btn" href="/buy/1">Buy now</a></div>
        <div class="plan"><h3>Two lamps</h3><p>$160</p><a class="btn" href="/buy/2">Buy now</a></div>
      </div>
    </main>
  </body>
</html>
`,
  'contact.html': `<!doctype html>
<html lang="en">
  <head>
    <title>Contact - Lumen</title>
  </head>
  <body>
    <main>
      <h1>Your own lamp, with payment on delivery</h1>
      <form action="https://formspree.io/f/lumen" method="post">
        <label>Your email <input type="email" name="email" required></label>
        <label>Telephone <input type="tel" name="phone" required></label>
        <label>How high it may be <input name="height"></label>
        <div><label>Promo code <input name="coupon"></label></div>
        <button>Submit</button>
      </form>
    </main>
  </body>
</html>
`,
  'app/Signup.jsx': `import { useState } from 'react'

export function Signup({ onDone }) {
  const [name, setName] = useState('')
  const [mail, setMail] = useState('')
  const [pass, setPass] = useState('')
  const [phone, setPhone] = useState('')
  const send = (event) => {
    event.preventDefault()
    onDone(name, mail, pass, phone)
  }
  return (
    <main>
      <h1>Create an account for the shop</h1>
      <p>You will see all of your orders in one place.</p>
      <form onSubmit={send}>
        <label htmlFor="name">Your name</label>
        <input id="name" value={name} onChange={(e) => setName(e.target.value)} required />
        <label htmlFor="mail">Your email</label>
        <input id="mail" type="email" value={mail} onChange={(e) => setMail(e.target.value)} required />
        <label htmlFor="pass">Your password</label>
        <input id="pass" type="password" value={pass} onChange={(e) => setPass(e.target.value)} required />
        <div>
          <label htmlFor="phone">Your phone</label>
          <input id="phone" type="tel" value={phone} onChange={(e) => setPhone(e.target.value)} required />
        </div>
        <button type="submit">Submit</button>
      </form>
    </main>
  )
}
`,
  'app/main.jsx': `import { createRoot } from 'react-dom/client'
import { Signup } from './Signup'

createRoot(document.getElementById('signup')).render(<Signup onDone={() => location.assign('/')} />)
`,
  'package.json': '{"name":"lumen","dependencies":{"react":"18"}}\n',
} as const

/** A workspace with a shop, as requests see it. */
export interface Shop {
  readonly workspace: TestWorkspace
  readonly repository: TestRepository
  generate(body?: unknown): Promise<ContractAnswer<{ readonly runId: string; readonly status: string }>>
  run(id: string): Promise<RunView>
  /** The run once it has ended. */
  over(id: string): Promise<RunView>
  /** Generates a batch and returns its proposals, newest first. */
  batch(body?: unknown): Promise<readonly PlannedView[]>
  proposals(runId: string): Promise<readonly PlannedView[]>
  post(path: string, body?: unknown): Promise<ContractAnswer<PlannedView>>
  get(id: string): Promise<PlannedView>
  reaches(id: string, status: string): Promise<PlannedView>
  /** Waits for the plan's state in the repository. */
  planned(id: string): Promise<PlannedView>
}

export async function makeShop(
  api: Pick<TestApi, 'sql' | 'secretKey' | 'clickhouse' | 'client' | 'workspace'>,
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
      PATIENCE_S,
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
    reaches: (id, status) =>
      until(
        () => get<PlannedView>(`/experiments/${id}`),
        (row) => row.status === status,
        PATIENCE_S,
      ),
    planned: (id) =>
      until(
        () => get<PlannedView>(`/experiments/${id}`),
        (row) => typeof row.plan?.files[0]?.state === 'string',
        PATIENCE_S,
      ),
  }
}
