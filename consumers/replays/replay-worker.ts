import { type NotifiedPoller, pollOnNotify } from '../../postgres/driver/notified-poller.js'
import {
  finishReplays,
  noteReplayProblem,
  REPLAY_CHANNEL,
  startRequestedReplays,
} from '../../postgres/tables/dead-letters.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import { type ReplayRouterDependencies, routeLetters } from './replay-router.js'

/** Owns partitions and stores the letters that wait for them: the event consumer. */
export interface ReplayTarget {
  positions(): ReadonlyMap<number, number>
  /** Stores the next letters of a partition. False if none wait. */
  replay(partition: number): Promise<boolean>
}

export interface ReplayWorkerDependencies extends ReplayRouterDependencies {
  readonly events: ReplayTarget
  readonly logger: Logger
  /** Milliseconds between two polls without a notification, and while a partition has no owner here. */
  readonly pollMs: number
  readonly postgresMs: number
}

/** Carries out requested replays for the partitions owned here. Several processes do so side by side. */
export function startReplayWorker(deps: ReplayWorkerDependencies): NotifiedPoller {
  const { sql, logger, pollMs } = deps
  return pollOnNotify({
    sql,
    logger,
    pollMs,
    channel: REPLAY_CHANNEL,
    tick: (signal) => replayOnce(deps, signal),
    async onError(error, pauseMs) {
      logger.warn({ err: error, pauseMs }, 'Replaying dead letters failed; retrying')
      await noteProblem(deps, error)
    },
  })
}

async function replayOnce(
  deps: ReplayWorkerDependencies,
  signal: AbortSignal,
): Promise<'more' | 'waiting' | 'nothing'> {
  const { sql, events, postgresMs } = deps
  const ask = <T>(what: string, promise: PromiseLike<T>): Promise<T> =>
    withTimeout(postgresMs, `Postgres, ${what}`, promise)
  if (!(await ask('looking for replays', startRequestedReplays(sql)))) return 'nothing'
  let progress = await ask('routing dead letters', routeLetters(deps))
  for (const partition of events.positions().keys()) {
    if (signal.aborted) return 'nothing'
    if (await events.replay(partition)) progress = true
  }
  const finished = await ask('finishing replays', finishReplays(sql))
  return progress || finished > 0 ? 'more' : 'waiting'
}

/** Shows the problem to operators. Postgres itself may be what fails. */
async function noteProblem({ sql, postgresMs }: ReplayWorkerDependencies, error: unknown): Promise<void> {
  const noted = noteReplayProblem(sql, errorMessage(error))
  // The failure itself is logged and tried again; the note is for operators only.
  await withTimeout(postgresMs, 'Postgres, noting a problem', noted).catch(() => {})
}
