import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { type PageOfRows, readPage } from '../../postgres/driver/read-page.js'
import { reseal } from '../../runtime/sealed-secret.js'
import { found } from '../domain-errors.js'

export const HOOK_FORMATS = ['svc', 'slack'] as const
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

export interface HookRow {
  id: string
  url: string
  kinds: string[]
  format: (typeof HOOK_FORMATS)[number]
  createdAt: Date
  updatedAt: Date
}

export type HookFields = Pick<HookRow, 'url' | 'kinds' | 'format'>

export interface DeliveryRow {
  /** Of the event: the receiver gets it with each attempt, and the audit entry has the same. */
  id: string
  kind: string
  at: Date
  data: Record<string, unknown>
  status: (typeof DELIVERY_STATUSES)[number]
  attempts: number
  lastAttemptAt: Date | null
  /** Null unless pending. */
  nextAttemptAt: Date | null
  /** Of the last attempt; null if there was no answer. */
  responseStatus: number | null
  error: string | null
}

const hookColumns = (sql: Sql | Transaction) =>
  sql`id, url, kinds, format, created_at as "createdAt", updated_at as "updatedAt"`
const deliveryColumns = (sql: Sql | Transaction) => sql`
  id, kind, at, data, status, attempts, last_attempt_at as "lastAttemptAt", next_attempt_at as "nextAttemptAt",
  response_status as "responseStatus", error`

/** Every hook of a workspace, newest first. */
export async function listHooks(sql: Sql | Transaction, workspaceId: string): Promise<HookRow[]> {
  return await sql<HookRow[]>`
    select ${hookColumns(sql)} from hooks where workspace_id = ${workspaceId} order by created_at desc, id desc`
}

/** Throws NOT_FOUND. */
export async function findHook(sql: Sql, workspaceId: string, id: string): Promise<HookRow> {
  const rows = await sql<HookRow[]>`
    select ${hookColumns(sql)} from hooks where workspace_id = ${workspaceId} and id = ${id}`
  return found(rows[0], 'hook')
}

/** Locks a hook until the transaction ends. Throws NOT_FOUND. */
export async function lockHook(tx: Transaction, workspaceId: string, id: string): Promise<HookRow> {
  const rows = await tx<HookRow[]>`
    select ${hookColumns(tx)} from hooks where workspace_id = ${workspaceId} and id = ${id} for update`
  return found(rows[0], 'hook')
}

/** @returns undefined if the workspace has `limit` hooks already */
export async function insertHook(
  tx: Transaction,
  workspaceId: string,
  hook: HookFields & { readonly id: string; readonly secret: Buffer; readonly at: Date },
  limit: number,
): Promise<HookRow | undefined> {
  // Of two at once, the second counts the first.
  await tx`select from workspaces where id = ${workspaceId} for no key update`
  const rows = await tx<HookRow[]>`
    insert into hooks (id, workspace_id, url, kinds, format, secret, created_at, updated_at)
    select ${hook.id}, ${workspaceId}, ${hook.url}, ${hook.kinds}::text[], ${hook.format}, ${hook.secret}, ${hook.at}, ${hook.at}
    where (select count(*) from hooks where workspace_id = ${workspaceId}) < ${limit}
    returning ${hookColumns(tx)}`
  return rows[0]
}

/** @param secret undefined to keep the present one */
export async function writeHook(
  tx: Transaction,
  id: string,
  hook: HookFields & { readonly secret: Buffer | undefined; readonly at: Date },
): Promise<HookRow> {
  const rows = await tx<HookRow[]>`
    update hooks set url = ${hook.url}, kinds = ${hook.kinds}::text[], format = ${hook.format},
      secret = coalesce(${hook.secret ?? null}, secret), updated_at = ${hook.at}
    where id = ${id} returning ${hookColumns(tx)}`
  return found(rows[0], 'hook')
}

export async function removeHook(tx: Transaction, id: string): Promise<void> {
  await tx`delete from hooks where id = ${id}`
}

/** Deliveries of a hook, newest first. Throws NOT_FOUND. */
export async function listDeliveries(
  sql: Sql,
  workspaceId: string,
  hookId: string,
  { status, ...paging }: { readonly status?: string; readonly limit: number; readonly offset: number },
): Promise<PageOfRows<DeliveryRow>> {
  await findHook(sql, workspaceId, hookId)
  const matching = sql`
    hook_deliveries where hook_id = ${hookId} ${status === undefined ? sql`` : sql`and status = ${status}`}`
  return readPage(sql, deliveryColumns(sql), matching, 'created_at', paging)
}

export interface DeliveryKey {
  readonly hookId: string
  readonly deliveryId: string
}

/** A delivery to make, with what its hook needs. */
export type PendingDelivery = Pick<DeliveryRow, 'id' | 'kind' | 'at' | 'data' | 'attempts'> &
  Pick<HookRow, 'url' | 'format'> & { readonly secret: Uint8Array }

/** Undefined if it was made meanwhile, or its hook is deleted. */
export async function findPendingDelivery(
  sql: Sql,
  { hookId, deliveryId }: DeliveryKey,
): Promise<PendingDelivery | undefined> {
  const rows = await sql<PendingDelivery[]>`
    select d.id, d.kind, d.at, d.data, d.attempts, h.url, h.format, h.secret
    from hook_deliveries d join hooks h on h.id = d.hook_id
    where d.hook_id = ${hookId} and d.id = ${deliveryId} and d.status = 'pending'`
  return rows[0]
}

/**
 * Records an attempt of a delivery, if it is still pending and its hook exists.
 *
 * @param retryMs pause before the next attempt, unless the delivery has expired by then
 * @returns whether there is a next attempt
 */
export async function recordAttempt(
  tx: Transaction,
  { hookId, deliveryId }: DeliveryKey,
  attempt: { readonly status: number | null; readonly error: string | undefined; readonly retryMs: number },
): Promise<boolean> {
  const { status, error = null, retryMs } = attempt
  const rows = await tx<{ status: string }[]>`
    with next as (select now() + ${retryMs} * interval '1 millisecond' as at)
    update hook_deliveries set attempts = attempts + 1, last_attempt_at = now(), response_status = ${status}, error = ${error},
      status = case when ${error}::text is null then 'delivered' when next.at > expires_at then 'failed' else 'pending' end,
      next_attempt_at = case when ${error}::text is null or next.at > expires_at then null else next.at end
    from next
    where hook_id = ${hookId} and id = ${deliveryId} and status = 'pending' and exists (select from hooks where id = ${hookId})
    returning hook_deliveries.status`
  return rows[0]?.status === 'pending'
}

/** Ends a delivery that cannot be made. */
export async function failDelivery(
  tx: Transaction,
  { hookId, deliveryId }: DeliveryKey,
  reason: string,
): Promise<void> {
  await tx`
    update hook_deliveries set status = 'failed', next_attempt_at = null, error = ${reason}
    where hook_id = ${hookId} and id = ${deliveryId} and status = 'pending'`
}

/** Makes a delivery again, now and for another day. Throws NOT_FOUND. */
export async function reopenDelivery(
  tx: Transaction,
  { hookId, deliveryId }: DeliveryKey,
): Promise<DeliveryRow> {
  const rows = await tx<DeliveryRow[]>`
    update hook_deliveries set status = 'pending', next_attempt_at = now(), expires_at = now() + interval '1 day'
    where hook_id = ${hookId} and id = ${deliveryId} returning ${deliveryColumns(tx)}`
  return found(rows[0], 'delivery')
}

/** Deliveries that are kept of a hook, beside the pending ones. */
const KEPT = { days: 7, deliveries: 1_000 } as const

/** Removes old deliveries, and those of deleted hooks. */
export async function removeOldDeliveries(sql: Sql): Promise<void> {
  await sql`
    delete from hook_deliveries d where not exists (select from hooks h where h.id = d.hook_id)
      or (status <> 'pending' and created_at < now() - ${KEPT.days} * interval '1 day')`
  await sql`
    with counted as (
      select hook_id, id, row_number() over (partition by hook_id order by created_at desc, id desc) as position
      from hook_deliveries where status <> 'pending'
    )
    delete from hook_deliveries d using counted c
    where c.position > ${KEPT.deliveries} and d.hook_id = c.hook_id and d.id = c.id`
}

/** A stored secret opens only for its own hook. */
export const secretPurpose = (hookId: string): string => `hook ${hookId}`

/** Seals the secrets of all hooks again. @returns their number */
export async function resealHooks(tx: Transaction, secretKey: Uint8Array): Promise<number> {
  const rows = await tx<{ id: string; secret: Uint8Array }[]>`select id, secret from hooks for update`
  for (const { id, secret } of rows)
    await tx`update hooks set secret = ${reseal(secretKey, secretPurpose(id), secret)} where id = ${id}`
  return rows.length
}
