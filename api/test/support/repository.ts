import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { connectRepository, type RepositoryConnection } from '../../../postgres/tables/repositories.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { makeRepository, type TestRepository } from '../../../repositories/test/support/git-repository.js'
import { type GitHubServer, startGitHubServer } from '../../../repositories/test/support/github-server.js'
import type { TestApi, TestWorkspace } from './api.js'
import type { ContractAnswer } from './client.js'
import { storeEvents } from './events.js'
import type { ExperimentView } from './experiments.js'

export interface PullRequestView {
  readonly number: number | null
  readonly url: string | null
  readonly branch: string | null
  readonly state: string
  readonly error: string | null
  readonly body?: string
}

export interface PlannedView extends ExperimentView {
  readonly pullRequest: PullRequestView | null
  readonly cleanupPullRequest: PullRequestView | null
  readonly plan?: {
    readonly commit: string | null
    readonly files: readonly {
      readonly path: string
      readonly action: string
      readonly summary: string
      readonly diff: string | null
      readonly state: string | null
      readonly movedTo: string | null
    }[]
  }
}

/** Connects a repository as `svc admin` does, without its check. */
export async function connectTo(
  api: Pick<TestApi, 'sql' | 'secretKey'>,
  workspace: Pick<TestWorkspace, 'id'>,
  connection: Partial<RepositoryConnection> & Pick<RepositoryConnection, 'location'>,
): Promise<void> {
  const ids = { id: newId(), workspaceId: workspace.id, now: new Date() }
  const whole: RepositoryConnection = {
    kind: 'local',
    baseUrl: null,
    branch: null,
    allow: [],
    helper: null,
    exposures: '/_svc/exposures',
    token: undefined,
    webhookSecret: undefined,
    ...connection,
  }
  await api.sql.begin((tx) => connectRepository(tx, api.secretKey, ids, whole))
}

/** Connects a repository on a fake GitHub. */
export async function connectToGitHub(
  api: Pick<TestApi, 'sql' | 'secretKey'>,
  t: Test,
  workspace: Pick<TestWorkspace, 'id'>,
  options: { readonly files: Readonly<Record<string, string>>; readonly webhookSecret?: string },
): Promise<GitHubServer> {
  const github = await startGitHubServer(t, { files: options.files })
  await connectTo(api, workspace, {
    kind: 'github',
    location: github.fullName,
    baseUrl: github.url,
    token: github.token,
    webhookSecret: options.webhookSecret,
  })
  return github
}

/** Polls until the condition holds. */
export async function until<Value>(
  ask: () => Promise<Value>,
  isSo: (value: Value) => boolean,
  seconds = 150,
): Promise<Value> {
  for (const end = Date.now() + seconds * 1_000; ; await sleep(50)) {
    const value = await ask()
    if (isSo(value)) return value
    if (Date.now() > end) throw new Error(`not so within ${seconds} s: ${JSON.stringify(value)}`)
  }
}

export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>Shop</title>
  </head>
  <body>
    <h1 class="title">Welcome</h1>
    <p>Buy now</p>
  </body>
</html>
`
export const FILES = {
  'index.html': PAGE,
  'about.css': 'We sell\nthings\n',
  'old.css': 'old\n',
  'package.json': '{"name":"site"}\n',
}

/** One of every kind. */
export const CHANGES = [
  {
    path: 'index.html',
    action: 'modify',
    edits: [
      { find: 'Welcome', replace: 'Hello', variant: 'treatment' },
      { find: 'Buy now', replace: 'Buy today' },
    ],
  },
  { path: 'about.css', action: 'modify', content: 'We sell\nother things\n' },
  { path: 'new.css', action: 'create', content: 'new\n' },
  { path: 'old.css', action: 'delete' },
]

/** A workspace with its own repository, as requests see it. */
export interface Site {
  readonly workspace: TestWorkspace
  readonly repository: TestRepository
  post(path: string, body?: unknown): Promise<ContractAnswer<PlannedView>>
  get(id: string): Promise<PlannedView>
  /** Waits for the plan's state in the repository. */
  planned(id: string): Promise<PlannedView>
  reaches(id: string, status: string): Promise<PlannedView>
}

/** @param connected whether the repository is connected yet */
export async function makeSite(
  api: TestApi,
  t: Test,
  options: { bare: boolean; connected?: boolean },
): Promise<Site> {
  const workspace = await api.workspace()
  const { key } = workspace
  const repository = makeRepository(t, { files: FILES, bare: options.bare })
  if (options.connected !== false) await connectTo(api, workspace, { location: repository.path })
  await storeEvents(api, workspace.id, Date.now(), [{ event: 'order_paid', userId: 'u' }])
  const get = async (id: string) =>
    (await api.client.request<PlannedView>('GET', `/experiments/${id}`, { key })).body
  return {
    workspace,
    repository,
    post: (path, body = {}) => api.client.request<PlannedView>('POST', path, { key, body }),
    get,
    planned: (id) =>
      until(
        () => get(id),
        (row) => typeof row.plan?.files[0]?.state === 'string',
      ),
    reaches: (id, status) =>
      until(
        () => get(id),
        (row) => row.status === status,
      ),
  }
}
