import { v7 as uuidv7 } from 'uuid'
import type { Sql, Transaction } from '../driver/client.js'
import { type PageOfRows, readPage } from '../driver/read-page.js'

/** Entries are only added: a trigger refuses updates and deletes. */
export interface NewAuditEntry {
  readonly id: string
  readonly workspaceId: string
  readonly at: Date
  /** `resource.verb`. */
  readonly action: string
  readonly resourceId: string
  readonly actor: AuditActor
  readonly requestId: string
  readonly summary: string
}

export interface AuditActor {
  readonly apiKey: { readonly id: string; readonly name: string } | null
  /** The id is null if no person of the workspace did it. */
  readonly person: { readonly id: string | null; readonly name: string }
}

/** The actor of changes by the repository's host, the clock or a job. */
export const SERVICE: AuditActor = { apiKey: null, person: { id: null, name: 'svc' } }
/** The actor of `svc admin`. */
const OPERATOR: AuditActor = { apiKey: null, person: { id: null, name: 'operator' } }

export async function insertAuditEntry(sql: Sql | Transaction, entry: NewAuditEntry): Promise<void> {
  const { id, workspaceId, at, action, resourceId, actor, requestId, summary } = entry
  await sql`
    insert into audit_entries (id, workspace_id, at, action, resource_type, resource_id,
      actor_api_key_id, actor_api_key_name, actor_person_id, actor_person_name, request_id, summary)
    values (${id}, ${workspaceId}, ${at}, ${action}, ${action.split('.')[0] ?? ''}, ${resourceId},
      ${actor.apiKey?.id ?? null}, ${actor.apiKey?.name ?? null}, ${actor.person.id}, ${actor.person.name},
      ${requestId}, ${summary})`
}

/** Records what a command of `svc admin` did. Call it in the transaction of the change. */
export async function auditByOperator(
  tx: Transaction,
  at: Date,
  workspaceId: string,
  entry: Pick<NewAuditEntry, 'action' | 'resourceId' | 'summary'>,
): Promise<void> {
  const id = uuidv7()
  await insertAuditEntry(tx, { id, workspaceId, at, actor: OPERATOR, requestId: id, ...entry })
}

export interface AuditFilter {
  readonly actorApiKeyId?: string
  readonly actorPersonId?: string
  readonly action?: string
  readonly resourceType?: string
  readonly resourceId?: string
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

export interface AuditRow {
  id: string
  at: Date
  action: string
  resourceType: string
  resourceId: string
  actorApiKeyId: string | null
  actorApiKeyName: string | null
  /** Null, with the name `svc` or `operator`, if no person of the workspace did it. */
  actorPersonId: string | null
  actorPersonName: string
  requestId: string
  summary: string
}

/** One page of a workspace's entries, newest first, and their total. */
export function listAuditEntries(
  sql: Sql,
  workspaceId: string,
  filter: AuditFilter & { readonly limit: number; readonly offset: number },
): Promise<PageOfRows<AuditRow>> {
  return readPage(sql, columns(sql), matching(sql, workspaceId, filter), 'at', filter)
}

const BATCH = 500

/** All entries of a workspace, newest first, a batch at a time. Each batch begins after the last one. */
export async function* readAuditEntries(
  sql: Sql,
  workspaceId: string,
  filter: AuditFilter,
): AsyncGenerator<AuditRow[]> {
  for (let last: AuditRow | undefined; ; ) {
    const rows: AuditRow[] = await sql<AuditRow[]>`
      select ${columns(sql)} from ${matching(sql, workspaceId, filter)}
      ${last === undefined ? sql`` : sql`and (at, id) < (${last.at}, ${last.id})`}
      order by at desc, id desc limit ${BATCH}`
    if (rows.length > 0) yield rows
    last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
  }
}

const columns = (sql: Sql) => sql`
  id, at, action, resource_type as "resourceType", resource_id as "resourceId",
  actor_api_key_id as "actorApiKeyId", actor_api_key_name as "actorApiKeyName",
  actor_person_id as "actorPersonId", actor_person_name as "actorPersonName",
  request_id as "requestId", summary`

const matching = (sql: Sql, workspaceId: string, filter: AuditFilter) => sql`
  audit_entries where workspace_id = ${workspaceId}
  ${filter.actorApiKeyId === undefined ? sql`` : sql`and actor_api_key_id = ${filter.actorApiKeyId}`}
  ${filter.actorPersonId === undefined ? sql`` : sql`and actor_person_id = ${filter.actorPersonId}`}
  ${filter.action === undefined ? sql`` : sql`and action = ${filter.action}`}
  ${filter.resourceType === undefined ? sql`` : sql`and resource_type = ${filter.resourceType}`}
  ${filter.resourceId === undefined ? sql`` : sql`and resource_id = ${filter.resourceId}`}
  ${filter.from === undefined ? sql`` : sql`and at >= ${filter.from}`}
  ${filter.to === undefined ? sql`` : sql`and at < ${filter.to}`}`
