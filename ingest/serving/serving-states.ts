import type { Sql } from '../../postgres/driver/client.js'
import { type RelayVisit, readServingState, writeRelayVisits } from '../../postgres/tables/serving.js'
import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import { SingleFlight } from '../../runtime/concurrency/single-flight.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import { etagOf } from '../../runtime/etag.js'
import type { Logger } from '../../runtime/logger.js'

/** A change must be served within two seconds, so no state is older than this while Postgres answers. */
const MAX_AGE_MS = 1_000
/** How long the last state is served while Postgres does not answer. */
const MAX_STALE_MS = 60_000
const READ_TIMEOUT_MS = 1_000
const WRITE_VISITS_MS = 2_000
const MAX_STATE_BYTES = 32 * 1024 * 1024
const MAX_VISITS = 10_000

export interface ServingState {
  /** The body of the response. */
  readonly body: string
  /** A hash of the body, quoted: two gateways agree. */
  readonly etag: string
}

interface Entry {
  readonly state: ServingState
  readonly readAt: number
  /** After a failed read the last state is served at once, and Postgres is asked again from this time on. */
  readonly retryAt: number
}

/**
 * The serving state of each workspace, read from Postgres at most once a second. That bound, not a
 * notification, makes a change visible in time, so it holds if a notification is lost.
 */
export class ServingStates {
  private readonly entries = new LruCache<Entry>(MAX_STATE_BYTES)
  private readonly reads = new SingleFlight<string, ServingState | undefined>()
  private visits = new Map<string, RelayVisit>()
  private timer: NodeJS.Timeout | undefined
  private stopped = false

  /**
   * @param options.clock milliseconds that only grow
   * @param options.now wall clock in milliseconds
   */
  constructor(
    private readonly options: {
      readonly sql: Sql
      readonly logger: Pick<Logger, 'warn' | 'debug'>
      readonly clock: () => number
      readonly now: () => number
    },
  ) {}

  /** The state to serve; undefined if there is none that is at most a minute old. At once if memory knows. */
  find(workspaceId: string): ServingState | Promise<ServingState | undefined> {
    const last = this.entries.get(workspaceId)
    if (last !== undefined) {
      const age = this.ageOf(last)
      const isWaiting = age < MAX_STALE_MS && this.options.clock() < last.retryAt
      if (age < MAX_AGE_MS || isWaiting) return last.state
    }
    return this.reads.run(workspaceId, () => this.read(workspaceId, last))
  }

  /** Notes that a relay asked; written in batches, off the request path. */
  noteVisit(workspaceId: string, relay: string): void {
    if (this.stopped || this.visits.size >= MAX_VISITS) return
    this.visits.set(`${workspaceId} ${relay}`, { workspaceId, relay, askedAt: this.options.now() })
    this.timer ??= setTimeout(() => void this.writeVisits(), WRITE_VISITS_MS).unref()
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    await this.writeVisits()
  }

  private ageOf(entry: Entry): number {
    return this.options.clock() - entry.readAt
  }

  private async read(workspaceId: string, last: Entry | undefined): Promise<ServingState | undefined> {
    // The state is as of the start of the read: a change that commits during it must be read again.
    const startedAt = this.options.clock()
    try {
      const experiments = await withTimeout(
        READ_TIMEOUT_MS,
        'Postgres, reading the serving state',
        readServingState(this.options.sql, workspaceId),
      )
      const body = JSON.stringify({ version: 1, experiments })
      const state = { body, etag: etagOf(body) }
      this.entries.set(workspaceId, { state, readAt: startedAt, retryAt: 0 }, body.length)
      return state
    } catch (error) {
      this.options.logger.warn(
        { error: errorMessage(error), workspaceId },
        'Serving state not read from Postgres',
      )
      if (last === undefined || this.ageOf(last) >= MAX_STALE_MS) return undefined
      const retryAt = this.options.clock() + MAX_AGE_MS
      this.entries.set(workspaceId, { ...last, retryAt }, last.state.body.length)
      return last.state
    }
  }

  private async writeVisits(): Promise<void> {
    this.timer = undefined
    const visits = [...this.visits.values()]
    this.visits = new Map()
    try {
      await withTimeout(
        WRITE_VISITS_MS,
        'Postgres, writing relay visits',
        writeRelayVisits(this.options.sql, visits),
      )
    } catch (error) {
      // Relays ask again within seconds, and the next write has a later time.
      this.options.logger.debug({ error: errorMessage(error) }, 'Relay visits not written')
    }
  }
}
