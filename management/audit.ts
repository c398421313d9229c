import { isDeepStrictEqual } from 'node:util'
import type { Sql, Transaction } from '../postgres/driver/client.js'
import { type PageOfRows, readPage } from '../postgres/driver/read-page.js'
import type { Credential } from '../postgres/tables/credentials.js'

export interface AuditEntry {
  readonly id: string
  readonly at: Date
  /** `resource.verb`. */
  readonly action: string
  readonly resourceId: string
  readonly requestId: string
  readonly summary: string
}

interface Clock {
  readonly newId: () => string
  readonly now: () => number
}

/** Records what a person did. An API key acts as the person who made it; a session has no key. */
export async function insertAuditEntry(
  tx: Transaction,
  credential: Credential,
  entry: AuditEntry,
): Promise<void> {
  const key = credential.kind === 'api' ? credential : undefined
  await tx`
    insert into audit_entries (id, workspace_id, at, action, resource_type, resource_id,
      actor_api_key_id, actor_api_key_name, actor_person_id, actor_person_name, request_id, summary)
    values (${entry.id}, ${credential.workspace.id}, ${entry.at}, ${entry.action}, ${resourceType(entry)},
      ${entry.resourceId}, ${key?.id ?? null}, ${key?.name ?? null}, ${credential.person.id}, ${credential.person.name},
      ${entry.requestId}, ${entry.summary})`
}

/** Records what a person did outside of an operation. */
export function auditByPerson(
  tx: Transaction,
  { newId, now }: Clock,
  credential: Credential,
  entry: Omit<AuditEntry, 'id' | 'at'>,
): Promise<void> {
  return insertAuditEntry(tx, credential, { id: newId(), at: new Date(now()), ...entry })
}

/** Records what the repository's host or the clock did. Such an entry has no actor but the name `svc`. */
export async function auditByService(
  tx: Transaction,
  { newId, now }: Clock,
  workspaceId: string,
  entry: Pick<AuditEntry, 'action' | 'resourceId' | 'summary'>,
): Promise<void> {
  const id = newId()
  await tx`
    insert into audit_entries (id, workspace_id, at, action, resource_type, resource_id, actor_person_name, request_id, summary)
    values (${id}, ${workspaceId}, ${new Date(now())}, ${entry.action}, ${resourceType(entry)}, ${entry.resourceId},
      'svc', ${id}, ${entry.summary})`
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

function resourceType({ action }: Pick<AuditEntry, 'action'>): string {
  return action.split('.')[0] ?? ''
}

export interface AuditFilter {
  readonly actorApiKeyId?: string
  readonly action?: string
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly limit: number
  readonly offset: number
}

export interface AuditRow {
  id: string
  at: Date
  action: string
  resourceType: string
  resourceId: string
  actorApiKeyId: string | null
  actorApiKeyName: string | null
  /** Null, with the name `svc`, if the repository's host or the clock did it. */
  actorPersonId: string | null
  actorPersonName: string
  requestId: string
  summary: string
}

/** One page of a workspace's entries, newest first, and their total. */
export function listAuditEntries(
  sql: Sql,
  workspaceId: string,
  filter: AuditFilter,
): Promise<PageOfRows<AuditRow>> {
  const columns = sql`
    id, at, action, resource_type as "resourceType", resource_id as "resourceId",
    actor_api_key_id as "actorApiKeyId", actor_api_key_name as "actorApiKeyName",
    actor_person_id as "actorPersonId", actor_person_name as "actorPersonName",
    request_id as "requestId", summary`
  const matching = sql`
    audit_entries where workspace_id = ${workspaceId}
    ${filter.actorApiKeyId === undefined ? sql`` : sql`and actor_api_key_id = ${filter.actorApiKeyId}`}
    ${filter.action === undefined ? sql`` : sql`and action = ${filter.action}`}
    ${filter.from === undefined ? sql`` : sql`and at >= ${filter.from}`}
    ${filter.to === undefined ? sql`` : sql`and at < ${filter.to}`}`
  return readPage(sql, columns, matching, 'at', filter)
}
