import { createHmac } from 'node:crypto'
import { sipKey } from '../domain/siphash.js'
import type { WorkspaceHashKeys } from './record.js'

/**
 * The hash keys of a workspace: HMAC-SHA-256 of its id under the service's secret. Stored hashes depend on
 * them, so the secret belongs to the data for its life.
 */
export function workspaceHashKeys(secret: Uint8Array, workspaceId: string): WorkspaceHashKeys {
  const bytes = createHmac('sha256', secret).update(`svc hash keys ${workspaceId}`).digest()
  return { insertId: sipKey(bytes.subarray(0, 16)), person: sipKey(bytes.subarray(16, 32)) }
}
