import { timingSafeEqual } from 'node:crypto'
import { classifyKey } from '../../domain/key.js'
import { workspaceHashKeys } from '../../log/hash-keys.js'
import type { WorkspaceHashKeys } from '../../log/record.js'
import type { Sql } from '../../postgres/driver/client.js'
import {
  CREDENTIAL_CHANNEL,
  type Credential,
  findCredential,
  hashCredential,
} from '../../postgres/tables/credentials.js'
import type { Logger } from '../../runtime/logger.js'
import { within } from '../../runtime/within.js'
import { type IngestRefusal, unavailable } from '../http/errors.js'

/** Who sends: a live server key and what is derived from its workspace. */
export interface Caller {
  readonly credential: Credential
  readonly hashKeys: WorkspaceHashKeys
}

export type Authentication =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly refusal: IngestRefusal }

/** A revocation is obeyed within this, whatever happens to the channel that announces it. */
const TRUSTED_MS = 1_000
/** Keys go on working this long while Postgres does not answer. */
const WITHOUT_POSTGRES_MS = 60_000
/** What no announcement covers, a renamed person for example, is fetched again after this. */
const FULL_CHECK_MS = 30_000
const UNKNOWN_MS = 1_500
const LOOK_UP_TIMEOUT_MS = 1_000
const BEAT_MS = 300
/** Beats stop when nobody has asked for this long. */
const QUIET_MS = 5_000
const LAST_USED_MS = 60_000
const MOST_ENTRIES = 10_000
const MOST_HEADER_LENGTH = 100
const MOST_LOOK_UPS = 256

interface Fingerprint {
  /** The HMAC under the service's secret. */
  readonly hash: Buffer
  /** The same in hexadecimal, as changes are announced. */
  readonly id: string
}

interface Entry {
  /** Undefined for a key that is not live. */
  readonly caller: Caller | undefined
  /** When Postgres was asked. */
  readonly checkedAt: number
  /** Set while asking again fails. */
  failedAt: number | undefined
}

interface LookUp {
  readonly result: Promise<Caller | undefined>
  /** The key changed while Postgres was being asked: the answer may be older than the change. */
  stale: boolean
}

/**
 * Server keys and their cache.
 *
 * An entry may be trusted as of the moment Postgres was asked, or as of a later heartbeat: a notification that this gateway sends
 * itself and has got back, before which every change of a key must have arrived. So a revocation is obeyed at once where its
 * notification arrives and within a second where the channel is cut, half-open or slow.
 */
export class Authenticator {
  /**
   * By the header. Its time gives nothing away: a map compares texts only where their hashes, which have a random seed of this process, are
   * equal.
   */
  private readonly fingerprints = new Map<string, Fingerprint>()
  private readonly known = new Map<string, Entry>()
  private readonly unknown = new Map<string, Entry>()
  private readonly lookUps = new Map<string, LookUp>()
  private pendingLookUps = 0
  private readonly used = new Map<string, number>()
  private readonly usedSince = new Map<string, number>()

  private readonly beatName: string
  private beatNumber = 0
  private beatSentAt: number | undefined
  private beatPending = false
  private listeningSince = Number.POSITIVE_INFINITY
  private trustedAt = Number.NEGATIVE_INFINITY
  private askedAt = Number.NEGATIVE_INFINITY
  private readonly timers: NodeJS.Timeout[] = []
  private unlisten: (() => Promise<void>) | undefined
  private stopped = false

  /**
   * @param clock milliseconds that only grow
   * @param now the wall clock in milliseconds, for `last_used_at`
   */
  constructor(
    private readonly options: {
      readonly sql: Sql
      readonly secretKey: Uint8Array
      readonly logger: Logger
      readonly clock: () => number
      readonly now: () => number
      /** Tells this gateway's heartbeats from others'. */
      readonly name: string
    },
  ) {
    this.beatName = `beat:${options.name}:`
  }

  start(): void {
    this.listen()
    this.timers.push(setInterval(() => this.beat(), BEAT_MS))
    this.timers.push(setInterval(() => this.writeLastUsed(), 1_000))
  }

  async stop(): Promise<void> {
    this.stopped = true
    for (const timer of this.timers) clearInterval(timer)
    await Promise.all([
      this.writeLastUsed(),
      within(500, 'Postgres, ending to listen', this.unlisten?.() ?? Promise.resolve()).catch(
        () => undefined,
      ),
    ])
  }

  /** Whether requests of keys seen lately are still let in without Postgres. */
  livesWithoutPostgres(): boolean {
    const now = this.options.clock()
    for (const entry of this.known.values())
      if (now - this.trustedSince(entry) < WITHOUT_POSTGRES_MS) return true
    return false
  }

  /** Checks an `Authorization` header. Answers at once where the cache can. */
  authenticate(authorization: string | undefined): Authentication | Promise<Authentication> {
    if (authorization === undefined || authorization === '')
      return unauthenticated(
        'there is no Authorization header: send your server key as `Authorization: Bearer tsk_secret_…`',
      )
    let fingerprint = this.fingerprints.get(authorization)
    if (fingerprint === undefined) {
      const key = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
      if (key === undefined)
        return unauthenticated(
          'the Authorization header is malformed: it must read `Bearer`, a space and your server key',
        )
      const keyClass = classifyKey(key)
      if (keyClass !== 'server') return unauthenticated(WRONG_CLASS[keyClass ?? 'malformed'])
      fingerprint = this.fingerprintOf(authorization, key)
    }
    const caller = this.find(fingerprint)
    return caller instanceof Promise ? caller.then(authenticationOf) : authenticationOf(caller)
  }

  /** What a server key is stored and looked up under. */
  private fingerprintOf(authorization: string, key: string): Fingerprint {
    const hash = hashCredential(this.options.secretKey, key)
    const fingerprint = { hash, id: hash.toString('hex') }
    if (this.fingerprints.size >= MOST_ENTRIES) this.fingerprints.clear()
    if (authorization.length <= MOST_HEADER_LENGTH) this.fingerprints.set(authorization, fingerprint)
    return fingerprint
  }

  /** The caller of a key, undefined where there is none, `unavailable` where nobody can tell. */
  private find({ hash, id }: Fingerprint): Found | Promise<Found> {
    const now = this.options.clock()
    this.askedAt = now
    const entry = this.known.get(id) ?? this.unknown.get(id)
    if (entry === undefined) return this.ask(id, hash, undefined)
    if (entry.caller === undefined)
      return now - entry.checkedAt < UNKNOWN_MS ? undefined : this.ask(id, hash, undefined)
    const age = now - this.trustedSince(entry)
    if (age < TRUSTED_MS && now - entry.checkedAt < FULL_CHECK_MS) return this.use(entry.caller, now)
    if (entry.failedAt === undefined || age >= WITHOUT_POSTGRES_MS) return this.ask(id, hash, entry)
    // Postgres is gone: let the key in and ask again from time to time, but let nobody wait for that.
    if (now - entry.failedAt >= TRUSTED_MS) void this.ask(id, hash, entry)
    return this.use(entry.caller, now)
  }

  private trustedSince(entry: Entry): number {
    return entry.checkedAt >= this.listeningSince
      ? Math.max(entry.checkedAt, this.trustedAt)
      : entry.checkedAt
  }

  private async ask(id: string, hash: Buffer, entry: Entry | undefined): Promise<Found> {
    let lookUp = this.lookUps.get(id)
    if (lookUp === undefined) {
      if (this.pendingLookUps >= MOST_LOOK_UPS) return this.withoutPostgres(entry)
      lookUp = this.lookUp(id, hash)
    }
    try {
      const caller = await lookUp.result
      return caller === undefined ? undefined : this.use(caller, this.options.clock())
    } catch {
      return this.withoutPostgres(entry)
    }
  }

  private withoutPostgres(entry: Entry | undefined): Found {
    const now = this.options.clock()
    if (entry?.caller === undefined || now - this.trustedSince(entry) >= WITHOUT_POSTGRES_MS)
      return 'unavailable'
    entry.failedAt = now
    return this.use(entry.caller, now)
  }

  /** One question for all who wait for the same key. */
  private lookUp(id: string, hash: Buffer): LookUp {
    this.pendingLookUps++
    let query: Promise<Credential | undefined> = Promise.resolve(undefined)
    const run = async (): Promise<Caller | undefined> => {
      for (let attempt = 1; ; attempt++) {
        lookUp.stale = false
        const checkedAt = this.options.clock()
        query = findCredential(this.options.sql, hash)
        const credential = await within(LOOK_UP_TIMEOUT_MS, 'Postgres, looking up a key', query)
        if (lookUp.stale && attempt < 5) continue
        const caller = this.callerOf(credential, hash)
        if (!lookUp.stale) this.store(id, { caller, checkedAt, failedAt: undefined })
        return caller
      }
    }
    const lookUp: LookUp = { result: Promise.resolve().then(run), stale: false }
    this.lookUps.set(id, lookUp)
    const settled = (): void => {
      this.pendingLookUps--
    }
    const done = (): void => {
      this.lookUps.delete(id)
      // A question that nobody waits for any longer still burdens Postgres.
      query.then(settled, settled)
    }
    lookUp.result.then(done, (error: unknown) => {
      done()
      this.options.logger.warn({ error: String(error) }, 'keys cannot be looked up')
    })
    return lookUp
  }

  private callerOf(credential: Credential | undefined, hash: Buffer): Caller | undefined {
    if (credential?.kind !== 'server' || !timingSafeEqual(credential.hash, hash)) return undefined
    return { credential, hashKeys: workspaceHashKeys(this.options.secretKey, credential.workspace.id) }
  }

  private store(id: string, entry: Entry): void {
    const [into, other] = entry.caller === undefined ? [this.unknown, this.known] : [this.known, this.unknown]
    other.delete(id)
    into.delete(id)
    into.set(id, entry)
    if (into.size <= MOST_ENTRIES) return
    const oldest = into.keys().next()
    if (oldest.done !== true) into.delete(oldest.value)
  }

  private changed(payload: string): void {
    if (payload.startsWith('beat:')) {
      if (payload === this.beatName + this.beatNumber && this.beatSentAt !== undefined)
        this.trustedAt = this.beatSentAt
      return
    }
    if (payload.startsWith('workspace:')) {
      const workspace = payload.slice('workspace:'.length)
      for (const [id, entry] of this.known)
        if (entry.caller?.credential.workspace.id === workspace) this.known.delete(id)
      for (const lookUp of this.lookUps.values()) lookUp.stale = true
      return
    }
    this.known.delete(payload)
    this.unknown.delete(payload)
    const lookUp = this.lookUps.get(payload)
    if (lookUp !== undefined) lookUp.stale = true
  }

  private listen(): void {
    this.options.sql
      .listen(
        CREDENTIAL_CHANNEL,
        (payload) => this.changed(payload),
        () => {
          // Also after a lost connection was made again: what was announced in between is not known.
          this.listeningSince = this.options.clock()
          this.trustedAt = Number.NEGATIVE_INFINITY
        },
      )
      .then(
        (subscription) => {
          this.unlisten = subscription.unlisten
        },
        (error: unknown) => {
          // The connection tries again by itself; until then keys are checked every second.
          this.options.logger.warn({ error: String(error) }, 'changes of keys are not announced')
        },
      )
  }

  private beat(): void {
    const now = this.options.clock()
    if (this.beatPending || this.stopped || now - this.askedAt > QUIET_MS) return
    this.beatPending = true
    this.beatNumber++
    this.beatSentAt = now
    this.options.sql
      .notify(CREDENTIAL_CHANNEL, this.beatName + this.beatNumber)
      .catch((error: unknown) => {
        this.options.logger.debug({ error: String(error) }, 'no heartbeat over Postgres')
      })
      .finally(() => {
        this.beatPending = false
      })
  }

  private use(caller: Caller, now: number): Caller {
    const { id } = caller.credential
    const last = this.usedSince.get(id)
    if (last === undefined || now - last >= LAST_USED_MS) {
      this.usedSince.set(id, now)
      this.used.set(id, this.options.now())
    }
    return caller
  }

  /** Off the request path, and at most once a minute a key: `use` notes it no more often. */
  private async writeLastUsed(): Promise<void> {
    if (this.usedSince.size > MOST_ENTRIES) this.usedSince.clear()
    if (this.used.size === 0) return
    const ids = [...this.used.keys()]
    const times = [...this.used.values()].map((at) => new Date(at).toISOString())
    this.used.clear()
    try {
      await within(
        1_000,
        'Postgres',
        this.options.sql`
          update api_keys set last_used_at = greatest(last_used_at, used.at)
          from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
          where api_keys.id = used.id`,
      )
    } catch (error) {
      this.options.logger.debug({ error: String(error) }, 'last use of keys not written')
    }
  }
}

type Found = Caller | undefined | 'unavailable'

function authenticationOf(found: Found): Authentication {
  if (found === undefined)
    return unauthenticated('the server key is unknown or has been revoked: use one that is live')
  if (found === 'unavailable')
    return {
      ok: false,
      refusal: unavailable(
        'keys cannot be checked at the moment; nothing was recorded: send the request again',
        2,
      ),
    }
  return { ok: true, caller: found }
}

const WRONG_CLASS = {
  malformed: 'the key is malformed: copy it whole, it begins with tsk_secret_',
  publishable:
    'this is a publishable key (tsk_live_), which is for browsers: ingestion takes server keys, which begin with tsk_secret_',
  api: 'this is an API key (tsk_api_), which opens the management API: ingestion takes server keys, which begin with tsk_secret_',
  session:
    'this is a session token (tsk_sess_), which opens the management API: ingestion takes server keys, which begin with tsk_secret_',
  server: '',
} as const

function unauthenticated(message: string): Authentication {
  return {
    ok: false,
    refusal: { code: 'UNAUTHENTICATED', message, headers: [['WWW-Authenticate', 'Bearer']] },
  }
}
