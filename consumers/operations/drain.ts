import type { EventLog } from '../../log/port.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { type NotifiedPoller, pollOnNotify } from '../../postgres/driver/notified-poller.js'
import { LOG_CHANNEL } from '../../postgres/tables/logs.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'

export interface DrainDependencies {
  readonly sql: Sql
  readonly log: Pick<EventLog, 'id' | 'partitions' | 'identityPartitions' | 'end'>
  readonly logger: Logger
  /** Between two looks at whether the log is to end. */
  readonly pollMs: number
  readonly postgresMs: number
}

/** Brings a log to its end once an operator has asked for it; any consumer of the log may do it. */
export function startDrainWatch(deps: DrainDependencies): NotifiedPoller {
  const { sql, log, logger, pollMs, postgresMs } = deps
  return pollOnNotify({
    sql,
    logger,
    pollMs,
    channel: LOG_CHANNEL,
    async tick() {
      const state = await withTimeout(postgresMs, 'Postgres, draining the log', drainOnce(deps))
      if (state === 'drained') logger.info({ log: log.id }, 'the log is drained: begin a new one')
      return state === 'waiting' ? 'waiting' : 'nothing'
    },
    onError: (error, pauseMs) => logger.warn({ err: error, pauseMs }, 'the log is not drained yet'),
  })
}

/**
 * Marks a closing log as drained where everything that was acknowledged is stored, else notes what is missing. In this order:
 *
 *   1  nobody may append any more: the log is closing, so no writer is let in, and the last one's time is over
 *   2  the ends of all partitions: below them lies everything that was acknowledged
 *   3  one transaction, which locks the log against whoever would open it again: all partitions have been carried out up to those ends, no block,
 *      replay or link is under way; then the log is drained and every owner of a partition fenced
 *
 * Whoever sleeps through this finds nothing to do harm with: an insert of before has a token that is known, an intent needs an epoch that is gone, and a drained
 * log's partitions are given to nobody (`takeOver`).
 *
 * @returns what came of it: `open` where nobody has asked for the end
 */
export async function drainOnce({
  sql,
  log,
}: Pick<DrainDependencies, 'sql' | 'log'>): Promise<'open' | 'waiting' | 'drained' | 'was drained'> {
  const [state] = await sql<{ closing_at: Date | null; drained_at: Date | null; writers: string }[]>`
    select closing_at, drained_at,
      (select count(*) from log_writers w where w.log_id = l.id and w.expires_at > clock_timestamp()) as writers
    from logs l where id = ${log.id}`
  if (state?.drained_at) return 'was drained'
  const closingAt = state?.closing_at
  if (!closingAt) return 'open'
  const writers = Number(state.writers)
  if (writers > 0) {
    await noteProblem(sql, log.id, `${counted(writers, 'gateway')} may still append`)
    return 'waiting'
  }
  const partitions = Array.from({ length: log.partitions + log.identityPartitions }, (_, i) => i)
  const ends = await Promise.all(partitions.map((partition) => log.end(partition)))
  return sql.begin(async (tx) => {
    const { count } = await tx`
      select from logs where id = ${log.id} and closing_at = ${closingAt} and drained_at is null for update`
    if (count !== 1) return 'waiting'
    const problem = await missing(tx, log.id, ends)
    if (problem !== undefined) {
      await noteProblem(tx, log.id, problem)
      return 'waiting'
    }
    await tx`update logs set drained_at = now(), drain_problem = null where id = ${log.id}`
    await tx`update log_partitions set epoch = epoch + 1 where log_id = ${log.id}`
    return 'drained'
  })
}

async function missing(tx: Transaction, logId: string, ends: readonly number[]): Promise<string | undefined> {
  const rows = await tx<{ log_partition: number; done_offset: string; open_to: string | null }[]>`
    select log_partition, done_offset, open_to from log_partitions where log_id = ${logId}`
  let behind = 0
  for (const [partition, end] of ends.entries()) {
    const row = rows.find(({ log_partition }) => log_partition === partition)
    if (Number(row?.done_offset ?? 0) < end || (row !== undefined && row.open_to !== null)) behind++
  }
  const [other] = await tx<{ links: string; replays: string }[]>`
    select (select count(*) from link_outbox) as links,
      (select count(*) from dead_letter_replays where state <> 'done') as replays`
  const links = Number(other?.links)
  const replays = Number(other?.replays)
  const parts = [
    behind > 0 ? `${counted(behind, 'partition')} of ${ends.length} not stored to the end` : '',
    links > 0 ? `${counted(links, 'link')} on the way to ClickHouse` : '',
    replays > 0 ? `${counted(replays, 'replay')} of dead letters not done` : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** For whoever waits for the end. */
async function noteProblem(sql: Sql | Transaction, logId: string, problem: string): Promise<void> {
  await sql`
    update logs set drain_problem = ${problem}
    where id = ${logId} and closing_at is not null and drained_at is null and drain_problem is distinct from ${problem}`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
