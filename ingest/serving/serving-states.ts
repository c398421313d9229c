import { createHash } from 'node:crypto'
import type { Sql } from '../../postgres/driver/client.js'
import { type RelayVisit, readServingState, writeRelayVisits } from '../../postgres/tables/serving.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'

/** A change must be served within two seconds, so no state is older than this while Postgres answers. */
const MAX_AGE_MS = 1_000
/** How long the last state is served while Postgres does not answer. */
const MAX_STALE_MS = 60_000
const READ_TIMEOUT_MS = 1_000
const WRITE_VISITS_MS = 2_000
const MAX_WORKSPACES = 10_000
const MAX_VISITS = 10_000

export interface ServingState {
  /** The body of the response. */
  readonly body: string
  /** A hash of the body, quoted: two gateways agree. */
  readonly etag: string
}

interface Entry {
  state: ServingState | undefined
  readAt: number
  /** After a failed read the last state is served at once, and Postgres is asked again from this time on. */
  retryAt: number
  /** The read under way, shared by all who ask meanwhile. */
  reading: Promise<ServingState | undefined> | undefined
}

/**
 * The serving state of each workspace, read from Postgres at most once a second. That bound, not a
 * notification, makes a change visible in time, so it holds if a notification is lost.
 */
export class ServingStates {
  private readonly entries = new Map<string, Entry>()
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
    const entry = this.entryOf(workspaceId)
    const { state } = entry
    const age = this.ageOf(entry)
    if (
      state !== undefined &&
      (age < MAX_AGE_MS || (age < MAX_STALE_MS && this.options.clock() < entry.retryAt))
    )
      return state
    entry.reading ??= this.read(workspaceId, entry).finally(() => {
      entry.reading = undefined
    })
    return entry.reading
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

  private entryOf(workspaceId: string): Entry {
    const known = this.entries.get(workspaceId)
    if (known !== undefined) return known
    const entry: Entry = {
      state: undefined,
      readAt: Number.NEGATIVE_INFINITY,
      retryAt: 0,
      reading: undefined,
    }
    this.entries.set(workspaceId, entry)
    const oldest = this.entries.keys().next()
    if (this.entries.size > MAX_WORKSPACES && oldest.done !== true) this.entries.delete(oldest.value)
    return entry
  }

  private async read(workspaceId: string, entry: Entry): Promise<ServingState | undefined> {
    // The state is as of the start of the read: a change that commits during it must be read again.
    const startedAt = this.options.clock()
    try {
      const experiments = await withTimeout(
        READ_TIMEOUT_MS,
        'Postgres, reading the serving state',
        readServingState(this.options.sql, workspaceId),
      )
      const body = JSON.stringify({ version: 1, experiments })
      const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22)
      entry.state = { body, etag: `"${hash}"` }
      entry.readAt = startedAt
    } catch (error) {
      this.options.logger.warn(
        { error: errorMessage(error), workspaceId },
        'Serving state not read from Postgres',
      )
      entry.retryAt = this.options.clock() + MAX_AGE_MS
      if (this.ageOf(entry) >= MAX_STALE_MS) entry.state = undefined
    }
    return entry.state
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
