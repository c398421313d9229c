import { setTimeout as delay } from 'node:timers/promises'
import { toDatabaseError } from '../../postgres/driver/errors.js'
import { type AdminServer, startAdminServer } from '../../runtime/admin-server.js'
import { backoffMs } from '../../runtime/backoff.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { Config } from '../../runtime/config.js'
import { errorMessage, isRetryable, ServiceError } from '../../runtime/errors.js'
import { createLogger, type Logger } from '../../runtime/logger.js'
import type { Check, Stage, StoreName } from '../../runtime/stage.js'
import { startTracing } from '../../runtime/tracing.js'
import { requireFreePort } from './ports.js'
import { STOP_SIGNALS } from './process-endings.js'

/** Longer than any stage gives its clients. */
const DRAIN_LIMIT_MS = 40_000
/** How long a start waits for stores before it fails. */
const PATIENCE_MS = 120_000
const PAUSES = { initialIntervalMs: 100, maxIntervalMs: 2_000 } as const
const REPORT_MS = 10_000

/** The parts of a start. */
export interface Program {
  readonly logger: Logger
  /** Asked for readiness and metrics. */
  readonly stages: Stage[]
  /** Registers a step of the stop. Steps run in reverse order of the calls. */
  onStop(name: string, run: () => unknown): void
  /**
   * Adds a stage once it has started. It is stopped at the end, in reverse order of the calls of this method.
   */
  startStage<Kind extends Stage>(name: Stage['name'], starting: Promise<Kind>): Promise<Kind>
  /** Opens the operators' port: alive from here on, ready after the start. Resolves with its address. */
  openAdmin(): Promise<string>
  /**
   * Repeats an attempt until it succeeds, because programs and stores start in any order.
   *
   * @throws the last failure after two minutes; at once a failure that is not retryable
   */
  waitFor<T>(store: StoreName, attempt: () => Promise<T>): Promise<T>
}

/** A signal has ended the start. */
class StartInterruptedError extends Error {
  override readonly name = 'StartInterruptedError'
}

/**
 * Runs a program until SIGTERM or SIGINT, then drains.
 *
 * @param start resolves with the text of the ready line
 * @returns the exit code
 * @throws if the start fails, after it has stopped what was started
 */
export async function runProgram(
  config: Config,
  name: string,
  start: (program: Program) => Promise<string>,
  patienceMs = PATIENCE_MS,
): Promise<number> {
  const logger = createLogger(config.logLevel, name)
  const cleanup: Cleanup[] = []
  cleanup.push({ name: 'traces', run: await startTracing(config.tracing) })
  const signal = waitForSignal()
  const running = new RunningProgram(config, logger, cleanup, signal.stopping, patienceMs)
  try {
    const ready = await start(running)
    running.started = true
    process.stdout.write(`svc ready ${ready}\n`)
    const reason = await signal.received
    logger.info({ reason }, 'Stopping: new requests are rejected, accepted ones are stored')
  } catch (error) {
    if (!(error instanceof StartInterruptedError)) throw error
  } finally {
    running.started = false
    await stopAll(cleanup, logger)
  }
  return 0
}

class RunningProgram implements Program {
  readonly stages: Stage[] = []
  /** All stages serve. */
  started = false
  private missing: Check | undefined

  constructor(
    private readonly config: Config,
    readonly logger: Logger,
    private readonly cleanup: Cleanup[],
    private readonly stopping: AbortSignal,
    private readonly patienceMs: number,
  ) {}

  onStop(name: string, run: () => unknown): void {
    this.cleanup.push({ name, run })
  }

  async startStage<Kind extends Stage>(name: Stage['name'], starting: Promise<Kind>): Promise<Kind> {
    // If another stage fails, this one may still be starting; its own failure ends the start elsewhere.
    this.onStop(name, async () => (await starting.catch(() => undefined))?.stop())
    const stage = await starting
    this.stages.push(stage)
    return stage
  }

  async openAdmin(): Promise<string> {
    const { adminHost: host, adminPort: port } = this.config
    await requireFreePort('SVC_ADMIN_PORT', host, port)
    const admin: AdminServer = await startAdminServer({
      host,
      port,
      stages: () => this.stages,
      notServing: () =>
        this.started ? undefined : this.stopping.aborted ? { status: 'stopping' } : this.whileStarting(),
    })
    this.onStop('admin', () => admin.stop())
    return admin.url
  }

  async waitFor<T>(store: StoreName, attempt: () => Promise<T>): Promise<T> {
    const end = performance.now() + this.patienceMs
    let reportedAt = Number.NEGATIVE_INFINITY
    for (let failures = 0; ; failures++) {
      const pauseMs = backoffMs(PAUSES, failures)
      try {
        const result = await attempt()
        this.missing = undefined
        return result
      } catch (error) {
        if (this.stopping.aborted) throw new StartInterruptedError()
        const failure = toDatabaseError(error) ?? error
        if (failure instanceof ServiceError && failure.code === 'denied')
          throw new Error(`${STORE_NAMES[store]} cannot be used: ${failure.message}`, { cause: error })
        if (!isRetryable(failure)) throw error
        const now = performance.now()
        const message = errorMessage(error)
        if (now + pauseMs > end)
          throw new Error(
            `${STORE_NAMES[store]} cannot be used after ${this.patienceMs / 1_000} s: ${message}`,
          )
        this.missing = { name: store, ok: false, message }
        if (now - reportedAt >= REPORT_MS) {
          reportedAt = now
          this.logger.warn({ store, error: message }, 'Start waits for a store that does not answer')
        }
      }
      await delay(pauseMs, undefined, { signal: this.stopping }).catch(() => {
        throw new StartInterruptedError()
      })
    }
  }

  private whileStarting(): { readonly status: string; readonly missing?: Check } {
    return this.missing === undefined ? { status: 'starting' } : { status: 'starting', missing: this.missing }
  }
}

const STORE_NAMES = { postgres: 'Postgres', clickhouse: 'ClickHouse', log: 'the event log' } as const

interface Cleanup {
  readonly name: string
  run(): unknown
}

/** Runs the steps of the stop. One that fails or hangs does not keep the others from running. */
async function stopAll(cleanup: readonly Cleanup[], logger: Logger): Promise<void> {
  for (const { name, run } of [...cleanup].reverse()) {
    try {
      await withTimeout(DRAIN_LIMIT_MS, 'stopping', Promise.resolve(run()))
    } catch (error) {
      logger.warn({ part: name, err: error }, 'A part of the program did not stop cleanly')
    }
  }
}

function waitForSignal(): { readonly received: Promise<string>; readonly stopping: AbortSignal } {
  const stop = new AbortController()
  const received = new Promise<string>((resolve) => {
    // Never removed: a second signal must not end the process before the stores are closed.
    for (const name of STOP_SIGNALS)
      process.on(name, () => {
        stop.abort()
        resolve(name)
      })
  })
  return { received, stopping: stop.signal }
}
