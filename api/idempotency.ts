import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql, Transaction } from '../postgres/client.js'
import type { Credential } from '../postgres/credentials.js'
import { ApiError } from './errors.js'
import { canonicalJson } from './http/json.js'

/** How long an answer is kept. */
const KEPT_MS = 600_000
/** How long a retry waits for the first request. */
const WAIT_MS = 20_000
/** After this a claim without an answer is taken for one of a process that died. Longer than any request takes. */
const CLAIM_MS = 60_000
const POLL_MS = 100

export const IDEMPOTENCY_KEY_PATTERN = '^[A-Za-z0-9\\-_.~]{8,128}$'

/** An answer as it was sent: status, headers of the route and body text. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** An answer that may have other bytes than text. */
export type AnyAnswer = Omit<StoredAnswer, 'body'> & { readonly body: string | Uint8Array | undefined }

export type Begun =
  | { readonly kind: 'replay'; readonly answer: StoredAnswer }
  | { readonly kind: 'claimed'; readonly claim: Claim }

/** The right to carry out a request. Ends with `finish` or `release`. */
export interface Claim {
  /** Records the answer, in the transaction of the write. Throws where the claim has passed to another request. */
  finish(sql: Sql | Transaction, answer: StoredAnswer): Promise<void>
  /** Gives the claim back after a refusal: nothing is kept of it. */
  release(): Promise<void>
}

export interface IdempotentRequest {
  readonly credential: Credential
  /** Method and path. */
  readonly route: string
  readonly key: string
  readonly body: unknown
  readonly signal: AbortSignal
}

interface Row {
  body_hash: Buffer
  status: number | null
  headers: Record<string, string> | null
  body: string | null
}

/**
 * Requests that carry an Idempotency-Key, told apart by credential, route and key.
 *
 * The first one leaves a claim in Postgres, visible to every process; the answer is written to it in the transaction of the write, so a write that
 * stayed always has its record. A retry finds the answer, or waits for it without holding a connection. A refusal removes the
 * claim. A claim whose process died is taken over after a minute; should that process still live, its write fails with the claim.
 */
export class Idempotency {
  constructor(
    private readonly sql: Sql,
    private readonly now: () => number,
    private readonly newId: () => string,
    private readonly waitMs = WAIT_MS,
  ) {}

  async begin(request: IdempotentRequest): Promise<Begun> {
    const hash = createHash('sha256')
      .update(canonicalJson(request.body ?? {}))
      .digest()
    const giveUpAt = performance.now() + this.waitMs
    for (;;) {
      const owner = await this.claim(request, hash)
      if (owner !== undefined) return { kind: 'claimed', claim: this.claimOf(request, owner) }
      const row = await this.read(request)
      // Gone between the two: the first was refused. Try for the claim again.
      if (row === undefined) continue
      if (!row.body_hash.equals(hash))
        throw new ApiError(
          'IDEMPOTENCY_KEY_REUSED',
          'This Idempotency-Key was used here with another body within the last ten minutes',
          [{ path: 'header.Idempotency-Key', message: 'was used with another body' }],
        )
      if (row.status !== null)
        return {
          kind: 'replay',
          answer: { status: row.status, headers: row.headers ?? {}, body: row.body ?? undefined },
        }
      if (performance.now() >= giveUpAt)
        throw new ApiError(
          'IDEMPOTENCY_IN_FLIGHT',
          'The first request with this Idempotency-Key is still at work',
          [{ path: 'header.Idempotency-Key', message: 'belongs to a request that is at work' }],
          { 'Retry-After': '5' },
        )
      await sleep(POLL_MS, undefined, { signal: request.signal })
    }
  }

  /** Removes what has expired, in steps that hold no lock for long. */
  async removeExpired(): Promise<void> {
    for (;;) {
      const removed = await this.sql`
        delete from idempotency_records where ctid in (
          select ctid from idempotency_records where expires_at <= ${new Date(this.now())} limit 1000
          for update skip locked)`
      if (removed.count < 1_000) return
    }
  }

  private async claim(request: IdempotentRequest, hash: Buffer): Promise<string | undefined> {
    const owner = this.newId()
    const now = this.now()
    // A lost claim is harmless, and the commit of the write carries it to disk: so it need not wait for the disk itself.
    const rows = await this.sql`
      insert into idempotency_records as r
        (credential_id, workspace_id, route, key, body_hash, owner, claimed_until, expires_at)
      select ${request.credential.id}::uuid, ${request.credential.workspace.id}::uuid, ${request.route}, ${request.key}, ${hash}::bytea, ${owner}::uuid,
        ${new Date(now + CLAIM_MS)}::timestamptz, ${new Date(now + KEPT_MS)}::timestamptz
      from (select set_config('synchronous_commit', 'off', true)) as unhurried
      on conflict (credential_id, route, key) do update
        set body_hash = excluded.body_hash, owner = excluded.owner, claimed_until = excluded.claimed_until,
          expires_at = excluded.expires_at, status = null, headers = null, body = null
        where r.expires_at <= ${new Date(now)} or (r.status is null and r.claimed_until <= ${new Date(now)})
      returning 1 as claimed`
    return rows.length === 1 ? owner : undefined
  }

  private async read(request: IdempotentRequest): Promise<Row | undefined> {
    const rows = await this.sql<Row[]>`
      select body_hash, status, headers, body from idempotency_records
      where credential_id = ${request.credential.id} and route = ${request.route} and key = ${request.key}`
    return rows[0]
  }

  private claimOf(request: IdempotentRequest, owner: string): Claim {
    return {
      finish: async (sql, answer) => {
        const done = await sql`
          update idempotency_records
          set status = ${answer.status}, headers = ${sql.json(answer.headers)}, body = ${answer.body ?? null},
            expires_at = ${new Date(this.now() + KEPT_MS)}
          where credential_id = ${request.credential.id} and route = ${request.route} and key = ${request.key}
            and owner = ${owner} and status is null`
        if (done.count !== 1)
          throw new ApiError(
            'IDEMPOTENCY_IN_FLIGHT',
            'Another request with this Idempotency-Key has taken over',
            [{ path: 'header.Idempotency-Key', message: 'belongs to a request that is at work' }],
            { 'Retry-After': '5' },
          )
      },
      release: async () => {
        await this.sql`
          delete from idempotency_records
          where credential_id = ${request.credential.id} and route = ${request.route} and key = ${request.key}
            and owner = ${owner} and status is null`
      },
    }
  }
}
