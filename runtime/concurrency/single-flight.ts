/** Shares one run of some work among all calls for the same key that come while it runs. Failures are shared too. */
export class SingleFlight<Key, Value> {
  private readonly running = new Map<Key, Promise<Value>>()

  run(key: Key, work: () => Promise<Value>): Promise<Value> {
    const running = this.running.get(key)
    if (running !== undefined) return running
    const started = work().finally(() => this.running.delete(key))
    this.running.set(key, started)
    return started
  }
}
