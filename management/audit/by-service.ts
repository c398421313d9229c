import type { Transaction } from '../../postgres/driver/client.js'
import type { Services } from '../services.js'
import { insertServiceEntry } from './store.js'

/** Notes what the repository's host or the clock has done: nobody's doing. */
export function auditByService(
  tx: Transaction,
  services: Pick<Services, 'newId' | 'now'>,
  workspaceId: string,
  entry: { readonly action: string; readonly resourceId: string; readonly summary: string },
): Promise<void> {
  const id = services.newId()
  return insertServiceEntry(tx, workspaceId, { id, at: new Date(services.now()), requestId: id, ...entry })
}
