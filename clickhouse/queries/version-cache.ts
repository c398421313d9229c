import { LruCache } from '../../runtime/concurrency/lru-cache.js'
import type { ClickHouse } from '../port.js'

/**
 * Answers that are repeated while nothing of their workspace is written. Nothing is cached on a store that
 * others write to. The version is read before the answer is computed (docs/decisions/009-answer-cache.md).
 */
export class VersionCache<Answer> {
  private readonly kept: LruCache<{ readonly version: string; readonly answer: Answer }>

  /** @param bytesOf approximate memory of an answer */
  constructor(
    maxBytes: number,
    private readonly bytesOf: (answer: Answer) => number,
  ) {
    this.kept = new LruCache(maxBytes)
  }

  /** @param question everything that decides the answer beside the workspace */
  async answer(
    clickhouse: ClickHouse,
    workspaceId: string,
    question: string,
    compute: () => Promise<Answer>,
  ): Promise<Answer> {
    const version = await clickhouse.contentVersion(workspaceId)
    if (version === undefined) return compute()
    const key = `${workspaceId} ${question}`
    const before = this.kept.get(key)
    if (before?.version === version) return before.answer
    const answer = await compute()
    this.kept.set(key, { version, answer }, this.bytesOf(answer))
    return answer
  }
}
