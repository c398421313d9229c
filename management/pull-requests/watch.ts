import { type DuePoll, noteFailedPoll, notePoll, takeDuePolls } from '../../postgres/tables/repositories.js'
import { RepositoryError } from '../../repositories/errors.js'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import type { ConnectedRepository } from '../repositories/index.js'
import type { Services } from '../services.js'
import { readFromHost } from './read-from-host.js'
import { recordEnd } from './state.js'
import { openPullRequests, type PullRequestRow, updateHead } from './store.js'

/** How often `turn` runs. */
export const WATCH_MS = 1_000
const MAX_AT_ONCE = 16
const POLL_LIMIT_MS = 30_000

/**
 * Notices merged and closed pull requests. Each repository is polled by one process at a time, and a slow
 * host delays no other.
 */
export class Watch {
  private readonly running = new Map<string, Promise<void>>()
  private readonly stopping = new AbortController()

  constructor(private readonly services: Services) {}

  /** Starts the polls that are due, without waiting for them. Rejects if Postgres cannot be reached. */
  async turn(): Promise<void> {
    const free = MAX_AT_ONCE - this.running.size
    if (free <= 0 || this.stopping.signal.aborted) return
    for (const poll of await takeDuePolls(this.services.sql, free)) {
      if (this.running.has(poll.workspaceId)) continue
      const ended = this.look(poll).finally(() => this.running.delete(poll.workspaceId))
      this.running.set(poll.workspaceId, ended)
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all(this.running.values())
  }

  /** Never rejects. */
  private async look(poll: DuePoll): Promise<void> {
    const { sql, logger } = this.services
    const signal = deadlineSignal(POLL_LIMIT_MS, this.stopping.signal)
    try {
      await this.poll(poll, signal)
    } catch (error) {
      if (this.stopping.signal.aborted) return
      logger.debug({ err: error, workspaceId: poll.workspaceId }, 'Repository not polled: next try later')
      const retryAfterMs = error instanceof RepositoryError ? error.retryAfterMs : undefined
      // If Postgres is gone too, the poll stays due.
      await noteFailedPoll(sql, poll, retryAfterMs).catch(() => {})
    }
  }

  private async poll(poll: DuePoll, signal: AbortSignal): Promise<void> {
    const { services } = this
    const repository = await services.repositories.of(poll.workspaceId)
    if (repository === undefined || repository.settings.id !== poll.repositoryId) return
    const { token, changed } = await repository.host.poll(poll.token ?? undefined, signal)
    const failures: unknown[] = []
    const open = changed ? await openPullRequests(services.sql, poll.workspaceId, repository.settings) : []
    for (const row of open)
      await this.ask(repository, row, signal).catch((error: unknown) => failures.push(error))
    // All others were read before. The poll is repeated until every one was recorded.
    if (failures.length > 0) throw failures[0]
    await notePoll(services.sql, poll, token)
  }

  private async ask(
    repository: ConnectedRepository,
    row: PullRequestRow,
    signal: AbortSignal,
  ): Promise<void> {
    const { services } = this
    const seen = await readFromHost(repository, row, signal)
    if (seen.state !== 'open') await services.sql.begin((tx) => recordEnd(tx, services, row, seen))
    else if (seen.head !== row.head) await updateHead(services.sql, row, seen.head)
  }
}
