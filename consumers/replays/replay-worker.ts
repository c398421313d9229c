import { type NotifiedPoller, pollOnNotify } from '../../postgres/driver/notified-poller.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import type { EventConsumer } from '../events/event-consumer.js'
import { reasonText } from './dead-letter.js'
import { type ReplayRouterDependencies, routeLetters } from './replay-router.js'

/** Announced by the database when a replay is asked for. */
const REPLAY_CHANNEL = 'svc_dead_letter_replays'

export interface ReplayWorkerDependencies extends ReplayRouterDependencies {
  readonly events: Pick<EventConsumer, 'positions' | 'replay'>
  readonly logger: Logger
  /** Between two looks for replays where nobody announced any, and while a partition has no owner here. */
  readonly pollMs: number
  readonly postgresMs: number
}

/** Carries out the replays that are asked for, as far as partitions are owned here; several processes do so side by side. */
export function startReplayWorker(deps: ReplayWorkerDependencies): NotifiedPoller {
  const { sql, logger, pollMs } = deps
  return pollOnNotify({
    sql,
    logger,
    pollMs,
    channel: REPLAY_CHANNEL,
    tick: (signal) => replayOnce(deps, signal),
    async onError(error, pauseMs) {
      logger.warn({ err: error, pauseMs }, 'dead letters wait for their replay')
      await noteProblem(deps, error)
    },
  })
}

/** One round over the open replays: more where it got on. */
async function replayOnce(
  deps: ReplayWorkerDependencies,
  signal: AbortSignal,
): Promise<'more' | 'waiting' | 'nothing'> {
  const { sql, events, postgresMs } = deps
  const ask = <T>(what: string, promise: PromiseLike<T>): Promise<T> =>
    withTimeout(postgresMs, `Postgres, ${what}`, promise)
  const open = await ask(
    'looking for replays',
    sql<{ state: string }[]>`select state from dead_letter_replays where state <> 'done'`,
  )
  if (open.length === 0) return 'nothing'
  if (open.some(({ state }) => state === 'requested'))
    await ask(
      'beginning replays',
      sql`update dead_letter_replays set state = 'running', started_at = now() where state = 'requested'`,
    )
  let progress = await ask('routing dead letters', routeLetters(deps))
  for (const partition of events.positions().keys()) {
    if (signal.aborted) return 'nothing'
    if (await events.replay(partition)) progress = true
  }
  const finished = await ask(
    'finishing replays',
    sql`
      update dead_letter_replays r set state = 'done', finished_at = now(), problem = null
      where state = 'running' and not exists (select from dead_letters where replay_id = r.id)`,
  )
  return progress || finished.count > 0 ? 'more' : 'waiting'
}

/** For whoever waits for the result. Postgres may be what fails. */
async function noteProblem({ sql, postgresMs }: ReplayWorkerDependencies, error: unknown): Promise<void> {
  const problem = reasonText(errorMessage(error))
  await withTimeout(
    postgresMs,
    'Postgres, noting a problem',
    sql`update dead_letter_replays set problem = ${problem} where state = 'running'`,
  ).catch(() => {})
}
