import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../postgres/driver/client.js'
import {
  type AuditActor,
  insertAuditEntry,
  type NewAuditEntry,
  SERVICE,
} from '../postgres/tables/audit-entries.js'
import type { Credential } from '../postgres/tables/credentials.js'

interface Clock {
  readonly newId: () => string
  readonly now: () => number
}

/** Records what a person did. An API key acts as the person who made it; a session has no key. */
export function auditByPerson(
  tx: Transaction,
  { newId, now }: Clock,
  credential: Credential,
  entry: Pick<NewAuditEntry, 'action' | 'resourceId' | 'requestId' | 'summary'>,
): Promise<void> {
  const workspaceId = credential.workspace.id
  const actor = actorOf(credential)
  return insertAuditEntry(tx, { id: newId(), at: new Date(now()), workspaceId, actor, ...entry })
}

/** Records what the repository's host, the clock or a job did. Such an entry has no actor but `svc`. */
export function auditByService(
  tx: Transaction,
  { newId, now }: Clock,
  workspaceId: string,
  entry: Pick<NewAuditEntry, 'action' | 'resourceId' | 'summary'>,
): Promise<void> {
  const id = newId()
  return insertAuditEntry(tx, {
    id,
    workspaceId,
    at: new Date(now()),
    actor: SERVICE,
    requestId: id,
    ...entry,
  })
}

export function actorOf({ kind, id, name, person }: Credential): AuditActor {
  return { apiKey: kind === 'session' ? null : { id, name }, person }
}

/** The names of the fields that differ. */
export function changedFields<Row extends object>(before: Row, wanted: Row): string[] {
  const names = Object.keys(wanted) as (keyof Row & string)[]
  return names.filter((name) => !isDeepStrictEqual(wanted[name], before[name]))
}

/** Internal names in plain words: `reviewStatus`, `too_risky` become "review status, too risky". */
export function inWords(names: readonly string[]): string {
  const words = (name: string) =>
    name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return names.map(words).join(', ')
}
