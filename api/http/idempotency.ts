import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalJson } from '../../domain/canonical-json.js'
import type { SentJob } from '../../management/jobs-port.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import type { Credential } from '../../postgres/tables/credentials.js'
import { SingleFlight } from '../../runtime/concurrency/single-flight.js'
import { seal, unseal } from '../../runtime/sealed-secret.js'
import { HttpError } from './http-error.js'
import type { StoredResponse } from './response.js'

const RESPONSE_TTL_MS = 600_000
/** How long a retry waits for the first request. */
const WAIT_MS = 20_000
/** A claim that is not renewed for this long belongs to a process that died. */
const CLAIM_TTL_MS = 20_000
/** Most requests are answered long before the first renewal. */
export const CLAIM_RENEWAL_MS = 5_000
/** How long a response that waits for a job is kept: longer than any job takes. */
const DEFERRED_TTL_MS = 86_400_000
const POLL_MS = 100
const SLOW_POLL_AFTER_MS = 2_000
const SLOW_POLL_MS = 500
/** Requests of a workspace that wait for earlier ones. */
const MAX_WAITING = 100
/** Purpose of sealed responses. */
const SEALED = 'response'

export const IDEMPOTENCY_KEY_PATTERN = '^[A-Za-z0-9\\-_.~]{8,128}$'

export type Begun =
  | { readonly kind: 'replay'; readonly answer: StoredResponse }
  | { readonly kind: 'claimed'; readonly claim: Claim }

/** The response of an operation that is recorded but not concluded. */
export interface DeferredResponse {
  /** The job that writes it when it concludes. */
  readonly job: SentJob
  /** The `operationId` of its route. */
  readonly operationId: string
  /** The resource it shows. */
  readonly subjectId: string
}

/** The right to execute a request. Ends with `finish`, `settle` or `release`. */
export interface Claim {
  /**
   * Records the response in the transaction of the write. Throws if another request has taken the claim over.
   */
  finish(sql: Sql | Transaction, answer: StoredResponse): Promise<void>
  /**
   * Leaves the response to the conclusion of a job, in the transaction that sends the job. From here on no
   * other request takes the claim over. Throws if one already has.
   */
  deferToJob(tx: Transaction, awaited: DeferredResponse): Promise<void>
  /**
   * Records the response of a request that was deferred to a job. If the job was faster, returns its
   * response.
   */
  settle(answer: StoredResponse): Promise<StoredResponse>
  /** Removes the claim after an error: nothing is stored. */
  release(): Promise<void>
}

export interface IdempotentRequest {
  readonly credential: Credential
  readonly route: string
  readonly key: string
  readonly body: unknown
  /** The response has a secret, which is stored sealed. */
  readonly secret?: boolean | undefined
  readonly signal: AbortSignal
}

interface Row {
  body_hash: Buffer
  status: number | null
  headers: Record<string, string> | null
  body: string | null
  claimable: boolean
}

/**
 * Requests with an Idempotency-Key, identified by credential, route and key.
 *
 * The first one leaves a claim in Postgres. Its response is written to the claim in the transaction of the
 * write, or of the job that the operation waits for. A retry finds the response, or polls for it. An error
 * removes the claim. A claim is renewed while its process lives; otherwise it is taken over after twenty
 * seconds, and a late write of its process fails. A claim that ends later than any can is from before the
 * clock was set back, and is taken over too.
 */
export class Idempotency {
  private readonly held = new Set<HeldClaim>()
  /** How many requests of a workspace wait for earlier ones. */
  private readonly waiting = new Map<string, number>()
  private readonly polls = new SingleFlight<string, Row | undefined>()

  constructor(
    private readonly sql: Sql,
    private readonly secretKey: Uint8Array,
    private readonly now: () => number,
    private readonly newId: () => string,
    private readonly waitMs = WAIT_MS,
    private readonly renewMs = CLAIM_RENEWAL_MS,
  ) {}

  /** @throws HttpError IDEMPOTENCY_IN_FLIGHT, also at once if much of the workspace waits already */
  async begin(request: IdempotentRequest): Promise<Begun> {
    const hash = createHash('sha256')
      .update(canonicalJson(request.body ?? {}))
      .digest()
    const begun = await this.claimOrReplay(request, hash)
    if (begun !== undefined) return begun
    const { id } = request.credential.workspace
    const waiting = this.waiting.get(id) ?? 0
    if (waiting >= MAX_WAITING) throw inFlight('Too many requests of the workspace wait for an earlier one')
    this.waiting.set(id, waiting + 1)
    try {
      return await this.waitFor(request, hash)
    } finally {
      const left = (this.waiting.get(id) ?? 1) - 1
      if (left === 0) this.waiting.delete(id)
      else this.waiting.set(id, left)
    }
  }

  /** Requests with one key share the polls. */
  private async waitFor(request: IdempotentRequest, hash: Buffer): Promise<Begun> {
    const { credential, route, key, signal } = request
    const begunAt = performance.now()
    for (let waitedMs = 0; waitedMs < this.waitMs; waitedMs = performance.now() - begunAt) {
      const pauseMs = waitedMs < SLOW_POLL_AFTER_MS ? POLL_MS : SLOW_POLL_MS
      const row = await this.polls.run(`${credential.id} ${route} ${key}`, async () => {
        await sleep(pauseMs)
        return await this.read(request)
      })
      signal.throwIfAborted()
      const begun =
        row === undefined || row.claimable
          ? await this.claimOrReplay(request, hash)
          : this.replayOf(row, request, hash)
      if (begun !== undefined) return begun
    }
    throw inFlight('The first request with this Idempotency-Key is still in progress')
  }

  /** Undefined if the first request is in progress. */
  private async claimOrReplay(request: IdempotentRequest, hash: Buffer): Promise<Begun | undefined> {
    for (;;) {
      const owner = await this.claim(request, hash)
      if (owner !== undefined) return { kind: 'claimed', claim: this.claimOf(request, owner) }
      const row = await this.read(request)
      // If it was removed between the two queries, the first request has failed: try to claim again.
      if (row !== undefined) return this.replayOf(row, request, hash)
    }
  }

  private replayOf(row: Row, request: IdempotentRequest, hash: Buffer): Begun | undefined {
    if (!row.body_hash.equals(hash))
      throw new HttpError(
        'IDEMPOTENCY_KEY_REUSED',
        'This Idempotency-Key was used with another body in the last ten minutes: use a new key',
        [{ path: 'header.Idempotency-Key', message: 'was used with another body' }],
      )
    const answer = this.answerOf(row, request)
    return answer === undefined ? undefined : { kind: 'replay', answer }
  }

  /** Renews this process' claims that are due. */
  async renew(): Promise<void> {
    const now = this.now()
    for (const { request, owner, heldSince } of this.held)
      if (performance.now() - heldSince >= this.renewMs)
        await this.sql`
          update idempotency_records set claimed_until = ${new Date(now + CLAIM_TTL_MS)}
          where ${this.rowOf(request)} and owner = ${owner} and status is null`
  }

  /**
   * Writes the responses that were deferred to a job, in the transaction of its conclusion.
   *
   * @param answer the response as of now; undefined if there is none
   */
  async conclude(
    tx: Transaction,
    job: SentJob,
    answer: (
      awaited: DeferredResponse & { readonly workspaceId: string },
    ) => Promise<StoredResponse | undefined>,
  ): Promise<void> {
    const rows = await tx<AwaitingRow[]>`
      select credential_id, workspace_id, route, key, operation, subject from idempotency_records
      where awaits = ${awaitedName(job)} and status is null for update`
    for (const row of rows) {
      const { workspace_id: workspaceId, operation: operationId, subject: subjectId } = row
      const written = await answer({ job, operationId, subjectId, workspaceId })
      if (written === undefined) continue
      const { status, headers, body } = written
      await tx`
        update idempotency_records
        set status = ${status}, headers = ${tx.json(headers)}, body = ${body ?? null}, expires_at = ${new Date(this.now() + RESPONSE_TTL_MS)}
        where credential_id = ${row.credential_id} and route = ${row.route} and key = ${row.key}`
    }
  }

  /** Removes expired records in batches that hold no lock for long. */
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
    // A lost claim is harmless, and the commit of the write makes it durable, so it need not be flushed.
    const rows = await this.sql`
      insert into idempotency_records as r
        (credential_id, workspace_id, route, key, body_hash, owner, claimed_until, expires_at)
      select ${request.credential.id}::uuid, ${request.credential.workspace.id}::uuid, ${request.route}, ${request.key}, ${hash}::bytea, ${owner}::uuid,
        ${new Date(now + CLAIM_TTL_MS)}::timestamptz, ${new Date(now + RESPONSE_TTL_MS)}::timestamptz
      from (select set_config('synchronous_commit', 'off', true)) as unhurried
      on conflict (credential_id, route, key) do update
        set body_hash = excluded.body_hash, owner = excluded.owner, claimed_until = excluded.claimed_until,
          expires_at = excluded.expires_at, status = null, headers = null, body = null, awaits = null, operation = null,
          subject = null
        where ${this.claimable(this.sql`r`)}
      returning 1 as claimed`
    return rows.length === 1 ? owner : undefined
  }

  /** Whether the record of an earlier request has ended. */
  private claimable(record: ReturnType<Sql>) {
    const now = this.now()
    return this.sql`(${record}.expires_at <= ${new Date(now)}
      or (${record}.status is null and ${record}.awaits is null
        and ${record}.claimed_until not between ${new Date(now + 1)} and ${new Date(now + 2 * CLAIM_TTL_MS)}))`
  }

  private async read(request: IdempotentRequest): Promise<Row | undefined> {
    const rows = await this.sql<Row[]>`
      select body_hash, status, headers, body, ${this.claimable(this.sql`r`)} as claimable
      from idempotency_records r where ${this.rowOf(request)}`
    return rows[0]
  }

  private stored(body: string | undefined, { secret }: IdempotentRequest): string | undefined {
    return body !== undefined && secret ? seal(this.secretKey, SEALED, body).toString('base64') : body
  }

  private answerOf(
    { status, headers, body }: Row,
    { secret }: IdempotentRequest,
  ): StoredResponse | undefined {
    if (status === null) return undefined
    const opened =
      body !== null && secret ? unseal(this.secretKey, SEALED, Buffer.from(body, 'base64')) : body
    return { status, headers: headers ?? {}, body: opened ?? undefined }
  }

  private rowOf({ credential, route, key }: IdempotentRequest) {
    return this.sql`credential_id = ${credential.id} and route = ${route} and key = ${key}`
  }

  private claimOf(request: IdempotentRequest, owner: string): Claim {
    const held: HeldClaim = { request, owner, heldSince: performance.now() }
    this.held.add(held)
    const open = this.sql`${this.rowOf(request)} and owner = ${owner} and status is null`
    const write = (sql: Sql | Transaction, { status, headers, body }: StoredResponse) => sql`
      update idempotency_records
      set status = ${status}, headers = ${sql.json(headers)}, body = ${this.stored(body, request) ?? null}, expires_at = ${new Date(this.now() + RESPONSE_TTL_MS)}
      where ${open}`
    return {
      finish: async (sql, answer) => {
        this.held.delete(held)
        if ((await write(sql, answer)).count !== 1) throw claimLost()
      },
      deferToJob: async (tx, { job, operationId, subjectId }) => {
        const left = await tx`
          update idempotency_records
          set awaits = ${awaitedName(job)}, operation = ${operationId}, subject = ${subjectId},
            expires_at = ${new Date(this.now() + DEFERRED_TTL_MS)}
          where ${open}`
        if (left.count !== 1) throw claimLost()
      },
      settle: async (answer) => {
        this.held.delete(held)
        if ((await write(this.sql, answer)).count === 1) return answer
        const row = await this.read(request)
        return row === undefined ? answer : (this.answerOf(row, request) ?? answer)
      },
      release: async () => {
        this.held.delete(held)
        await this.sql`delete from idempotency_records where ${open} and awaits is null`
      },
    }
  }
}

interface HeldClaim {
  readonly request: IdempotentRequest
  readonly owner: string
  /** By `performance.now()`. */
  readonly heldSince: number
}

interface AwaitingRow {
  credential_id: string
  workspace_id: string
  route: string
  key: string
  operation: string
  subject: string
}

const awaitedName = ({ name, key }: SentJob): string => `${name} ${key}`

const claimLost = (): HttpError => inFlight('Another request with this Idempotency-Key has taken over')

function inFlight(message: string): HttpError {
  return new HttpError(
    'IDEMPOTENCY_IN_FLIGHT',
    message,
    [{ path: 'header.Idempotency-Key', message: 'belongs to a request in progress' }],
    { 'Retry-After': '5' },
  )
}
