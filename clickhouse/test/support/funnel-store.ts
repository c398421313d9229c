import { createHash } from 'node:crypto'
import type { JsonValue } from '../../../domain/funnel.js'
import { ROW, writeInt64 } from '../../../domain/row.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { encodeRecords, identityPairOf, parseEventRecord } from '../../../log/record.js'
import type { ReferenceEvent } from '../../../test/reference/funnel.js'
import type { ClickHouse } from '../../port.js'

/** One request as the log has it; its events' indexes are their places. */
export interface StoredRequest {
  readonly receivedAt: number
  readonly logPartition: number
  readonly logOffset: number
  readonly events: readonly StoredEvent[]
}

export interface StoredEvent {
  readonly event: string
  readonly userId?: string | undefined
  readonly anonymousId?: string | undefined
  readonly properties?: JsonValue
  readonly timestamp: number
  /** Index into `TIMESTAMP_ADJUSTMENTS`, 0 by default. */
  readonly adjustment?: number
}

export interface StoredWorkspace {
  readonly workspaceId: string
  readonly requests: readonly StoredRequest[]
  /** Anonymous id → user id. */
  readonly links: ReadonlyMap<string, string>
}

const SECRET = Buffer.alloc(32, 7)
const LOG_ID = '5e0f3c1a-7b1d-4c7e-9d53-2f6f1f1c0a01'
let blocks = 0

/** A workspace id made of a text, the same every time. */
export function workspaceIdOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/**
 * Stores the events of workspaces, encoded as the gateway does and patched as the consumer does, in a block a
 * partition.
 */
export async function store(clickhouse: ClickHouse, workspaces: readonly StoredWorkspace[]): Promise<void> {
  const chunks = new Map<number, Uint8Array[]>()
  const rows = new Map<number, number>()
  const links: { workspaceId: string; anonymousKey: bigint; userKey: bigint }[] = []
  for (const workspace of workspaces) {
    const keys = workspaceHashKeys(SECRET, workspace.workspaceId)
    for (const request of workspace.requests) {
      const { records } = encodeRecords(
        {
          workspaceId: workspace.workspaceId,
          keyId: LOG_ID,
          receivedAt: request.receivedAt,
          sentAt: undefined,
          events: request.events.map((event) => ({
            event: event.event,
            userId: event.userId,
            anonymousId: event.anonymousId,
            properties: JSON.stringify(event.properties ?? {}),
            timestamp: event.timestamp,
            insertId: undefined,
            sdkVersion: undefined,
          })),
        },
        keys,
        { partitions: 1, identityPartitions: 1 },
        () => true,
      )
      for (const { payload } of records) {
        const record = parseEventRecord(payload)
        let from = payload.length
        let to = 0
        record.forEachRow((start, end, index) => {
          from = Math.min(from, start)
          to = end
          writeInt64(payload, start + ROW.timestamp, request.events[index]?.timestamp ?? 0)
          payload[start + ROW.adjustment] = request.events[index]?.adjustment ?? 0
          writeInt64(payload, start + ROW.logOffset, request.logOffset)
        })
        const list = chunks.get(request.logPartition)
        if (list === undefined) chunks.set(request.logPartition, [payload.subarray(from, to)])
        else list.push(payload.subarray(from, to))
        rows.set(request.logPartition, (rows.get(request.logPartition) ?? 0) + record.count)
      }
    }
    for (const [anonymousId, userId] of workspace.links) {
      const { pair } = identityPairOf(anonymousId, userId, keys, { partitions: 1, identityPartitions: 1 })
      links.push({
        workspaceId: workspace.workspaceId,
        anonymousKey: pair.anonymousKey,
        userKey: pair.userKey,
      })
    }
  }
  for (const [logPartition, list] of chunks)
    await clickhouse.insertEvents({
      logId: LOG_ID,
      logPartition,
      chunks: list,
      rowCount: rows.get(logPartition) ?? 0,
      token: `funnel-test-${blocks++}`,
    })
  await clickhouse.insertLinks(links)
}

/** The same events for the reference. */
export function referenceEvents(requests: readonly StoredRequest[]): ReferenceEvent[] {
  return requests.flatMap((request) =>
    request.events.map((event, requestIndex) => ({
      event: event.event,
      userId: event.userId,
      anonymousId: event.anonymousId,
      // As it is stored: what JSON cannot hold is gone.
      properties: JSON.parse(JSON.stringify(event.properties ?? {})) as JsonValue,
      timestamp: event.timestamp,
      receivedAt: request.receivedAt,
      requestIndex,
      logPartition: request.logPartition,
      logOffset: request.logOffset,
    })),
  )
}
