import type { AcceptedEvent } from '../../../domain/event.js'
import { ROW, writeInt64 } from '../../../domain/row.js'
import { workspaceHashKeys } from '../../../log/hash-keys.js'
import { encodeRecords, parseEventRecord } from '../../../log/record.js'
import { newId } from '../../../postgres/tables/workspaces.js'
import type { TestApi } from './api.js'

/** A log as consumers leave it in both stores. The test decides which block is stored and marked when. */
interface Sent {
  readonly receivedAt?: number
  /** Put into the properties of each event. */
  readonly text?: string
}

export interface TestLog {
  readonly id: string
  /** Inserts events of one request into a partition, not marked as done. Returns the offset after them. */
  insert(workspaceId: string, partition: number, names: readonly string[], sent?: Sent): Promise<number>
  /** Marks everything below an offset of a partition as stored. */
  mark(partition: number, doneOffset: number): Promise<void>
  /** Both. */
  store(workspaceId: string, partition: number, names: readonly string[], sent?: Sent): Promise<void>
}

let blocks = 0

export async function putLog(
  api: Pick<TestApi, 'sql' | 'clickhouse' | 'secretKey'>,
  partitions: number,
): Promise<TestLog> {
  const id = newId()
  await api.sql`insert into logs (id, partitions, identity_partitions) values (${id}, ${partitions}, 1)`
  const next = new Map<number, number>()
  const log: TestLog = {
    id,
    async insert(
      workspaceId,
      partition,
      names,
      { receivedAt = Date.now(), text = '\u{1f600} </script>' } = {},
    ) {
      const offset = next.get(partition) ?? 0
      next.set(partition, offset + 1)
      const events = names.map(
        (event): AcceptedEvent => ({
          event,
          userId: 'u-1',
          anonymousId: undefined,
          properties: JSON.stringify({ text }),
          timestamp: undefined,
          insertId: undefined,
          sdkVersion: undefined,
        }),
      )
      const keys = workspaceHashKeys(api.secretKey, workspaceId)
      const batch = { workspaceId, keyId: newId(), receivedAt, sentAt: undefined, events }
      const { records } = encodeRecords(batch, keys, { partitions: 1, identityPartitions: 1 }, () => true)
      for (const { payload } of records) {
        const chunks: Uint8Array[] = []
        parseEventRecord(payload).forEachRow((start, end) => {
          writeInt64(payload, start + ROW.logOffset, offset)
          chunks.push(payload.subarray(start, end))
        })
        await api.clickhouse.insertEvents({
          logId: id,
          logPartition: partition,
          chunks,
          rowCount: chunks.length,
          token: `log-${++blocks}`,
          workspaceIds: [workspaceId],
        })
      }
      return offset + 1
    },
    async mark(partition, doneOffset) {
      await api.sql`
        insert into log_partitions (log_id, log_partition, done_offset) values (${id}, ${partition}, ${doneOffset})
        on conflict (log_id, log_partition) do update set done_offset = ${doneOffset}`
    },
    async store(workspaceId, partition, names, sent) {
      await log.mark(partition, await log.insert(workspaceId, partition, names, sent))
    },
  }
  return log
}
