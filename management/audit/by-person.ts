import type { Transaction } from '../../postgres/driver/client.js'
import type { Credential } from '../../postgres/tables/credentials.js'
import { insertAuditEntry } from './store.js'

/** Notes what a person has done by other ways than an operation. */
export function auditByPerson(
  tx: Transaction,
  services: { readonly newId: () => string; readonly now: () => number },
  credential: Credential,
  entry: {
    readonly action: string
    readonly resourceId: string
    readonly requestId: string
    readonly summary: string
  },
): Promise<void> {
  return insertAuditEntry(tx, credential, { id: services.newId(), at: new Date(services.now()), ...entry })
}
