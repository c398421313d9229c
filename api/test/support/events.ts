import type { AcceptedEvent } from '../../../domain/event.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { encodeRecords, parseEventRecord } from '../../../log/record.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import { type LinkStores, linkSteps, type Pair } from './links.js'

export interface StoredEvent {
  readonly event: string
  readonly userId?: string
  readonly anonymousId?: string
  readonly properties?: unknown
  readonly timestamp?: number
  readonly insertId?: string
}

let stored = 0

/** Stores events in ClickHouse in the log's record format, and their links in Postgres and ClickHouse. */
export async function storeEvents(
  stores: LinkStores,
  workspaceId: string,
  receivedAt: number,
  events: readonly StoredEvent[],
  links: readonly Pair[] = [],
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
  const batch = { workspaceId, keyId: newId(), receivedAt, sentAt: undefined }
  const { records } = encodeRecords({ ...batch, events: accepted }, keys, shape, () => true)
  for (const record of records) {
    const chunks: Uint8Array[] = []
    parseEventRecord(record.payload).forEachRow((start, end) =>
      chunks.push(record.payload.subarray(start, end)),
    )
    await stores.clickhouse.insertEvents({
      // Each block begins a log: two events with the same position in a log count as one event.
      logId: newId(),
      logPartition: 0,
      chunks,
      rowCount: chunks.length,
      token: `test-${++stored}`,
      workspaceIds: [workspaceId],
    })
  }
  if (links.length === 0) return
  const steps = linkSteps(stores, workspaceId, links)
  await steps.commit()
  await steps.show()
  await steps.deliver()
}
