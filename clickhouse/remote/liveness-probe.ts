import { setTimeout as delay } from 'node:timers/promises'
import { ClickHouseError } from '../port.js'

export interface LivenessProbeOptions {
  /** Rejects where the server does not answer in time. An error of its own is an answer. */
  readonly ask: () => Promise<void>
  /** Between two questions, milliseconds. */
  readonly everyMs: number
  /** How long those who have waited through an absence still wait when it is over, milliseconds. */
  readonly graceMs: number
}

/**
 * While somebody waits for a server, asks it on another connection whether it is there, and lets nobody wait for one that has missed two questions in a row. A
 * statement may take its time; a server that hangs would otherwise hold everybody up for as long as the longest statement may take.
 */
export class LivenessProbe {
  private readonly waiting = new Set<(failure: ClickHouseError) => void>()
  private beating = false
  private isGone = false

  constructor(private readonly options: LivenessProbeOptions) {}

  /**
   * Begins to wait.
   *
   * @param gone called at most once, when the server is taken for gone
   * @returns ends the waiting
   */
  begin(gone: (failure: ClickHouseError) => void): () => void {
    this.waiting.add(gone)
    if (!this.beating) void this.beat()
    return () => void this.waiting.delete(gone)
  }

  /** The promise, or a failure where the server goes while it is waited for. */
  async during<T>(promise: Promise<T>): Promise<T> {
    let end = (): void => {}
    const gone = new Promise<never>((_, reject) => {
      end = this.begin(reject)
    })
    try {
      return await Promise.race([promise, gone])
    } finally {
      end()
    }
  }

  private async beat(): Promise<void> {
    this.beating = true
    let missed = 0
    while (this.waiting.size > 0) {
      // The second question follows the first at once.
      if (missed === 0) await delay(this.options.everyMs, undefined, { ref: false })
      if (this.waiting.size === 0) break
      // Who comes after the question waits for two of his own.
      const asked = [...this.waiting]
      try {
        await this.options.ask()
        missed = 0
        if (!this.isGone) continue
        this.isGone = false
        // It is there again, over a new connection. What was asked before may wait on one that nobody has at the other end, or be answered any moment.
        setTimeout(() => this.giveUp(asked, 'ClickHouse was away'), this.options.graceMs).unref()
      } catch {
        if (++missed < 2) continue
        missed = 0
        this.isGone = true
        this.giveUp(asked, 'ClickHouse does not answer any more')
      }
    }
    this.beating = false
  }

  private giveUp(asked: readonly ((failure: ClickHouseError) => void)[], message: string): void {
    const failure = new ClickHouseError('unavailable', message)
    for (const gone of asked) if (this.waiting.delete(gone)) gone(failure)
  }
}
