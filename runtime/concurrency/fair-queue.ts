/** A call waited longer than its limit. */
export class QueueTimeoutError extends Error {
  override readonly name = 'QueueTimeoutError'
}

interface Group {
  running: number
  readonly waiting: Set<() => void>
}

/**
 * Shares permits between groups. A group runs a few calls at once and queues the rest; if permits are scarce,
 * the groups take turns, so the queue of one does not delay the others.
 */
export class FairQueue {
  /** Those with calls, the one whose turn is next first. */
  private readonly groups = new Map<string, Group>()
  private free: number

  /**
   * @param permits how many calls run at once
   * @param perGroup how many of one group
   * @param reserved permits that only a group with no running call may have
   */
  constructor(
    permits: number,
    private readonly perGroup: number,
    private readonly reserved: number,
    private readonly maxWaitMs: number,
  ) {
    this.free = permits
  }

  /**
   * @param caller its signal is read only if the call has to wait
   * @throws QueueTimeoutError, the signal's reason if it aborts while the call waits, and as the work
   */
  async run<T>(name: string, work: () => Promise<T>, caller: { readonly signal: AbortSignal }): Promise<T> {
    if (!this.acquireNow(name)) await this.acquire(name, caller.signal)
    try {
      return await work()
    } finally {
      this.release(name)
    }
  }

  private acquireNow(name: string): boolean {
    const group = this.groups.get(name) ?? { running: 0, waiting: new Set() }
    if (this.free === 0 || group.waiting.size > 0 || !this.mayRun(group)) return false
    this.grantTo(name, group)
    return true
  }

  private acquire(name: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason)
    const group = this.groups.get(name) ?? { running: 0, waiting: new Set() }
    this.groups.set(name, group)
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        done()
        this.forgetIdle(name, group)
        reject(reason)
      }
      const abort = (): void => leave(signal.reason)
      const grant = (): void => {
        done()
        resolve()
      }
      const timer = setTimeout(() => leave(new QueueTimeoutError()), this.maxWaitMs)
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        group.waiting.delete(grant)
      }
      signal.addEventListener('abort', abort, { once: true })
      group.waiting.add(grant)
      this.grantNext()
    })
  }

  private release(name: string): void {
    this.free++
    const group = this.groups.get(name)
    if (group !== undefined) {
      group.running--
      this.forgetIdle(name, group)
    }
    this.grantNext()
  }

  private grantNext(): void {
    if (this.free === 0) return
    for (const [name, group] of this.groups) {
      const [grant] = group.waiting
      if (grant === undefined || !this.mayRun(group)) continue
      this.grantTo(name, group)
      grant()
      return
    }
  }

  private mayRun({ running }: Group): boolean {
    return running < (this.free > this.reserved ? this.perGroup : 1)
  }

  private grantTo(name: string, group: Group): void {
    // To the end: the others come first now.
    this.groups.delete(name)
    this.groups.set(name, group)
    group.running++
    this.free--
  }

  private forgetIdle(name: string, group: Group): void {
    if (group.running === 0 && group.waiting.size === 0) this.groups.delete(name)
  }
}
