import { timingSafeEqual } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { classifyKey, type KeyClass } from '../../domain/key.js'
import { ownerRequired, unavailable } from '../../management/domain-errors.js'
import type { Sql } from '../../postgres/driver/client.js'
import { CredentialCache, CredentialsUnavailableError } from '../../postgres/tables/credential-cache.js'
import { type Credential, hashCredential } from '../../postgres/tables/credentials.js'
import type { Logger } from '../../runtime/logger.js'
import type { Exchange } from './exchange.js'
import { HttpError } from './http-error.js'
import type { Route } from './route.js'
import { checkFromConsole, sessionTokenOf } from './session-cookie.js'

const LOOK_UP_TIMEOUT_MS = 4_000
/**
 * A revoked key is refused everywhere within a second: the greatest age of a look-up, even if a notification
 * is lost.
 */
const FULL_CHECK_MS = 950

export interface ApiAuthenticatorOptions {
  readonly sql: Sql
  readonly secretKey: Uint8Array
  /** Wall clock in milliseconds. */
  readonly now: () => number
  readonly logger: Logger
  /** Distinguishes this process' heartbeats from those of others. */
  readonly name: string
  /** Called after a key, person or session has changed, here or elsewhere. */
  readonly changed?: () => void
}

/** Authenticates requests by API key or session token. */
export class ApiAuthenticator {
  private readonly live: CredentialCache<Credential>

  constructor(private readonly options: ApiAuthenticatorOptions) {
    this.live = new CredentialCache({
      ...options,
      clock: () => performance.now(),
      lookUpTimeoutMs: LOOK_UP_TIMEOUT_MS,
      refreshMs: FULL_CHECK_MS,
      unknownTtlMs: 0,
      // Every response needs Postgres anyway.
      maxStaleMs: 0,
      derive: (credential) => credential,
    })
  }

  start(): void {
    this.live.start()
  }

  stop(): Promise<void> {
    return this.live.stop()
  }

  /** Makes this process obey a change of the workspace's keys, people or sessions before it is announced. */
  forget(workspaceId: string): void {
    this.live.forget(workspaceId)
  }

  /**
   * @param onStranger called unless the request has a key that is known here; may throw
   * @throws HttpError UNAUTHENTICATED for anything but an active API key or session token,
   * CROSS_SITE_REQUEST for a cookie with a request of another site, UNAVAILABLE if Postgres does not answer
   */
  async authenticate(
    request: Pick<Exchange, 'method' | 'header'>,
    onStranger: () => void,
  ): Promise<Credential> {
    const sent = readKey(request)
    if (typeof sent === 'string') {
      onStranger()
      throw unauthenticated(sent)
    }
    const hash = hashCredential(this.options.secretKey, sent.key)
    const id = hash.toString('hex')
    if (!this.live.isKnown(id)) onStranger()
    const credential = await this.find(hash, id)
    if (
      credential === undefined ||
      !timingSafeEqual(credential.hash, hash) ||
      credential.kind !== sent.keyClass
    )
      throw unauthenticated('The key is unknown, revoked or expired: use an active one')
    if (credential.expiresAt !== null && credential.expiresAt.getTime() <= this.options.now())
      throw unauthenticated('The session has expired: sign in again')
    return credential
  }

  private async find(hash: Buffer, id: string): Promise<Credential | undefined> {
    try {
      return await this.live.find(hash, id)
    } catch (error) {
      if (!(error instanceof CredentialsUnavailableError)) throw error
      throw unavailable('The database does not answer', { cause: error.cause })
    }
  }
}

/**
 * The key in a header Authorization, else the token in the console's cookie; or why there is none.
 *
 * @throws HttpError CROSS_SITE_REQUEST
 */
function readKey(
  request: Pick<Exchange, 'method' | 'header'>,
): { readonly key: string; readonly keyClass: KeyClass } | string {
  const authorization = request.header('authorization')
  const token = authorization === undefined ? sessionTokenOf(request) : undefined
  if (token !== undefined) {
    checkFromConsole(request)
    return classifyKey(token) === 'session'
      ? { key: token, keyClass: 'session' }
      : 'The session cookie is malformed: sign in again'
  }
  if (authorization === undefined)
    return 'The header Authorization is missing: send `Authorization: Bearer KEY`'
  const key = bearerOf(authorization)
  if (key === undefined) return 'The header Authorization is malformed: send `Authorization: Bearer KEY`'
  const keyClass = classifyKey(key)
  if (keyClass === 'server' || keyClass === 'publishable')
    return 'This key is for sending events: use an API key (tsk_api_)'
  return keyClass === undefined ? 'The key is malformed: copy all of it' : { key, keyClass }
}

/** The credential in a header Authorization; undefined if the header is malformed. */
export function bearerOf(authorization: string): string | undefined {
  return /^bearer +([!-~]+) *$/i.exec(authorization)?.[1]
}

export function unauthenticated(message: string): HttpError {
  return new HttpError('UNAUTHENTICATED', message, [], { 'WWW-Authenticate': 'Bearer' })
}

/** @throws ApiError WORKSPACE_MISMATCH if the header names another workspace than the key's */
export function checkWorkspace(credential: Credential, header: string | undefined): void {
  if (header === undefined || header.trim().toLowerCase() === credential.workspace.id) return
  throw new HttpError(
    'WORKSPACE_MISMATCH',
    'The key belongs to another workspace than X-Workspace-Id names',
    [{ path: 'header.X-Workspace-Id', message: 'must be the workspace of the key, or left out' }],
  )
}

/** @throws ApiError MISSING_PERMISSION if the credential lacks the route's scope, or must be an owner's */
export function checkScope(credential: Credential, route: Pick<Route, 'scope' | 'owners'>): void {
  const { scope, owners } = route
  if (owners && !credential.person.owner) throw ownerRequired()
  if (scope === null || credential.scopes.includes(scope)) return
  const who = credential.kind === 'api' ? 'The key' : 'The person'
  throw new HttpError('MISSING_PERMISSION', `${who} lacks the scope ${scope}`, [
    { path: scope, message: 'is required: ask an owner of the workspace for it' },
  ])
}
