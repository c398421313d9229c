import type { ClickHouse, LinkRow } from '../../../clickhouse/port.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { encodeRecords, readPairs } from '../../../log/record.js'
import type { Sql } from '../../../postgres/driver/client.js'
import { newId } from '../../../postgres/tables/workspaces.js'

export interface LinkStores {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly secretKey: Uint8Array
}

export interface Pair {
  readonly anonymousId: string
  readonly userId: string
}

/** Writes links the way the service does, step by step. */
export interface LinkSteps {
  /** Commits them; queries do not know them yet. */
  commit(): Promise<void>
  /** Makes them known to queries. */
  show(): Promise<void>
  /** Removes them from the outbox. */
  deliver(): Promise<void>
}

export function linkSteps(stores: LinkStores, workspaceId: string, pairs: readonly Pair[]): LinkSteps {
  const { sql, clickhouse } = stores
  const keys = workspaceHashKeys(stores.secretKey, workspaceId)
  const events = pairs.map((pair) => ({
    event: 'link',
    ...pair,
    properties: '{}',
    timestamp: undefined,
    insertId: undefined,
    sdkVersion: undefined,
  }))
  const batch = { workspaceId, keyId: newId(), receivedAt: Date.now(), sentAt: undefined, events }
  const { records } = encodeRecords(batch, keys, { partitions: 1, identityPartitions: 1 }, () => false)
  const links = records
    .filter((record) => record.partition === 1)
    .flatMap((record) => readPairs(record.payload).pairs)
  const rows: LinkRow[] = links.map(({ anonymousKey, userKey }) => ({ workspaceId, anonymousKey, userKey }))
  const ids: string[] = []
  return {
    async commit() {
      await sql.begin(async (tx) => {
        for (const { anonymousId, userId, anonymousKey, userKey } of links) {
          await tx`
            insert into identity_links (workspace_id, anonymous_id, user_id, anonymous_key, user_key, linked_at)
            values (${workspaceId}, ${anonymousId}, ${userId}, ${anonymousKey.toString()}, ${userKey.toString()}, now())`
          const [row] = await tx<{ id: string }[]>`
            insert into link_outbox (workspace_id, anonymous_key, user_key)
            values (${workspaceId}, ${anonymousKey.toString()}, ${userKey.toString()}) returning id`
          if (row !== undefined) ids.push(row.id)
        }
      })
    },
    show: () => clickhouse.insertLinks(rows),
    async deliver() {
      await sql`delete from link_outbox where id = any(${ids}::bigint[])`
    },
  }
}
