import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { formatKey } from '../domain/key.js'
import type { Sql } from '../postgres/driver/client.js'
import { findCredential, hashCredential } from '../postgres/tables/credentials.js'
import { type CreatedSession, createSession } from '../postgres/tables/workspaces.js'
import { LruCache } from '../runtime/concurrency/lru-cache.js'
import { auditByPerson } from './audit.js'
import { DomainError } from './domain-errors.js'

export const CODE_MINUTES = 5
const CODE_MS = CODE_MINUTES * 60_000
const SESSION_MS = 30 * 24 * 3_600_000
const WINDOW_MS = 60_000
const MAX_WRONG = 10
const MAX_ADDRESS_BYTES = 4 * 1024 * 1024

export interface SignInCodesOptions {
  readonly sql: Sql
  readonly secretKey: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly newId: () => string
}

interface Issued {
  readonly hash: Buffer
  readonly workspaceId: string
  readonly expiresAt: number
}

/** Codes that sign in once. Their hashes live in the memory of this process for five minutes. */
export class SignInCodes {
  private issued: Issued[] = []
  /** Times of the wrong codes of an address, oldest first. */
  private readonly wrong = new LruCache<readonly number[]>(MAX_ADDRESS_BYTES)

  constructor(private readonly options: SignInCodesOptions) {}

  issue(workspaceId: string): string {
    const code = formatKey('once', randomBytes(64))
    this.issued.push({ hash: hashOf(code), workspaceId, expiresAt: this.options.now() + CODE_MS })
    return code
  }

  /**
   * Makes a session for a code from an address. The code is used up even if the session cannot be made.
   *
   * @returns undefined for a code that is unknown, used up or expired
   * @throws DomainError RATE_LIMITED after ten wrong codes of the address in a minute
   */
  async redeem(code: string, address: string, requestId: string): Promise<CreatedSession | undefined> {
    const now = this.options.now()
    const wrong = (this.wrong.get(address) ?? []).filter((at) => now - at < WINDOW_MS)
    const [oldest] = wrong
    if (oldest !== undefined && wrong.length >= MAX_WRONG)
      throw new DomainError('RATE_LIMITED', 'Too many wrong sign-in codes: wait a minute and try again', [], {
        retryAfterMs: oldest + WINDOW_MS - now,
      })
    const hash = hashOf(code)
    this.issued = this.issued.filter(({ expiresAt }) => expiresAt > now)
    // Compares with every code, so that the time reveals nothing.
    const [found] = this.issued.filter((issued) => timingSafeEqual(issued.hash, hash))
    if (found === undefined) {
      this.wrong.set(address, [...wrong, now], 8 * MAX_WRONG)
      return undefined
    }
    this.issued = this.issued.filter((issued) => issued !== found)
    const { sql, secretKey, newId } = this.options
    const expiresAt = new Date(now + SESSION_MS)
    const { workspaceId } = found
    return await sql.begin(async (tx) => {
      const session = await createSession(tx, secretKey, {
        id: newId(),
        workspaceId,
        expiresAt,
        now: new Date(now),
      })
      const credential = await findCredential(tx, hashCredential(secretKey, session.token))
      if (credential === undefined) throw new Error('the new session was not found')
      await auditByPerson(tx, this.options, credential, {
        action: 'session.create',
        resourceId: session.id,
        requestId,
        summary: `Signed in ${credential.person.name} with a one-time link`,
      })
      return session
    })
  }
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}
