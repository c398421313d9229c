import type { Counter } from 'prom-client'
import type { EventLog, PartitionHandler } from '../../log/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { insertDeadLetters } from '../../postgres/tables/dead-letters.js'
import { insertLinks } from '../../postgres/tables/identity-links.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'
import { readPairRecords } from '../blocks/read-pairs.js'
import { acquirePartition, advancePosition, commitRecords, FencedError } from '../partitions/checkpoint.js'
import type { FaultPoint } from '../partitions/fault-point.js'

export interface IdentityDependencies {
  readonly sql: Sql
  readonly log: EventLog
  readonly logger: Logger
  readonly metrics: { readonly links: Counter }
  readonly faultPoint: FaultPoint
  readonly newId: () => string
  readonly postgresMs: number
  /** Called when links have been written to the outbox. */
  readonly onLinksWritten: () => void
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
      const { pairs, deadLetters } = readPairRecords(records)
      const links = await withTimeout(
        deps.postgresMs,
        'Postgres, writing links',
        sql.begin(async (tx) => {
          const range = { from: lease.position, to, dead: deadLetters.length }
          await commitRecords(tx, { logId: log.id, partition, epoch: lease.epoch }, range)
          await insertDeadLetters(tx, log.id, partition, deadLetters, deps.newId)
          return insertLinks(tx, pairs)
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
