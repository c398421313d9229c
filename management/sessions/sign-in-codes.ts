import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { formatKey } from '../../domain/key.js'
import { hashCredential } from '../../postgres/tables/credentials.js'
import type { CreatedSession } from '../../postgres/tables/sessions.js'
import { takeInvitation } from '../../postgres/tables/workspaces.js'
import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import { DomainError } from '../domain-errors.js'
import { openSession, type SessionStore } from './open-session.js'

export const CODE_MINUTES = 5
const CODE_MS = CODE_MINUTES * 60_000
const WINDOW_MS = 60_000
const MAX_WRONG = 10
const MAX_ADDRESS_BYTES = 4 * 1024 * 1024

interface Issued {
  readonly hash: Buffer
  readonly workspaceId: string
  readonly expiresAt: number
}

/**
 * Codes that sign in once: links for owners, whose hashes live in the memory of this process for five
 * minutes, and invitations of people, which are in Postgres.
 */
export class SignInCodes {
  private issued: Issued[] = []
  /** Times of the wrong codes of an address, oldest first. */
  private readonly wrong = new LruCache<readonly number[]>(MAX_ADDRESS_BYTES)

  constructor(private readonly options: SessionStore) {}

  issue(workspaceId: string): string {
    const code = formatKey('once', randomBytes(64))
    this.issued.push({ hash: hashOf(code), workspaceId, expiresAt: this.options.now() + CODE_MS })
    return code
  }

  /**
   * Makes a session for a code from an address. An owner's code is used up even if the session cannot be
   * made.
   *
   * @param userAgent see `SignIn`
   * @returns undefined for a code that is unknown, used up or expired
   * @throws DomainError RATE_LIMITED after ten wrong codes of the address in a minute
   */
  async redeem(
    code: string,
    address: string,
    requestId: string,
    userAgent?: string,
  ): Promise<CreatedSession | undefined> {
    const now = this.options.now()
    const wrong = (this.wrong.get(address) ?? []).filter((at) => now - at < WINDOW_MS)
    const [oldest] = wrong
    if (oldest !== undefined && wrong.length >= MAX_WRONG)
      throw new DomainError('RATE_LIMITED', 'Too many wrong sign-in codes: wait a minute and try again', [], {
        retryAfterMs: oldest + WINDOW_MS - now,
      })
    // Counted before it is looked up, because many may be under way at once.
    this.setWrong(address, [...wrong, now])
    try {
      const session = await this.sessionFor(code, now, requestId, userAgent)
      if (session !== undefined) this.forgive(address, now)
      return session
    } catch (error) {
      this.forgive(address, now)
      throw error
    }
  }

  private async sessionFor(
    code: string,
    now: number,
    requestId: string,
    userAgent: string | undefined,
  ): Promise<CreatedSession | undefined> {
    const hash = hashOf(code)
    this.issued = this.issued.filter(({ expiresAt }) => expiresAt > now)
    // Compares with every code, so that the time reveals nothing.
    const [found] = this.issued.filter((issued) => timingSafeEqual(issued.hash, hash))
    this.issued = this.issued.filter((issued) => issued !== found)
    const { sql, secretKey } = this.options
    return await sql.begin(async (tx) => {
      const person = found ?? (await takeInvitation(tx, hashCredential(secretKey, code), new Date(now)))
      if (person === undefined) return undefined
      const how = found === undefined ? 'with an invitation' : 'with a one-time link'
      return await openSession(tx, this.options, { ...person, userAgent, requestId, how })
    })
  }

  /** The code of that time was right, or was not looked up. */
  private forgive(address: string, time: number): void {
    const wrong = this.wrong.get(address) ?? []
    const at = wrong.lastIndexOf(time)
    this.setWrong(
      address,
      wrong.filter((_, index) => index !== at),
    )
  }

  private setWrong(address: string, times: readonly number[]): void {
    this.wrong.set(address, times, 8 * MAX_WRONG)
  }
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}
