import { EVENT_LIMITS } from '../../domain/event.js'
import type { EventLog, PartitionHandler, StoredRecord } from '../../log/port.js'
import { RecordFormatError, type RecordHeader, readHeader, readPairs } from '../../log/record.js'
import type { Sql } from '../../postgres/driver/client.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'
import { isPlausibleReceivedAt } from '../blocks/read-records.js'
import type { FaultPoint } from '../operations/fault-point.js'
import type { ConsumerMetrics } from '../operations/metrics.js'
import { acquirePartition, advancePosition, FencedError } from '../partitions/checkpoint.js'
import { type DeadLetter, insertDeadLetters } from '../replays/dead-letter.js'

export interface IdentityDependencies {
  readonly sql: Sql
  readonly log: EventLog
  readonly logger: Logger
  readonly metrics: ConsumerMetrics
  readonly faultPoint: FaultPoint
  readonly newId: () => string
  readonly postgresMs: number
  /** Called when links have been written to the outbox. */
  readonly onLinksWritten: () => void
}

/** The first pair of each anonymous id, as columns. */
interface Pairs {
  readonly workspaces: string[]
  readonly anonymousIds: string[]
  readonly userIds: string[]
  readonly anonymousKeys: string[]
  readonly userKeys: string[]
  readonly linkedAt: string[]
}

/**
 * Reads the identity partitions: the first link of an anonymous id decides, in the order of the log, which is that of acceptance. Links,
 * outbox rows and the position go in one transaction under the owner's epoch, so each pair is applied once.
 */
export function createIdentityConsumer(deps: IdentityDependencies): PartitionHandler {
  const { sql, log, logger, metrics } = deps
  const epochs = new Map<number, { readonly epoch: number; position: number }>()

  return {
    async assigned(partition) {
      const { epoch, doneOffset } = await withTimeout(
        deps.postgresMs,
        'Postgres, taking a partition over',
        acquirePartition(sql, log.id, partition),
      )
      const end = await log.end(partition)
      if (end < doneOffset)
        throw new Error(
          `partition ${partition} of log ${log.id} ends at ${end}, but records up to ${doneOffset} have been applied: this is an older copy of the log`,
        )
      epochs.set(partition, { epoch, position: doneOffset })
      return doneOffset
    },

    async handle(partition, records, _signal, next) {
      const lease = epochs.get(partition)
      const last = records.at(-1)
      if (last === undefined) return
      if (lease === undefined) throw new FencedError(`partition ${partition} is not owned here`)
      const to = next ?? last.offset + 1
      const { pairs, deadLetters } = readRecords(records)
      const links = await withTimeout(
        deps.postgresMs,
        'Postgres, writing links',
        sql.begin(async (tx) => {
          const { count } = await tx`
            update log_partitions set done_offset = ${to}, total_dead = total_dead + ${deadLetters.length}
            where log_id = ${log.id} and log_partition = ${partition} and epoch = ${lease.epoch} and done_offset = ${lease.position}`
          if (count !== 1) throw new FencedError(`partition ${partition} of log ${log.id} has another owner`)
          await insertDeadLetters(tx, log.id, partition, deadLetters, deps.newId)
          return pairs.workspaces.length === 0 ? 0 : await insertLinks(tx as unknown as Sql, pairs)
        }),
      ).catch((error: unknown) => {
        epochs.delete(partition)
        throw error
      })
      lease.position = to
      metrics.links.inc(links)
      await deps.faultPoint('identity:linked')
      if (links > 0) deps.onLinksWritten()
      await log.trim(partition, to).catch((error: unknown) => {
        logger.warn({ err: error, partition, offset: to }, 'the log could not be trimmed')
      })
    },

    async skipTo(partition, offset) {
      const lease = epochs.get(partition)
      if (lease === undefined) throw new FencedError(`partition ${partition} is not owned here`)
      try {
        await withTimeout(
          deps.postgresMs,
          'Postgres, passing offsets without records',
          advancePosition(sql, { logId: log.id, partition, epoch: lease.epoch }, lease.position, offset),
        )
      } catch (error) {
        epochs.delete(partition)
        throw error
      }
      lease.position = offset
    },

    revoked(partition) {
      epochs.delete(partition)
    },
  }
}

/** Writes the links that are new, with their outbox rows. Returns their number. */
export async function insertLinks(sql: Sql, pairs: Pairs): Promise<number> {
  const { count } = await sql`
    with fresh as (
      insert into identity_links (workspace_id, anonymous_id, user_id, anonymous_key, user_key, linked_at)
      select * from unnest(${pairs.workspaces}::uuid[], ${pairs.anonymousIds}::text[], ${pairs.userIds}::text[],
        ${pairs.anonymousKeys}::bigint[], ${pairs.userKeys}::bigint[], ${pairs.linkedAt}::timestamptz[])
      on conflict (workspace_id, anonymous_id) do nothing
      returning workspace_id, anonymous_key, user_key
    )
    insert into link_outbox (workspace_id, anonymous_key, user_key)
    select workspace_id, anonymous_key, user_key from fresh`
  return count
}

/** The pairs that may be new, the first of each anonymous id, and what cannot be a pair. */
export function readRecords(records: readonly StoredRecord[]): {
  readonly pairs: Pairs
  readonly deadLetters: DeadLetter[]
} {
  const pairs: Pairs = {
    workspaces: [],
    anonymousIds: [],
    userIds: [],
    anonymousKeys: [],
    userKeys: [],
    linkedAt: [],
  }
  const deadLetters: DeadLetter[] = []
  const first = new Set<string>()
  for (const record of records) {
    const read = readRecord(record)
    if ('reason' in read) {
      deadLetters.push(read)
      continue
    }
    const { header } = read
    for (const pair of read.pairs) {
      const key = `${header.workspaceId}${pair.anonymousId}`
      if (first.has(key)) continue
      first.add(key)
      pairs.workspaces.push(header.workspaceId)
      pairs.anonymousIds.push(pair.anonymousId)
      pairs.userIds.push(pair.userId)
      pairs.anonymousKeys.push(String(pair.anonymousKey))
      pairs.userKeys.push(String(pair.userKey))
      pairs.linkedAt.push(new Date(header.receivedAt).toISOString())
    }
  }
  return { pairs, deadLetters }
}

/** A record's pairs, or the dead letter it becomes. Postgres would refuse such ids, and with them the whole batch for ever. */
function readRecord(record: StoredRecord): ReturnType<typeof readPairs> | DeadLetter {
  let header: RecordHeader | undefined
  try {
    header = readHeader(record.payload)
    const read = readPairs(record.payload)
    for (const { anonymousId, userId } of read.pairs)
      if (!isId(anonymousId, EVENT_LIMITS.anonymousIdLength) || !isId(userId, EVENT_LIMITS.userIdLength))
        throw new RecordFormatError('an id that no request may have')
    if (!isPlausibleReceivedAt(header.receivedAt))
      throw new RecordFormatError('a time of receipt that is none')
    return read
  } catch (error) {
    if (!(error instanceof RecordFormatError)) throw error
    return {
      offset: record.offset,
      rowIndex: -1,
      workspaceId: header?.workspaceId,
      reason: error.message,
      // No event is lost with a pair.
      events: 0,
      payload: record.payload,
    }
  }
}

function isId(text: string, longest: number): boolean {
  return text.length > 0 && text.length <= longest && !text.includes('\0')
}
