import { timingSafeEqual } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { classifyKey } from '../../domain/key.js'
import type { Sql } from '../../postgres/driver/client.js'
import {
  CREDENTIAL_CHANNEL,
  type Credential,
  findCredential,
  hashCredential,
} from '../../postgres/tables/credentials.js'
import type { Logger } from '../../runtime/logger.js'
import { within } from '../../runtime/within.js'
import { ApiError } from './errors.js'
import type { Route } from './route.js'

/** A revoked key is refused everywhere within a second: this is how old a look-up may be, announcements or not. */
const FRESH_MS = 800
/** A look-up that takes longer is stuck on a dead connection: nobody joins it any more. */
const JOIN_MS = 4_000
const MOST_CACHED = 10_000
const LAST_USED_EVERY_MS = 60_000

interface Cached {
  readonly credential: Credential
  readonly workspaceId: string
  /** When its look-up began. */
  readonly askedAt: number
}

interface LookUp {
  readonly promise: Promise<Credential | undefined>
  readonly askedAt: number
  /** Set by an announcement that came during the look-up: its outcome may be the state before. */
  overtaken: boolean
}

/**
 * Keys and session tokens on their way in. A look-up is remembered for less than a second, and forgotten at once when Postgres
 * announces a change; so a lost announcement costs nothing but that second.
 */
export class Credentials {
  private readonly cache = new Map<string, Cached>()
  private readonly lookUps = new Map<string, LookUp>()
  /** Key id → when its use was last noted. */
  private readonly noted = new Map<string, number>()
  private readonly used = new Map<string, Date>()
  private listening: { unlisten(): Promise<void> } | undefined

  constructor(
    private readonly sql: Sql,
    private readonly secretKey: Uint8Array,
    private readonly now: () => number,
    private readonly logger: Logger,
  ) {}

  /** Subscribes to announcements. Without them (the connection cannot be made) look-ups are still fresh. */
  async listen(): Promise<void> {
    try {
      this.listening = await this.sql.listen(
        CREDENTIAL_CHANNEL,
        (payload) => this.forget(payload),
        // Every time the connection is there again: what was announced meanwhile was missed.
        () => this.forgetAll(),
      )
    } catch (error) {
      this.logger.warn({ err: error }, 'changes of keys are not announced to this process')
    }
  }

  async close(): Promise<void> {
    await within(500, 'Postgres, ending to listen', Promise.resolve(this.listening?.unlisten())).catch(
      () => {},
    )
    this.listening = undefined
  }

  /**
   * Who a request comes from. Throws UNAUTHENTICATED for anything but a live API key or session token; what Postgres throws
   * passes through.
   */
  async authenticate(authorization: string | undefined): Promise<Credential> {
    if (authorization === undefined)
      throw unauthenticated('No key was sent: send one as `Authorization: Bearer KEY`')
    const match = /^bearer +([!-~]+) *$/i.exec(authorization)
    const key = match?.[1]
    if (key === undefined)
      throw unauthenticated('The header Authorization is not of the form `Authorization: Bearer KEY`')
    const keyClass = classifyKey(key)
    if (keyClass === 'server' || keyClass === 'publishable')
      throw unauthenticated(
        'This key is for sending events; the management API takes keys that begin with tsk_api_',
      )
    if (keyClass === undefined) throw unauthenticated('The key is malformed')
    const hash = hashCredential(this.secretKey, key)
    const credential = await this.find(hash)
    if (credential === undefined || !timingSafeEqual(credential.hash, hash) || credential.kind !== keyClass)
      throw unauthenticated('The key is unknown, revoked or expired')
    if (credential.expiresAt !== null && credential.expiresAt.getTime() <= this.now())
      throw unauthenticated('The session is expired')
    if (credential.kind === 'api') this.noteUse(credential.id)
    return credential
  }

  private async find(hash: Buffer): Promise<Credential | undefined> {
    const id = hash.toString('hex')
    const cached = this.cache.get(id)
    const askedAt = performance.now()
    if (cached !== undefined && askedAt - cached.askedAt < FRESH_MS) return cached.credential
    const running = this.lookUps.get(id)
    if (running !== undefined && !running.overtaken && askedAt - running.askedAt < JOIN_MS)
      return running.promise
    const lookUp: LookUp = { promise: findCredential(this.sql, hash), askedAt, overtaken: false }
    this.lookUps.set(id, lookUp)
    try {
      const credential = await lookUp.promise
      if (!lookUp.overtaken) this.keep(id, credential, askedAt)
      return credential
    } finally {
      if (this.lookUps.get(id) === lookUp) this.lookUps.delete(id)
    }
  }

  private keep(id: string, credential: Credential | undefined, askedAt: number): void {
    this.cache.delete(id)
    if (credential === undefined) return
    const oldest = this.cache.size >= MOST_CACHED ? this.cache.keys().next().value : undefined
    if (oldest !== undefined) this.cache.delete(oldest)
    this.cache.set(id, { credential, workspaceId: credential.workspace.id, askedAt })
  }

  private forget(payload: string): void {
    if (!payload.startsWith('workspace:')) {
      this.cache.delete(payload)
      const running = this.lookUps.get(payload)
      if (running !== undefined) running.overtaken = true
      return
    }
    const workspaceId = payload.slice('workspace:'.length)
    for (const [id, cached] of this.cache) if (cached.workspaceId === workspaceId) this.cache.delete(id)
    for (const running of this.lookUps.values()) running.overtaken = true
  }

  private forgetAll(): void {
    this.cache.clear()
    for (const running of this.lookUps.values()) running.overtaken = true
  }

  private noteUse(keyId: string): void {
    const now = this.now()
    if (now - (this.noted.get(keyId) ?? Number.NEGATIVE_INFINITY) < LAST_USED_EVERY_MS) return
    if (this.noted.size >= MOST_CACHED) this.noted.clear()
    this.noted.set(keyId, now)
    this.used.set(keyId, new Date(now))
  }

  /** Writes the uses noted since the last call, in one statement. */
  async writeLastUsed(): Promise<void> {
    if (this.used.size === 0) return
    const ids = [...this.used.keys()]
    const times = [...this.used.values()].map((at) => at.toISOString())
    this.used.clear()
    await this.sql`
      update api_keys set last_used_at = greatest(last_used_at, u.at)
      from unnest(${ids}::uuid[], ${times}::timestamptz[]) as u (id, at)
      where api_keys.id = u.id`
  }
}

function unauthenticated(message: string): ApiError {
  return new ApiError('UNAUTHENTICATED', message, [], { 'WWW-Authenticate': 'Bearer' })
}

/** Throws WORKSPACE_MISMATCH where the header names another workspace than the key's. */
export function checkWorkspace(credential: Credential, header: string | undefined): void {
  if (header === undefined || header.trim().toLowerCase() === credential.workspace.id) return
  throw new ApiError('WORKSPACE_MISMATCH', 'The key opens another workspace than X-Workspace-Id names', [
    { path: 'header.X-Workspace-Id', message: 'is not the workspace of the key' },
  ])
}

/** Throws MISSING_PERMISSION where the credential lacks what the route's writes need. */
export function checkScope(credential: Credential, route: Pick<Route, 'scope'>): void {
  const { scope } = route
  if (scope === null || credential.scopes.includes(scope)) return
  const who = credential.kind === 'api' ? 'The key' : 'The person'
  throw new ApiError('MISSING_PERMISSION', `${who} lacks the scope ${scope}`, [
    { path: scope, message: 'is needed for this' },
  ])
}
