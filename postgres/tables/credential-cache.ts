import { batchLoader } from '../../runtime/concurrency/batch-loader.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { errorMessage, ServiceError } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import type { Sql } from '../driver/client.js'
import { type Announcements, listenTo } from '../driver/listen.js'
import { CREDENTIAL_CHANNEL, type Credential, findCredentials } from './credentials.js'
import { writeKeyUse } from './keys.js'
import { writeSessionUse } from './sessions.js'

/** A revocation takes effect within this time, even without the notification channel. */
const TRUSTED_MS = 1_000
const HEARTBEAT_MS = 300
/** Heartbeats stop after this time without a request. */
const IDLE_MS = 5_000
const LAST_USED_MS = 60_000
const WRITE_USE_MS = 1_000
const MAX_ENTRIES = 10_000
/** Look-ups of keys that are not cached: more at once are refused, so that guesses cannot pile up. */
const MAX_LOOK_UPS = 256

export interface CredentialCacheOptions<Value> {
  readonly sql: Sql
  readonly logger: Pick<Logger, 'warn' | 'debug'>
  /** Monotonic milliseconds. */
  readonly clock: () => number
  /** Wall clock in milliseconds, for the last use of keys. */
  readonly now: () => number
  /** Unique name of this process' heartbeats. */
  readonly name: string
  /** How long a cached credential may miss changes without a notification, for example of a person's name. */
  readonly refreshMs: number
  /** How long an unknown key is cached. */
  readonly unknownTtlMs: number
  readonly lookUpTimeoutMs: number
  /** How long a cached credential stays valid while Postgres does not answer. */
  readonly maxStaleMs: number
  /** Called after a credential of any workspace has changed. */
  readonly changed?: () => void
  /** The value to cache for a live credential; undefined if this process does not accept it. */
  derive(credential: Credential): Value | undefined
}

interface Entry<Value> {
  /** Undefined if the credential is not live, or not accepted. */
  readonly value: Value | undefined
  readonly credential: Credential | undefined
  /** When Postgres was asked. */
  readonly checkedAt: number
  /** Set while Postgres does not answer. */
  failedAt: number | undefined
}

interface LookUp<Value> {
  readonly result: Promise<Value | undefined>
  /** The key changed during the look-up, so the answer may be older than the change. */
  stale: boolean
}

/** Postgres does not answer, and nothing recent enough is cached to tell whether a credential is live. */
export class CredentialsUnavailableError extends ServiceError<'unavailable'> {
  constructor(cause: unknown) {
    super('keys cannot be checked at the moment', { code: 'unavailable', retryable: true, cause })
  }
}

/**
 * Cache of live keys and session tokens.
 *
 * An entry is current as of its look-up, or of a later heartbeat: a notification that this process sent
 * itself and received, which every earlier change of a key must have preceded. So a revocation takes effect
 * at once if its notification arrives, and within a second if the channel is cut, half-open or slow.
 */
export class CredentialCache<Value> {
  private readonly known = new Map<string, Entry<Value>>()
  private readonly unknown = new Map<string, Entry<Value>>()
  private readonly lookUps = new Map<string, LookUp<Value>>()
  private pendingLookUps = 0
  private readonly load: (hash: Buffer) => Promise<Credential | undefined>
  /** Times of the latest uses that are not written yet, by id. */
  private readonly used = { keys: new Map<string, number>(), sessions: new Map<string, number>() }
  private readonly usedSince = new Map<string, number>()

  private readonly heartbeatName: string
  private heartbeatNumber = 0
  private heartbeatSentAt: number | undefined
  private heartbeatPending = false
  private listeningSince = Number.POSITIVE_INFINITY
  private trustedAt = Number.NEGATIVE_INFINITY
  private askedAt = Number.NEGATIVE_INFINITY
  /** Runs while requests come. */
  private heartbeatTimer: NodeJS.Timeout | undefined
  /** Runs while uses are waiting to be written. */
  private writeTimer: NodeJS.Timeout | undefined
  private announcements: Announcements | undefined
  private stopped = false

  constructor(private readonly options: CredentialCacheOptions<Value>) {
    this.heartbeatName = `beat:${options.name}:`
    this.load = batchLoader((hashes) => findCredentials(options.sql, hashes), MAX_LOOK_UPS)
  }

  start(): void {
    this.announcements = listenTo(this.options.sql, CREDENTIAL_CHANNEL, {
      logger: this.options.logger,
      without: 'Changes of keys are not announced: keys are checked every second',
      heard: (payload) => this.changed(payload),
      listening: () => {
        // Also after a reconnection: notifications in between are lost.
        this.listeningSince = this.options.clock()
        this.trustedAt = Number.NEGATIVE_INFINITY
      },
    })
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearInterval(this.heartbeatTimer)
    clearTimeout(this.writeTimer)
    await Promise.all([this.writeLastUsed(), this.announcements?.stop()])
  }

  /** Whether something in the cache is valid without Postgres. */
  canServeStale(): boolean {
    const now = this.options.clock()
    for (const entry of this.known.values())
      if (now - this.trustedSince(entry) < this.options.maxStaleMs) return true
    return false
  }

  /** Whether a credential was live when Postgres was last asked, so that `find` costs little. */
  isKnown(id: string): boolean {
    return this.known.has(id)
  }

  /**
   * The value of a live credential; undefined if there is none. Synchronous if the cache can tell.
   *
   * @param id the hash in hexadecimal, as changes are notified
   * @throws CredentialsUnavailableError (as a rejection) if neither the cache nor Postgres can tell
   */
  find(hash: Buffer, id: string): Value | undefined | Promise<Value | undefined> {
    const now = this.options.clock()
    this.askedAt = now
    if (this.heartbeatTimer === undefined) this.startHeartbeat()
    const entry = this.known.get(id) ?? this.unknown.get(id)
    if (entry === undefined) return this.ask(id, hash, undefined)
    if (entry.value === undefined)
      return now - entry.checkedAt < this.options.unknownTtlMs ? undefined : this.ask(id, hash, undefined)
    const age = now - this.trustedSince(entry)
    if (age < TRUSTED_MS && now - entry.checkedAt < this.options.refreshMs) return this.use(entry, now)
    if (entry.failedAt === undefined || age >= this.options.maxStaleMs) return this.ask(id, hash, entry)
    // Postgres is down: accept the key, and look it up from time to time without waiting.
    if (now - entry.failedAt >= TRUSTED_MS) this.ask(id, hash, entry).catch(() => {})
    return this.use(entry, now)
  }

  /** Drops the credentials of a workspace, so that they are looked up again. */
  forget(workspaceId: string): void {
    for (const [id, entry] of this.known)
      if (entry.credential?.workspace.id === workspaceId) this.known.delete(id)
    for (const lookUp of this.lookUps.values()) lookUp.stale = true
  }

  private trustedSince(entry: Entry<Value>): number {
    return entry.checkedAt >= this.listeningSince
      ? Math.max(entry.checkedAt, this.trustedAt)
      : entry.checkedAt
  }

  private async ask(id: string, hash: Buffer, entry: Entry<Value> | undefined): Promise<Value | undefined> {
    let lookUp = this.lookUps.get(id)
    if (lookUp === undefined) {
      if (entry === undefined && this.pendingLookUps >= MAX_LOOK_UPS)
        return this.serveStale(entry, new Error('too many look-ups are under way'))
      lookUp = this.lookUp(id, hash)
    }
    try {
      return await lookUp.result
    } catch (error) {
      return this.serveStale(entry, error)
    }
  }

  private serveStale(entry: Entry<Value> | undefined, cause: unknown): Value | undefined {
    const now = this.options.clock()
    if (entry?.value === undefined || now - this.trustedSince(entry) >= this.options.maxStaleMs)
      throw new CredentialsUnavailableError(cause)
    entry.failedAt = now
    return this.use(entry, now)
  }

  /** One look-up for all concurrent calls with the same key. */
  private lookUp(id: string, hash: Buffer): LookUp<Value> {
    this.pendingLookUps++
    let query: Promise<Credential | undefined> = Promise.resolve(undefined)
    const run = async (): Promise<Value | undefined> => {
      for (let attempt = 1; ; attempt++) {
        lookUp.stale = false
        const checkedAt = this.options.clock()
        query = this.load(hash)
        const credential = await withTimeout(
          this.options.lookUpTimeoutMs,
          'Postgres, looking up a key',
          query,
        )
        if (lookUp.stale && attempt < 5) continue
        const value = credential === undefined ? undefined : this.options.derive(credential)
        const entry = { value, credential, checkedAt, failedAt: undefined }
        if (!lookUp.stale) this.store(id, entry)
        return this.use(entry, this.options.clock())
      }
    }
    const lookUp: LookUp<Value> = { result: Promise.resolve().then(run), stale: false }
    this.lookUps.set(id, lookUp)
    const settled = (): void => {
      this.pendingLookUps--
    }
    const done = (): void => {
      this.lookUps.delete(id)
      // A query that timed out still burdens Postgres.
      query.then(settled, settled)
    }
    lookUp.result.then(done, (error: unknown) => {
      done()
      this.options.logger.warn(
        { error: errorMessage(error) },
        'Keys cannot be looked up: recently used ones stay valid for a while',
      )
    })
    return lookUp
  }

  private store(id: string, entry: Entry<Value>): void {
    const [into, other] = entry.value === undefined ? [this.unknown, this.known] : [this.known, this.unknown]
    other.delete(id)
    into.delete(id)
    into.set(id, entry)
    if (into.size <= MAX_ENTRIES) return
    const oldest = into.keys().next()
    if (oldest.done !== true) into.delete(oldest.value)
  }

  private changed(payload: string): void {
    if (payload.startsWith('beat:')) {
      if (payload === this.heartbeatName + this.heartbeatNumber && this.heartbeatSentAt !== undefined)
        this.trustedAt = this.heartbeatSentAt
      return
    }
    if (payload.startsWith('workspace:')) this.forget(payload.slice('workspace:'.length))
    else {
      this.known.delete(payload)
      this.unknown.delete(payload)
      const lookUp = this.lookUps.get(payload)
      if (lookUp !== undefined) lookUp.stale = true
    }
    this.options.changed?.()
  }

  /** Without heartbeats, entries are trusted for TRUSTED_MS only. */
  private startHeartbeat(): void {
    if (this.announcements === undefined || this.stopped || this.options.refreshMs <= TRUSTED_MS) return
    this.heartbeatTimer = setInterval(() => this.heartbeat(), HEARTBEAT_MS).unref()
  }

  private heartbeat(): void {
    const now = this.options.clock()
    if (now - this.askedAt > IDLE_MS) {
      clearInterval(this.heartbeatTimer)
      this.heartbeatTimer = undefined
      return
    }
    if (this.heartbeatPending) return
    this.heartbeatPending = true
    this.heartbeatNumber++
    this.heartbeatSentAt = now
    this.options.sql
      .notify(CREDENTIAL_CHANNEL, this.heartbeatName + this.heartbeatNumber)
      .catch((error: unknown) => {
        this.options.logger.debug({ error: errorMessage(error) }, 'No heartbeat over Postgres')
      })
      .finally(() => {
        this.heartbeatPending = false
      })
  }

  private use({ value, credential }: Entry<Value>, now: number): Value | undefined {
    if (value === undefined || credential === undefined) return value
    const endsAt = credential.kind === 'session' ? null : credential.expiresAt
    if (endsAt !== null && endsAt.getTime() <= this.options.now()) return undefined
    const last = this.usedSince.get(credential.id)
    if (last === undefined || now - last >= LAST_USED_MS) {
      this.usedSince.set(credential.id, now)
      const used = credential.kind === 'session' ? this.used.sessions : this.used.keys
      used.set(credential.id, this.options.now())
      if (!this.stopped) this.writeTimer ??= setTimeout(() => void this.writeLastUsed(), WRITE_USE_MS).unref()
    }
    return value
  }

  /** Off the request path, and at most once a minute for a key. Never rejects. */
  private async writeLastUsed(): Promise<void> {
    this.writeTimer = undefined
    if (this.usedSince.size > MAX_ENTRIES) this.usedSince.clear()
    const { keys, sessions } = this.used
    const write = async (used: Map<string, number>, store: typeof writeKeyUse): Promise<void> => {
      if (used.size === 0) return
      const uses = [...used]
      used.clear()
      await withTimeout(WRITE_USE_MS, 'Postgres', store(this.options.sql, uses))
    }
    try {
      await Promise.all([write(keys, writeKeyUse), write(sessions, writeSessionUse)])
    } catch (error) {
      this.options.logger.debug({ error: errorMessage(error) }, 'Last use of keys not written')
    }
  }
}
