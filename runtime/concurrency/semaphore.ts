interface Waiter {
  grant(): void
  reject(reason: unknown): void
}

/** Limits how much runs at once. The rest waits in the order of the calls. */
export class Semaphore {
  private free: number
  private readonly waiting = new Set<Waiter>()
  private closedBy: Error | undefined
  private allFree: () => void = () => {}

  /** @param permits how many may hold one at the same time */
  constructor(private readonly permits: number) {
    this.free = permits
  }

  /** Runs work while it holds a permit. @throws as `acquire`, and what the work throws */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.acquire(signal)
    try {
      return await work()
    } finally {
      this.release()
    }
  }

  /**
   * Resolves with a permit, which the caller must release.
   *
   * @param signal takes the call out of the queue; it has no effect on a permit that was granted
   * @throws the signal's reason if it aborts first, or the error given to `close`
   */
  acquire(signal?: AbortSignal): Promise<void> {
    if (this.closedBy !== undefined) return Promise.reject(this.closedBy)
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (this.free > 0) {
      this.free--
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(waiter)
        reject(signal?.reason)
      }
      const waiter: Waiter = {
        grant() {
          signal?.removeEventListener('abort', leave)
          resolve()
        },
        reject(reason) {
          signal?.removeEventListener('abort', leave)
          reject(reason)
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.waiting.add(waiter)
    })
  }

  release(): void {
    const [next] = this.waiting
    if (next !== undefined) {
      this.waiting.delete(next)
      next.grant()
      return
    }
    if (++this.free === this.permits) this.allFree()
  }

  /** Rejects all waiting and later calls with an error. Resolves once every permit is back. */
  async close(error: Error): Promise<void> {
    this.closedBy = error
    for (const waiter of this.waiting) waiter.reject(error)
    this.waiting.clear()
    if (this.free === this.permits) return
    await new Promise<void>((resolve) => {
      this.allFree = resolve
    })
  }
}
