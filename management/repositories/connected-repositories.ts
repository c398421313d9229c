import type { Sql } from '../../postgres/driver/client.js'
import {
  findRepository,
  type RepositoryRow,
  tokenOf,
  webhookSecretOf,
} from '../../postgres/tables/repositories.js'
import { githubHost } from '../../repositories/github/host.js'
import { localHost } from '../../repositories/local/host.js'
import type { RepositoryHost } from '../../repositories/port.js'

/** The repository that a workspace has connected, and what speaks with its host. */
export interface ConnectedRepository {
  readonly settings: RepositoryRow
  readonly host: RepositoryHost
}

export interface Repositories {
  /** Undefined where none is connected. Throws UnsealError, RepositoryError where its settings cannot be used. */
  of(workspaceId: string): Promise<ConnectedRepository | undefined>
  /** What a webhook of the workspace is signed with. */
  webhookSecret(workspaceId: string): Promise<string | undefined>
  close(): Promise<void>
}

/**
 * The repositories of all workspaces. What speaks with a host is kept, for what it has learnt of limits and what it has been answered, until the
 * repository is connected anew.
 *
 * @param now milliseconds since 1970
 */
export function connectedRepositories(sql: Sql, secretKey: Uint8Array, now: () => number): Repositories {
  const kept = new Map<string, ConnectedRepository>()
  const forget = async (workspaceId: string): Promise<void> => {
    const old = kept.get(workspaceId)
    kept.delete(workspaceId)
    await old?.host.close()
  }
  return {
    async of(workspaceId) {
      const settings = await findRepository(sql, workspaceId)
      const known = kept.get(workspaceId)
      if (known !== undefined && known.settings.id === settings?.id) return known
      // Without waiting: of two who ask at once the second takes what the first has made.
      void forget(workspaceId)
      if (settings === undefined) return undefined
      const connected = { settings, host: hostOf(settings, secretKey, now) }
      kept.set(workspaceId, connected)
      return connected
    },
    async webhookSecret(workspaceId) {
      const settings = await findRepository(sql, workspaceId)
      return settings?.kind === 'github' ? webhookSecretOf(settings, secretKey) : undefined
    },
    async close() {
      await Promise.all([...kept.keys()].map(forget))
    },
  }
}

function hostOf(settings: RepositoryRow, secretKey: Uint8Array, now: () => number): RepositoryHost {
  const branch = settings.branch ?? undefined
  if (settings.kind === 'local') return localHost({ path: settings.location, branch })
  return githubHost({
    repository: settings.location,
    token: tokenOf(settings, secretKey) ?? '',
    baseUrl: settings.baseUrl ?? undefined,
    branch,
    now,
  })
}
