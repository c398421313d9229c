/**
 * Takes and carries out one thing after the other, some side by side: at once while there is something to do, else when woken.
 */
export class Worker {
  private readonly stopping = new AbortController()
  private readonly running = new Set<Promise<void>>()
  private woken = false
  private rouse = (): void => {}
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
    this.woken = true
    this.rouse()
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
      this.woken = false
      if ((await this.startNext()) || this.woken) continue
      await new Promise<void>((resolve) => {
        this.rouse = resolve
      })
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
