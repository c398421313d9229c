import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../runtime/logger.js'
import { within } from '../runtime/within.js'
import { reasonText } from './dead-letters.js'
import type { EventsHandler } from './events.js'
import { type RouteDependencies, routeLetters } from './route-letters.js'

/** Announced by the database when a replay is asked for. */
const REPLAY_CHANNEL = 'svc_dead_letter_replays'

const FAILURE_PAUSE_MS = 1_000

export interface ReplaysDependencies extends RouteDependencies {
  readonly events: Pick<EventsHandler, 'positions' | 'replay'>
  readonly logger: Logger
  /** Between two looks for replays where nobody announced any, and while a partition has no owner here. */
  readonly pollMs: number
  readonly postgresMs: number
}

export interface Replays {
  /** Finishes the letters it is at and ends; what is left waits for the next start. */
  stop(): Promise<void>
}

/** Carries out the replays that are asked for, as far as partitions are owned here; several processes do so side by side. */
export function startReplays(deps: ReplaysDependencies): Replays {
  const { sql, logger } = deps
  const stopped = new AbortController()
  let wake: () => void = () => {}
  let poked = false
  const poke = (): void => {
    poked = true
    wake()
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      poked = false
      try {
        if (await replayOnce(deps, stopped.signal)) continue
      } catch (error) {
        logger.warn({ err: error }, 'dead letters wait for their replay')
        await noteProblem(deps, error)
        await delay(FAILURE_PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => {})
        continue
      }
      if (!poked && !stopped.signal.aborted) await pause(deps.pollMs)
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  const running = run()
  // Polling makes up for a connection that is lost, so a failure to listen only costs time.
  const listening = sql.listen(REPLAY_CHANNEL, poke).catch((error: unknown) => {
    logger.warn({ err: error }, 'replays are found by polling only')
    return undefined
  })

  return {
    async stop() {
      stopped.abort()
      poke()
      await running
      const subscription = await within(deps.postgresMs, 'Postgres, listening', listening).catch(
        () => undefined,
      )
      await subscription?.unlisten().catch(() => {})
    },
  }
}

/** One round over the open replays. Returns whether it got on. */
async function replayOnce(deps: ReplaysDependencies, signal: AbortSignal): Promise<boolean> {
  const { sql, events, postgresMs } = deps
  const ask = <T>(what: string, promise: PromiseLike<T>): Promise<T> =>
    within(postgresMs, `Postgres, ${what}`, promise)
  const open = await ask(
    'looking for replays',
    sql<{ state: string }[]>`select state from dead_letter_replays where state <> 'done'`,
  )
  if (open.length === 0) return false
  if (open.some(({ state }) => state === 'requested'))
    await ask(
      'beginning replays',
      sql`update dead_letter_replays set state = 'running', started_at = now() where state = 'requested'`,
    )
  let progress = await ask('routing dead letters', routeLetters(deps))
  for (const partition of events.positions().keys()) {
    if (signal.aborted) return false
    if (await events.replay(partition)) progress = true
  }
  const finished = await ask(
    'finishing replays',
    sql`
      update dead_letter_replays r set state = 'done', finished_at = now(), problem = null
      where state = 'running' and not exists (select from dead_letters where replay_id = r.id)`,
  )
  return progress || finished.count > 0
}

/** For whoever waits for the result. Postgres may be what fails. */
async function noteProblem({ sql, postgresMs }: ReplaysDependencies, error: unknown): Promise<void> {
  const problem = reasonText(error instanceof Error ? error.message : String(error))
  await within(
    postgresMs,
    'Postgres, noting a problem',
    sql`update dead_letter_replays set problem = ${problem} where state = 'running'`,
  ).catch(() => {})
}
