import { SCOPES } from '../../domain/key.js'
import type { Sql } from '../driver/client.js'
import { insertAuditEntry, SERVICE } from './audit-entries.js'
import { createKey } from './keys.js'
import { createSession } from './sessions.js'
import { createWorkspace, newId } from './workspaces.js'

/** Contents of dev-keys.json: a workspace to try things in. */
export interface DemoKeys {
  readonly workspaceId: string
  /** With all four scopes. */
  readonly apiKey: string
  readonly readOnlyKey: string
  readonly serverKey: string
  readonly publishableKey: string
  readonly sessionToken: string
}

const SESSION_MS = 10 * 365 * 24 * 60 * 60 * 1_000
/** Of two concurrent first starts, one creates the workspace. */
const DEMO_LOCK = 7_341_520_919

/**
 * Creates the workspace `Demo` with its owner and keys if there is no workspace yet.
 *
 * @param save called before the commit; it must have written the keys durably when it resolves, replacing an
 *   older file. So a crash leaves either no workspace, or one whose keys are saved; they cannot be recovered.
 * @returns undefined if there is a workspace
 */
export async function ensureDemoWorkspace(
  sql: Sql,
  secretKey: Uint8Array,
  save: (keys: DemoKeys) => void | Promise<void>,
  now: Date = new Date(),
): Promise<DemoKeys | undefined> {
  return await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${DEMO_LOCK})`
    const existing = await transaction`select 1 from workspaces limit 1`
    if (existing.length > 0) return undefined
    const workspace = await createWorkspace(transaction, {
      id: newId(),
      name: 'Demo',
      personId: newId(),
      ownerName: 'Demo Owner',
      ownerEmail: 'owner@example.com',
      now,
    })
    const key = async (type: 'api' | 'server' | 'publishable', name: string, scopes = SCOPES.slice(0, 0)) =>
      (
        await createKey(transaction, secretKey, {
          id: newId(),
          workspaceId: workspace.id,
          type,
          name,
          scopes,
          now,
        })
      ).key
    const keys: DemoKeys = {
      workspaceId: workspace.id,
      apiKey: await key('api', 'Demo API key', [...SCOPES]),
      readOnlyKey: await key('api', 'Demo read-only key'),
      serverKey: await key('server', 'Demo server key'),
      publishableKey: await key('publishable', 'Demo browser key'),
      sessionToken: (
        await createSession(transaction, secretKey, {
          id: newId(),
          workspaceId: workspace.id,
          expiresAt: new Date(now.getTime() + SESSION_MS),
          now,
        })
      ).token,
    }
    const id = newId()
    await insertAuditEntry(transaction, {
      id,
      workspaceId: workspace.id,
      at: now,
      action: 'workspace.create',
      resourceId: workspace.id,
      actor: SERVICE,
      requestId: id,
      summary: 'Created the workspace "Demo" with its owner and keys',
    })
    await save(keys)
    return keys
  })
}
