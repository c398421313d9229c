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
  /** Milliseconds between two polls without a notification. */
  readonly pollMs: number
  readonly postgresMs: number
}

/** Drains a log once an operator has asked for it. Any consumer of the log may do it. */
export function startDrainWatch(deps: DrainDependencies): NotifiedPoller {
  const { sql, log, logger, pollMs, postgresMs } = deps
  return pollOnNotify({
    sql,
    logger,
    pollMs,
    channel: LOG_CHANNEL,
    async tick() {
      const state = await withTimeout(postgresMs, 'Postgres, draining the log', drainOnce(deps))
      if (state === 'drained') logger.info({ log: log.id }, 'Log drained; start with a new one')
      return state === 'waiting' ? 'waiting' : 'nothing'
    },
    onError: (error, pauseMs) => logger.warn({ err: error, pauseMs }, 'Draining the log failed; retrying'),
  })
}

/**
 * Marks a closing log as drained if everything acknowledged is stored, else notes what is missing:
 *
 *   1  No gateway may append: the log is closing, and the last writer's lease has ended.
 *   2  Read the ends of all partitions. Everything acknowledged lies below them.
 *   3  In one transaction that locks the log against being reopened: check that all partitions are committed
 *      up to those ends and that no block, replay or link is under way. Then mark the log as drained and
 *      fence all owners.
 *
 * An owner that was frozen meanwhile can do no harm: its late insert has a known token, its next intent needs
 * an epoch that is gone, and `acquirePartition` refuses partitions of a drained log.
 *
 * @returns the outcome: `open` if the log was not asked to close
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
