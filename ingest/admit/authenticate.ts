import { timingSafeEqual } from 'node:crypto'
import { classifyKey } from '../../domain/key.js'
import { workspaceHashKeys } from '../../log/hash-keys.js'
import type { WorkspaceHashKeys } from '../../log/record.js'
import type { Sql } from '../../postgres/driver/client.js'
import { CredentialCache, CredentialsUnavailableError } from '../../postgres/tables/credential-cache.js'
import { type Credential, hashCredential } from '../../postgres/tables/credentials.js'
import type { Logger } from '../../runtime/logger.js'
import { type IngestRefusal, unavailableRefusal } from '../http/errors.js'
import type { StrangerRates } from './stranger-rates.js'

/** The sender: a live server key and what is derived from its workspace. */
export interface KeyHolder {
  readonly credential: Credential
  readonly hashKeys: WorkspaceHashKeys
}

export type Authentication =
  | { readonly ok: true; readonly caller: KeyHolder }
  | { readonly ok: false; readonly refusal: IngestRefusal }

/** How long known keys keep working while Postgres does not answer. */
const WITHOUT_POSTGRES_MS = 60_000
const FULL_CHECK_MS = 30_000
const UNKNOWN_MS = 1_500
const LOOK_UP_TIMEOUT_MS = 1_000
const MAX_FINGERPRINTS = 10_000
const MAX_HEADER_LENGTH = 100

interface Fingerprint {
  /** HMAC of the key under the service's secret. */
  readonly hash: Buffer
  /** The same in hexadecimal, as in notifications of changes. */
  readonly id: string
}

export class Authenticator {
  /**
   * Of live keys, by header. Look-up time leaks nothing: a map compares strings only if their hashes, seeded
   * per process, match.
   */
  private readonly fingerprints = new Map<string, Fingerprint>()
  private readonly live: CredentialCache<KeyHolder>

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
      readonly strangers: StrangerRates
      /** Distinguishes this gateway's heartbeats from those of others. */
      readonly name: string
    },
  ) {
    this.live = new CredentialCache({
      ...options,
      lookUpTimeoutMs: LOOK_UP_TIMEOUT_MS,
      refreshMs: FULL_CHECK_MS,
      unknownTtlMs: UNKNOWN_MS,
      maxStaleMs: WITHOUT_POSTGRES_MS,
      derive: (credential) =>
        credential.kind === 'server'
          ? { credential, hashKeys: workspaceHashKeys(options.secretKey, credential.workspace.id) }
          : undefined,
    })
  }

  start(): void {
    this.live.start()
  }

  stop(): Promise<void> {
    return this.live.stop()
  }

  /** Whether requests with recently seen keys are still admitted without Postgres. */
  livesWithoutPostgres(): boolean {
    return this.live.canServeStale()
  }

  /**
   * Checks an `Authorization` header. Returns a promise only if Postgres has to be asked.
   *
   * @param sender its address is read only if its key is not known here
   */
  authenticate(
    authorization: string | undefined,
    sender: { readonly address: string },
  ): Authentication | Promise<Authentication> {
    const known = authorization === undefined ? undefined : this.fingerprints.get(authorization)
    if (known !== undefined) return this.find(known)
    const sent = this.read(authorization)
    const limited =
      'id' in sent && this.live.isKnown(sent.id) ? undefined : this.options.strangers.spend(sender.address)
    if (limited !== undefined) return { ok: false, refusal: limited }
    if (!('id' in sent)) return sent
    const found = this.find(sent)
    if (authorization !== undefined && !(found instanceof Promise) && found.ok)
      this.remember(authorization, sent)
    return found
  }

  private find({ hash, id }: Fingerprint): Authentication | Promise<Authentication> {
    const caller = this.live.find(hash, id)
    if (caller instanceof Promise) return caller.then((found) => authenticationOf(found, hash), withoutAnswer)
    return authenticationOf(caller, hash)
  }

  private read(authorization: string | undefined): Fingerprint | Authentication {
    if (authorization === undefined || authorization === '')
      return unauthenticated(
        'the Authorization header is missing: send your server key as `Authorization: Bearer tsk_secret_…`',
      )
    const key = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
    if (key === undefined)
      return unauthenticated(
        'the Authorization header is malformed: send `Bearer`, a space and your server key',
      )
    const keyClass = classifyKey(key)
    if (keyClass !== 'server') return unauthenticated(WRONG_CLASS[keyClass ?? 'malformed'])
    const hash = hashCredential(this.options.secretKey, key)
    return { hash, id: hash.toString('hex') }
  }

  private remember(authorization: string, fingerprint: Fingerprint): void {
    if (this.fingerprints.size >= MAX_FINGERPRINTS) this.fingerprints.clear()
    if (authorization.length <= MAX_HEADER_LENGTH) this.fingerprints.set(authorization, fingerprint)
  }
}

function authenticationOf(caller: KeyHolder | undefined, hash: Buffer): Authentication {
  if (caller === undefined || !timingSafeEqual(caller.credential.hash, hash))
    return unauthenticated('the server key is unknown or revoked: use an active one')
  return { ok: true, caller }
}

function withoutAnswer(error: unknown): Authentication {
  if (!(error instanceof CredentialsUnavailableError)) throw error
  return {
    ok: false,
    refusal: unavailableRefusal(
      'keys cannot be checked right now; nothing was recorded: send the request again',
      2,
    ),
  }
}

const WRONG_CLASS = {
  malformed: 'the key is malformed: copy all of it; it begins with tsk_secret_',
  publishable: 'this is a publishable key (tsk_live_) for browsers: use a server key (tsk_secret_)',
  api: 'this is an API key (tsk_api_) for the management API: use a server key (tsk_secret_)',
  once: 'this is a sign-in code (tsk_once_): use a server key (tsk_secret_)',
  session: 'this is a session token (tsk_sess_) for the management API: use a server key (tsk_secret_)',
  server: '',
} as const

function unauthenticated(message: string): Authentication {
  return {
    ok: false,
    refusal: { code: 'UNAUTHENTICATED', message, headers: [['WWW-Authenticate', 'Bearer']] },
  }
}
