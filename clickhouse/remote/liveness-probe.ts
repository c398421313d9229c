import { setTimeout as delay } from 'node:timers/promises'
import { ClickHouseError } from '../port.js'

export interface LivenessProbeOptions {
  /** Rejects if the server does not answer in time. An error answer counts as an answer. */
  readonly ask: () => Promise<void>
  /** Milliseconds between two probes. */
  readonly everyMs: number
  /** Milliseconds that callers from before an outage still wait once it is over. */
  readonly graceMs: number
}

/**
 * While a caller waits for ClickHouse, probes it on another connection, and stops the wait after two missed
 * probes. Without it, a hanging server would hold callers for as long as the longest statement may take.
 */
export class LivenessProbe {
  private readonly waiting = new Set<(failure: ClickHouseError) => void>()
  private isProbing = false
  private isGone = false

  constructor(private readonly options: LivenessProbeOptions) {}

  /**
   * Starts a wait.
   * @param gone called at most once, when the server counts as gone
   * @returns ends the wait
   */
  begin(gone: (failure: ClickHouseError) => void): () => void {
    this.waiting.add(gone)
    if (!this.isProbing) void this.probe()
    return () => void this.waiting.delete(gone)
  }

  /** The promise, or an error if the server goes away meanwhile. */
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

  private async probe(): Promise<void> {
    this.isProbing = true
    let missed = 0
    while (this.waiting.size > 0) {
      // The second probe follows the first immediately.
      if (missed === 0) await delay(this.options.everyMs, undefined, { ref: false })
      if (this.waiting.size === 0) break
      // A caller that comes after the probe gets two further probes.
      const asked = [...this.waiting]
      try {
        await this.options.ask()
        missed = 0
        if (!this.isGone) continue
        this.isGone = false
        // Back on a new connection. Earlier requests may hang on a dead one, or be answered any moment.
        setTimeout(() => this.giveUp(asked, 'ClickHouse was away'), this.options.graceMs).unref()
      } catch {
        // One missed probe may be chance, two mean that the server is gone.
        if (++missed < 2) continue
        missed = 0
        this.isGone = true
        this.giveUp(asked, 'ClickHouse does not answer any more')
      }
    }
    this.isProbing = false
  }

  private giveUp(asked: readonly ((failure: ClickHouseError) => void)[], message: string): void {
    const failure = new ClickHouseError('unavailable', message)
    for (const gone of asked) if (this.waiting.delete(gone)) gone(failure)
  }
}
