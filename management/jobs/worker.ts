import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 1_000

/**
 * Calls `step` again and again, one call at a time: at once while there is something to do, else after a second or when woken.
 *
 * @param step takes and carries out one job; false where there was none. Never rejects.
 */
export class Worker {
  private readonly stopping = new AbortController()
  private woken = new AbortController()
  private readonly ended: Promise<void>

  constructor(private readonly step: () => Promise<boolean>) {
    this.ended = this.run()
  }

  /** Looks now. */
  wake(): void {
    this.woken.abort()
  }

  /** Takes no further job and waits for the one under way, for so long at most. */
  async stop(limitMs: number): Promise<void> {
    this.stopping.abort()
    this.wake()
    const overdue = new AbortController()
    await Promise.race([this.ended, sleep(limitMs, undefined, { signal: overdue.signal }).catch(() => {})])
    overdue.abort()
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.woken = new AbortController()
      const { signal } = this.woken
      if (await this.step()) continue
      await sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }
}
