/** Runs work one piece at a time, in the order of the calls. A failure goes to its caller only. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work)
    // The caller has the failure; the queue goes on.
    this.last = result.catch(() => {})
    return result
  }

  /** Resolves when everything queued so far has ended. */
  async idle(): Promise<void> {
    await this.last
  }
}
