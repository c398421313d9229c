import type { Sql } from '../postgres/driver/client.js'
import type { Credential } from '../postgres/tables/credentials.js'
import {
  addIngestProblems,
  type CountedProblem,
  type IngestProblem,
} from '../postgres/tables/ingest-problems.js'
import { TokenBuckets } from '../runtime/concurrency/token-buckets.js'
import { withTimeout } from '../runtime/concurrency/with-timeout.js'
import { errorMessage } from '../runtime/errors.js'
import type { Logger } from '../runtime/logger.js'
import { storable } from './decode/subject.js'
import { type IngestRefusal, REFUSAL_STATUS } from './http/errors.js'

const WRITE_EVERY_MS = 1_000
const WRITE_TIMEOUT_MS = 1_500
/** Problems of one workspace that are looked at. More cost nothing and are not counted. */
const PROBLEMS_PER_SECOND = 1_000
/** New kinds of problems of one workspace. Repetitions of one that waits to be written are counted. */
const KINDS_PER_SECOND = 10
/** Of all workspaces, that wait to be written. */
const MAX_PENDING = 1_000
const MAX_FIELD_LENGTH = 200
const MAX_MESSAGE_LENGTH = 300

const NO_SUBJECT = { eventName: null, value: null }

/**
 * Notes why requests of keys were refused, for their owners. Postgres gets each kind of problem once a second
 * at most, off the request path, however many requests a client sends.
 */
export class ProblemLog {
  private pending = new Map<string, CountedProblem>()
  private timer: NodeJS.Timeout | undefined
  private readonly problems: TokenBuckets
  private readonly kinds: TokenBuckets

  /**
   * @param options.clock milliseconds that only grow
   * @param options.now the wall clock in milliseconds
   */
  constructor(
    private readonly options: {
      readonly sql: Sql
      readonly logger: Logger
      readonly clock: () => number
      readonly now: () => number
    },
  ) {
    this.problems = new TokenBuckets(PROBLEMS_PER_SECOND, options.clock)
    this.kinds = new TokenBuckets(KINDS_PER_SECOND, options.clock)
  }

  /** Notes a refusal, but not a failure of the service, about which the owner of the key can do nothing. */
  refused(sender: Credential, refusal: IngestRefusal): void {
    const status = REFUSAL_STATUS[refusal.code]
    if (status >= 500) return
    const { code, details, field = null, subject = NO_SUBJECT } = refusal
    const message = (field === null ? undefined : details?.[0]?.message) ?? refusal.message
    this.add(sender, { ...subject, status, code, field, message }, 1)
  }

  add(sender: Credential, problem: IngestProblem, times: number): void {
    if (!spendOne(this.problems, sender.workspace.id)) return
    const { code } = problem
    const field = problem.field === null ? null : storable(problem.field, MAX_FIELD_LENGTH)
    const message = withoutValues(code, storable(problem.message, MAX_MESSAGE_LENGTH))
    const kind = `${code} ${field ?? ''} ${message}`.replace(/\d+/g, '#')
    const key = `${sender.id} ${kind}`
    let noted = this.pending.get(key)
    const newest = { ...problem, field, message, lastAt: new Date(this.options.now()) }
    if (noted === undefined) {
      if (this.pending.size >= MAX_PENDING || !spendOne(this.kinds, sender.workspace.id)) return
      const owner = { keyId: sender.id, workspaceId: sender.workspace.id }
      noted = { ...newest, ...owner, kind, firstAt: newest.lastAt, times: 0 }
      this.pending.set(key, noted)
      this.timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS).unref()
    }
    Object.assign(noted, newest, { times: noted.times + times })
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer)
    await this.write()
  }

  private async write(): Promise<void> {
    const problems = [...this.pending.values()]
    this.pending = new Map()
    try {
      const written = addIngestProblems(this.options.sql, problems)
      await withTimeout(WRITE_TIMEOUT_MS, 'Postgres, noting refusals', written)
    } catch (error) {
      // They are a hint for people: a few may be missing.
      this.options.logger.debug({ error: errorMessage(error) }, 'Refusals not noted')
    }
    this.timer =
      this.pending.size === 0 ? undefined : setTimeout(() => void this.write(), WRITE_EVERY_MS).unref()
  }
}

function spendOne(buckets: TokenBuckets, name: string): boolean {
  const bucket = buckets.of(name)
  if (bucket.tokens < 1) return false
  bucket.tokens--
  return true
}

/** Messages of parsers quote the body, and numbers may be ids of persons. */
function withoutValues(code: string, message: string): string {
  const unquoted = code === 'MALFORMED_JSON' ? message.replace(/(?:, )?(?:\.\.\.)?".*"/s, '') : message
  return unquoted.replace(/\d{7,}/g, '…')
}
