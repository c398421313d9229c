import type { Counter } from 'prom-client'
import type { EventLog, PartitionHandler, StoredRecord } from '../../log/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { insertDeadLetters } from '../../postgres/tables/dead-letters.js'
import { insertLinks } from '../../postgres/tables/identity-links.js'
import { addRefusedLinks } from '../../postgres/tables/refused-links.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'
import { readPairRecords } from '../blocks/read-pairs.js'
import { trimLog } from '../partitions/block-writer.js'
import { acquirePartition, advancePosition, commitRecords, FencedError } from '../partitions/checkpoint.js'
import type { FaultPoint } from '../partitions/fault-point.js'

export interface IdentityDependencies {
  readonly sql: Sql
  readonly log: EventLog
  readonly logger: Logger
  readonly metrics: { readonly links: Counter; readonly contradictedLinks: Counter }
  readonly faultPoint: FaultPoint
  readonly newId: () => string
  readonly postgresMs: number
  readonly onLinksWritten: () => void
}

/**
 * Reads the identity partitions. The first link of an anonymous id wins, in the order of acceptance. Links,
 * outbox rows and the position are written in one transaction, so each pair is applied once.
 */
export class IdentityConsumer implements PartitionHandler {
  private readonly leases = new Map<number, { readonly epoch: number; position: number }>()

  constructor(private readonly deps: IdentityDependencies) {}

  async assigned(partition: number): Promise<number> {
    const { sql, log, postgresMs } = this.deps
    const acquired = acquirePartition(sql, log.id, partition)
    const { epoch, doneOffset } = await withTimeout(postgresMs, 'Postgres, acquiring a partition', acquired)
    const end = await log.end(partition)
    if (end < doneOffset)
      throw new Error(
        `partition ${partition} of log ${log.id} ends at ${end}, but records up to ${doneOffset} have been applied: this is an older copy of the log`,
      )
    this.leases.set(partition, { epoch, position: doneOffset })
    return doneOffset
  }

  async handle(
    partition: number,
    records: readonly StoredRecord[],
    _signal: AbortSignal,
    next?: number,
  ): Promise<void> {
    const { metrics, onLinksWritten } = this.deps
    const last = records.at(-1)
    if (last === undefined) return
    const to = next ?? last.offset + 1
    const { made, contradicted } = await this.apply(partition, records, to)
    metrics.links.inc(made)
    metrics.contradictedLinks.inc(contradicted)
    await this.deps.faultPoint('identity:linked')
    if (made > 0) onLinksWritten()
    await trimLog(this.deps, partition, to)
  }

  async skipTo(partition: number, offset: number): Promise<void> {
    const { sql, log, postgresMs } = this.deps
    await this.underLease(partition, offset, async (lease) => {
      const advanced = advancePosition(sql, { logId: log.id, partition, ...lease }, lease.position, offset)
      await withTimeout(postgresMs, 'Postgres, skipping offsets without records', advanced)
    })
  }

  revoked(partition: number): void {
    this.leases.delete(partition)
  }

  /** Writes the links of some records and moves the position. Counts new and contradicted links. */
  private apply(
    partition: number,
    records: readonly StoredRecord[],
    to: number,
  ): Promise<{ readonly made: number; readonly contradicted: number }> {
    const { sql, log, newId, postgresMs } = this.deps
    const { pairs, deadLetters, contradicted } = readPairRecords(records)
    return this.underLease(partition, to, ({ epoch, position }) => {
      const written = sql.begin(async (tx) => {
        const range = { from: position, to, dead: deadLetters.length }
        await commitRecords(tx, { logId: log.id, partition, epoch }, range)
        await insertDeadLetters(tx, log.id, partition, deadLetters, newId)
        const inserted = await insertLinks(tx, pairs)
        const refused = new Map(contradicted)
        for (const [id, count] of Object.entries(inserted.contradicted))
          refused.set(id, (refused.get(id) ?? 0) + count)
        await addRefusedLinks(tx, 'contradicted', refused)
        const all = [...refused.values()].reduce((sum, count) => sum + count, 0)
        return { made: inserted.made, contradicted: all }
      })
      return withTimeout(postgresMs, 'Postgres, writing links', written)
    })
  }

  /** Runs work that moves a partition. If it fails, the lease is dropped and `assigned` starts over. */
  private async underLease<T>(
    partition: number,
    to: number,
    work: (lease: { readonly epoch: number; readonly position: number }) => Promise<T>,
  ): Promise<T> {
    const lease = this.leases.get(partition)
    if (lease === undefined) throw new FencedError(`partition ${partition} is not owned here`)
    try {
      const result = await work(lease)
      lease.position = to
      return result
    } catch (error) {
      this.leases.delete(partition)
      throw error
    }
  }
}
