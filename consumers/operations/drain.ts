import type { EventLog } from '../../log/port.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { type NotifiedPoller, pollOnNotify } from '../../postgres/driver/notified-poller.js'
import {
  countUnfinished,
  drainState,
  LOG_CHANNEL,
  lockClosing,
  markDrained,
  noteDrainProblem,
} from '../../postgres/tables/logs.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Logger } from '../../runtime/logger.js'
import { countBehind, fenceAll } from '../partitions/checkpoint.js'

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
 * log's partitions are given to nobody (`acquirePartition`).
 *
 * @returns what came of it: `open` where nobody has asked for the end
 */
export async function drainOnce({
  sql,
  log,
}: Pick<DrainDependencies, 'sql' | 'log'>): Promise<'open' | 'waiting' | 'drained' | 'was drained'> {
  const state = await drainState(sql, log.id)
  if (state?.drained) return 'was drained'
  const closingAt = state?.closingAt
  if (!closingAt) return 'open'
  if (state.writers > 0) {
    await noteDrainProblem(sql, log.id, `${counted(state.writers, 'gateway')} may still append`)
    return 'waiting'
  }
  const partitions = Array.from({ length: log.partitions + log.identityPartitions }, (_, i) => i)
  const ends = await Promise.all(partitions.map((partition) => log.end(partition)))
  return sql.begin(async (tx) => {
    if (!(await lockClosing(tx, log.id, closingAt))) return 'waiting'
    const problem = await missing(tx, log.id, ends)
    if (problem !== undefined) {
      await noteDrainProblem(tx, log.id, problem)
      return 'waiting'
    }
    await markDrained(tx, log.id)
    await fenceAll(tx, log.id)
    return 'drained'
  })
}

async function missing(tx: Transaction, logId: string, ends: readonly number[]): Promise<string | undefined> {
  const behind = await countBehind(tx, logId, ends)
  const { links, replays } = await countUnfinished(tx)
  const parts = [
    behind > 0 ? `${counted(behind, 'partition')} of ${ends.length} not stored to the end` : '',
    links > 0 ? `${counted(links, 'link')} on the way to ClickHouse` : '',
    replays > 0 ? `${counted(replays, 'replay')} of dead letters not done` : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? undefined : parts.join('; ')
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
