/** Shares one run of work, and its failure, among all calls for a key that come while it runs. */
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
