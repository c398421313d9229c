import type { ListedEvent } from '../../clickhouse/queries/events/event-cache.js'
import { personId } from '../../domain/person.js'
import type { Sql } from '../../postgres/driver/client.js'
import { findLinks } from '../../postgres/tables/identity-links.js'

/** Stored events as the API shows them, each under the person it belongs to now. */
export async function presentEvents(sql: Sql, workspaceId: string, rows: readonly ListedEvent[]) {
  const anonymous = rows.flatMap((row) =>
    row.userId === null && row.anonymousId !== null ? [row.anonymousId] : [],
  )
  const links = await findLinks(sql, workspaceId, anonymous)
  return rows.map((row) => toEvent(row, links))
}

/** The same for batches, as they are read. */
export async function* presentBatches(
  sql: Sql,
  workspaceId: string,
  batches: AsyncIterable<readonly ListedEvent[]>,
): AsyncGenerator<Awaited<ReturnType<typeof presentEvents>>> {
  for await (const batch of batches) yield presentEvents(sql, workspaceId, batch)
}

function toEvent(row: ListedEvent, links: ReadonlyMap<string, string>) {
  return {
    id: row.id,
    event: row.event,
    userId: row.userId,
    anonymousId: row.anonymousId,
    personId: personId(row.userId, row.anonymousId, links.get(row.anonymousId ?? '')),
    properties: JSON.parse(row.properties) as unknown,
    timestamp: new Date(row.timestamp).toISOString(),
    originalTimestamp: row.originalTimestamp === null ? null : new Date(row.originalTimestamp).toISOString(),
    timestampAdjustment: row.timestampAdjustment,
    receivedAt: new Date(row.receivedAt).toISOString(),
    insertId: row.insertId,
    sdkVersion: row.sdkVersion,
  }
}
