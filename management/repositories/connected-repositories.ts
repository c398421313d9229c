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

/** The repository of a workspace, and the client of its host. */
export interface ConnectedRepository {
  readonly settings: RepositoryRow
  readonly host: RepositoryHost
}

export interface Repositories {
  /** Undefined if none is connected. Throws UnsealError or RepositoryError if its settings cannot be used. */
  of(workspaceId: string): Promise<ConnectedRepository | undefined>
  /** The secret that signs webhooks of the workspace. */
  webhookSecret(workspaceId: string): Promise<string | undefined>
  close(): Promise<void>
}

/**
 * The repositories of all workspaces. Clients are cached with their rate limits and answers until the
 * repository is connected again.
 *
 * @param now milliseconds since 1970
 */
export function connectedRepositories(sql: Sql, secretKey: Uint8Array, now: () => number): Repositories {
  const clients = new Map<string, ConnectedRepository>()
  const forget = async (workspaceId: string): Promise<void> => {
    const old = clients.get(workspaceId)
    clients.delete(workspaceId)
    await old?.host.close()
  }
  return {
    async of(workspaceId) {
      const settings = await findRepository(sql, workspaceId)
      const known = clients.get(workspaceId)
      if (known !== undefined && known.settings.id === settings?.id) return known
      // Not awaited, so that a concurrent call finds the new client.
      void forget(workspaceId)
      if (settings === undefined) return undefined
      const connected = { settings, host: hostOf(settings, secretKey, now) }
      clients.set(workspaceId, connected)
      return connected
    },
    async webhookSecret(workspaceId) {
      const settings = await findRepository(sql, workspaceId)
      return settings?.kind === 'github' ? webhookSecretOf(settings, secretKey) : undefined
    },
    async close() {
      await Promise.all([...clients.keys()].map(forget))
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
