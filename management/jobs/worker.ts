/** Runs jobs of one queue, some at a time: claims as long as there are any, then waits to be woken. */
export class Worker<Job> {
  private readonly stopping = new AbortController()
  private readonly running = new Map<Job, Promise<void>>()
  private woken = false
  private rouse = (): void => {}
  private readonly ended: Promise<void>

  /**
   * @param concurrency how many jobs at a time
   * @param claim returns a job, or undefined if there is none; called with the jobs that run. Never rejects.
   * @param run never rejects
   */
  constructor(
    private readonly concurrency: number,
    private readonly claim: (running: readonly Job[]) => Promise<Job | undefined>,
    private readonly run: (job: Job) => Promise<void>,
  ) {
    this.ended = this.runAll()
  }

  /** Claims again, now or after the claim under way. */
  wake(): void {
    this.woken = true
    this.rouse()
  }

  /** Claims nothing further. Resolves when all running jobs have ended. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.wake()
    await this.ended
    await Promise.all(this.running.values())
  }

  private async runAll(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.woken = false
      if ((await this.startNext()) || this.woken) continue
      await new Promise<void>((resolve) => {
        this.rouse = resolve
      })
    }
  }

  private async startNext(): Promise<boolean> {
    if (this.running.size === this.concurrency) return false
    const job = await this.claim([...this.running.keys()])
    if (job === undefined) return false
    const ended = this.run(job).finally(() => {
      this.running.delete(job)
      this.wake()
    })
    this.running.set(job, ended)
    return true
  }
}
