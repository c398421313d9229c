import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 1_000

/**
 * Takes and carries out one thing after the other, some side by side: at once while there is something to do, else after a second or when woken.
 */
export class Worker {
  private readonly stopping = new AbortController()
  private readonly running = new Set<Promise<void>>()
  private woken = new AbortController()
  private readonly ended: Promise<void>

  /**
   * @param places how many side by side
   * @param take gives what carries out the next one; undefined where there is none now. Neither it nor what it gives rejects.
   */
  constructor(
    private readonly places: number,
    private readonly take: (free: number) => Promise<(() => Promise<void>) | undefined>,
  ) {
    this.ended = this.run()
  }

  /** Looks now. */
  wake(): void {
    this.woken.abort()
  }

  /** Takes nothing further; resolves when all that is under way has ended. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.wake()
    await this.ended
    await Promise.all(this.running)
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.woken = new AbortController()
      const { signal } = this.woken
      if (await this.startNext()) continue
      await sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  private async startNext(): Promise<boolean> {
    const free = this.places - this.running.size
    const work = free > 0 ? await this.take(free) : undefined
    if (work === undefined) return false
    const running = work().finally(() => {
      this.running.delete(running)
      this.wake()
    })
    this.running.add(running)
    return true
  }
}
