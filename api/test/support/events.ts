import type { ClickHouse } from '../../../clickhouse/port.js'
import type { AcceptedEvent } from '../../../domain/event.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { encodeBatch, forEachRow, readHeader, readPairs } from '../../../log/record.js'
import type { Sql } from '../../../postgres/client.js'
import { newId } from '../../../postgres/workspaces.js'

export interface StoredEvent {
  readonly event: string
  readonly userId?: string
  readonly anonymousId?: string
  readonly properties?: unknown
  readonly timestamp?: number
  readonly insertId?: string
}

const logId = newId()
let offset = 0

/** Puts events into ClickHouse by way of the log's own record format, and their links into Postgres and ClickHouse. */
export async function storeEvents(
  stores: { readonly sql: Sql; readonly clickhouse: ClickHouse; readonly secretKey: Uint8Array },
  workspaceId: string,
  receivedAt: number,
  events: readonly StoredEvent[],
  links: readonly { anonymousId: string; userId: string }[] = [],
): Promise<void> {
  const accepted: AcceptedEvent[] = events.map((event) => ({
    event: event.event,
    userId: event.userId,
    anonymousId: event.anonymousId,
    properties: JSON.stringify(event.properties ?? {}),
    timestamp: event.timestamp,
    insertId: event.insertId,
    sdkVersion: undefined,
  }))
  const keys = workspaceHashKeys(stores.secretKey, workspaceId)
  const shape = { partitions: 1, identityPartitions: 1 }
  const linked = links.map(
    (link): AcceptedEvent => ({
      event: 'link',
      ...link,
      properties: '{}',
      timestamp: undefined,
      insertId: undefined,
      sdkVersion: undefined,
    }),
  )
  const batch = { workspaceId, keyId: newId(), receivedAt, sentAt: undefined }
  const { records } = encodeBatch({ ...batch, events: accepted }, keys, shape, () => true)
  for (const record of records) {
    const chunks: Uint8Array[] = []
    const header = readHeader(record.payload)
    forEachRow(record.payload, header, (start, end) => chunks.push(record.payload.subarray(start, end)))
    await stores.clickhouse.insertEvents({
      logId,
      logPartition: 0,
      chunks,
      rowCount: chunks.length,
      token: `test-${++offset}`,
    })
  }
  if (links.length === 0) return
  const encoded = encodeBatch({ ...batch, events: linked }, keys, shape, () => false)
  const pairs = encoded.records
    .filter((record) => record.partition === 1)
    .flatMap((record) => readPairs(record.payload).pairs)
  for (const pair of pairs)
    await stores.sql`
      insert into identity_links (workspace_id, anonymous_id, user_id, anonymous_key, user_key, linked_at)
      values (${workspaceId}, ${pair.anonymousId}, ${pair.userId}, ${pair.anonymousKey.toString()}, ${pair.userKey.toString()}, now())`
  await stores.clickhouse.insertLinks(
    pairs.map((pair) => ({ workspaceId, anonymousKey: pair.anonymousKey, userKey: pair.userKey })),
  )
}
