import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, connectRepository } from '../../../postgres/tables/repositories.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import type { TestApi, TestWorkspace } from './api.js'
import type { ExperimentView } from './experiments.js'

export interface PullRequestView {
  readonly number: number | null
  readonly url: string | null
  readonly branch: string | null
  readonly state: string
  readonly error: string | null
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

/** Connects a repository as the administrator's command does, without its check. */
export async function connectTo(
  api: Pick<TestApi, 'sql' | 'secretKey'>,
  workspace: Pick<TestWorkspace, 'id'>,
  connection: Partial<Connection> & Pick<Connection, 'location'>,
): Promise<void> {
  const ids = { id: newId(), workspaceId: workspace.id, now: new Date() }
  await connectRepository(api.sql, api.secretKey, ids, {
    kind: 'local',
    baseUrl: null,
    branch: null,
    allow: [],
    helper: null,
    exposures: '/_svc/exposures',
    token: undefined,
    webhookSecret: undefined,
    ...connection,
  })
}

/** Asks again and again until what is asked for is so. */
export async function until<Value>(
  ask: () => Promise<Value>,
  isSo: (value: Value) => boolean,
  seconds = 15,
): Promise<Value> {
  for (const end = Date.now() + seconds * 1_000; ; await sleep(50)) {
    const value = await ask()
    if (isSo(value)) return value
    if (Date.now() > end) throw new Error(`not so within ${seconds} s: ${JSON.stringify(value)}`)
  }
}
