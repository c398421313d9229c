import type { EventLog } from '../../log/port.js'
import { type IdentityPair, identityPairOf, type WorkspaceHashKeys } from '../../log/record.js'
import type { Sql } from '../../postgres/driver/client.js'
import { toDatabaseError } from '../../postgres/driver/errors.js'
import { findLinks, insertLink } from '../../postgres/tables/identity-links.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import type { LinkedKeys } from './append.js'

type AliasOutcome =
  | { readonly kind: 'linked' }
  | { readonly kind: 'already-linked' }
  | { readonly kind: 'conflict' }
  /** Nothing was recorded. */
  | { readonly kind: 'unavailable'; readonly error: unknown }
  /** The link may or may not have been made. */
  | { readonly kind: 'unknown'; readonly error: unknown }

const PROGRESS_TIMEOUT_MS = 2_000
const POLL_MS = 4
const READ_TIMEOUT_MS = 1_000
const WRITE_TIMEOUT_MS = 2_000

/**
 * Links an anonymous id to a user in one order with the links of events: it waits until the identity consumer
 * has processed everything accepted before; then the first writer in Postgres wins.
 */
export class AliasLinker {
  private readonly progress: IdentityProgress

  constructor(
    private readonly options: { readonly log: EventLog; readonly sql: Sql; readonly linked: LinkedKeys },
  ) {
    this.progress = new IdentityProgress(options.log, options.sql)
  }

  /** @param at wall clock in milliseconds */
  async link(
    workspaceId: string,
    keys: WorkspaceHashKeys,
    anonymousId: string,
    userId: string,
    at: number,
  ): Promise<AliasOutcome> {
    const { log, sql, linked } = this.options
    const { partition, pair } = identityPairOf(anonymousId, userId, keys, log)
    let outcome: WriteOutcome | undefined
    try {
      await withTimeout(
        PROGRESS_TIMEOUT_MS,
        'the identity partition',
        log.end(partition).then((end) => this.progress.reached(partition, end)),
      )
      // Answers a retried call, and detects a store that is down before anything is written.
      outcome = await withTimeout(
        READ_TIMEOUT_MS,
        'Postgres, reading a link',
        readLink(sql, workspaceId, pair),
      )
    } catch (error) {
      return { kind: 'unavailable', error }
    }
    if (outcome === undefined) {
      try {
        outcome = await withTimeout(
          WRITE_TIMEOUT_MS,
          'Postgres, writing a link',
          writeLink(sql, workspaceId, pair, at),
        )
      } catch (error) {
        return { kind: isCertainlyUnwritten(error) ? 'unavailable' : 'unknown', error }
      }
    }
    linked.add(pair.anonymousKey)
    return { kind: outcome }
  }

  stop(): void {
    this.progress.stop()
  }
}

type WriteOutcome = 'linked' | 'already-linked' | 'conflict'

/** The existing link of the pair's anonymous id; undefined if there is none. */
async function readLink(
  sql: Sql,
  workspaceId: string,
  pair: IdentityPair,
): Promise<'already-linked' | 'conflict' | undefined> {
  const links = await findLinks(sql, workspaceId, [pair.anonymousId])
  const userId = links.get(pair.anonymousId)
  if (userId === undefined) return undefined
  return userId === pair.userId ? 'already-linked' : 'conflict'
}

async function writeLink(
  sql: Sql,
  workspaceId: string,
  pair: IdentityPair,
  at: number,
): Promise<WriteOutcome> {
  if (await insertLink(sql, { ...pair, workspaceId, linkedAt: new Date(at) })) return 'linked'
  const existing = await readLink(sql, workspaceId, pair)
  if (existing === undefined) throw new LinkVanishedError()
  return existing
}

/** An operator removed the link between two statements. The same call again creates it. */
class LinkVanishedError extends Error {
  override readonly name = 'LinkVanished'
}

/** Whether a failed write certainly left nothing behind. A broken connection does not tell. */
function isCertainlyUnwritten(error: unknown): boolean {
  if (error instanceof LinkVanishedError) return true
  return toDatabaseError(error)?.undone ?? false
}

/** Progress of the identity consumers, read from Postgres with one query at a time for all who wait. */
class IdentityProgress {
  private readonly waiting = new Set<{ partition: number; offset: number; resolve: () => void }>()
  private readonly done = new Map<number, number>()
  private polling = false
  private stopped = false

  constructor(
    private readonly log: EventLog,
    private readonly sql: Sql,
  ) {}

  /** Resolves when the partition is processed up to the offset. */
  reached(partition: number, offset: number): Promise<void> {
    if (offset <= (this.done.get(partition) ?? 0)) return Promise.resolve()
    return new Promise((resolve) => {
      const waiter = { partition, offset, resolve }
      this.waiting.add(waiter)
      // Drop the waiter: its caller has timed out by now.
      setTimeout(() => this.waiting.delete(waiter), PROGRESS_TIMEOUT_MS + 100).unref()
      void this.poll()
    })
  }

  stop(): void {
    this.stopped = true
    this.waiting.clear()
  }

  private async poll(): Promise<void> {
    if (this.polling) return
    this.polling = true
    try {
      while (this.waiting.size > 0 && !this.stopped) {
        try {
          await this.ask()
        } catch {
          // The callers time out and answer 503.
        }
        if (this.waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    } finally {
      this.polling = false
    }
  }

  private async ask(): Promise<void> {
    const rows = await withTimeout(
      1_000,
      'Postgres',
      this.sql<{ log_partition: number; done_offset: string }[]>`
        select log_partition, done_offset from log_partitions
        where log_id = ${this.log.id} and log_partition >= ${this.log.partitions}`,
    )
    for (const row of rows) this.done.set(row.log_partition, Number(row.done_offset))
    for (const waiter of this.waiting) {
      if (waiter.offset > (this.done.get(waiter.partition) ?? 0)) continue
      this.waiting.delete(waiter)
      waiter.resolve()
    }
  }
}
