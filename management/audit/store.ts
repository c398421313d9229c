import type { Sql, Transaction } from '../../postgres/driver/client.js'
import type { Credential } from '../../postgres/tables/credentials.js'

export interface AuditEntry {
  readonly id: string
  readonly at: Date
  /** `resource.verb`. */
  readonly action: string
  readonly resourceId: string
  readonly requestId: string
  readonly summary: string
}

/** Writes an entry in the transaction of what it speaks of. A key acts as the person who made it; a session has no key. */
export async function insertAuditEntry(
  tx: Transaction,
  credential: Credential,
  entry: AuditEntry,
): Promise<void> {
  const key = credential.kind === 'api' ? credential : undefined
  await tx`
    insert into audit_entries (id, workspace_id, at, action, resource_type, resource_id,
      actor_api_key_id, actor_api_key_name, actor_person_id, actor_person_name, request_id, summary)
    values (${entry.id}, ${credential.workspace.id}, ${entry.at}, ${entry.action}, ${entry.action.split('.')[0] ?? ''},
      ${entry.resourceId}, ${key?.id ?? null}, ${key?.name ?? null}, ${credential.person.id}, ${credential.person.name},
      ${entry.requestId}, ${entry.summary})`
}

/** As `insertAuditEntry`, for what the repository's host or the clock does: both ids of an actor are null. */
export async function insertServiceEntry(
  tx: Transaction,
  workspaceId: string,
  entry: AuditEntry,
): Promise<void> {
  await tx`
    insert into audit_entries (id, workspace_id, at, action, resource_type, resource_id, actor_person_name, request_id, summary)
    values (${entry.id}, ${workspaceId}, ${entry.at}, ${entry.action}, ${entry.action.split('.')[0] ?? ''}, ${entry.resourceId},
      'svc', ${entry.requestId}, ${entry.summary})`
}

export interface AuditFilter {
  readonly actorApiKeyId: string | undefined
  readonly action: string | undefined
  readonly from: Date | undefined
  readonly to: Date | undefined
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
  /** Null for what the repository's host or the clock did; the name is `svc` then. */
  actorPersonId: string | null
  actorPersonName: string
  requestId: string
  summary: string
}

/** A page of a workspace's entries, newest first, and how many there are. */
export async function listAuditEntries(
  sql: Sql,
  workspaceId: string,
  filter: AuditFilter,
): Promise<{ rows: AuditRow[]; total: number }> {
  const matching = sql`
    workspace_id = ${workspaceId}
    ${filter.actorApiKeyId === undefined ? sql`` : sql`and actor_api_key_id = ${filter.actorApiKeyId}`}
    ${filter.action === undefined ? sql`` : sql`and action = ${filter.action}`}
    ${filter.from === undefined ? sql`` : sql`and at >= ${filter.from}`}
    ${filter.to === undefined ? sql`` : sql`and at < ${filter.to}`}`
  const [counted, rows] = await Promise.all([
    sql<{ total: number }[]>`select count(*)::int as total from audit_entries where ${matching}`,
    sql<AuditRow[]>`
      select id, at, action, resource_type as "resourceType", resource_id as "resourceId",
        actor_api_key_id as "actorApiKeyId", actor_api_key_name as "actorApiKeyName",
        actor_person_id as "actorPersonId", actor_person_name as "actorPersonName",
        request_id as "requestId", summary
      from audit_entries where ${matching}
      order by at desc, id desc limit ${filter.limit} offset ${filter.offset}`,
  ])
  return { rows: [...rows], total: counted[0]?.total ?? 0 }
}
