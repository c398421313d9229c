import { setTimeout as pause } from 'node:timers/promises'
import { isLogError, LogError, LogUnavailableError } from '../../port.js'
import { requestAnyBroker } from './any-broker.js'
import type { BrokerConnections } from './connections.js'
import { fetchMetadata } from './metadata.js'

const FRESH_MS = 60_000
const ATTEMPTS = 8
const PAUSE_MS = 150

/** Caches the leaders of a topic's partitions. */
export class LeaderCache {
  private addresses = new Map<number, string>()
  private refreshedAt = Number.NEGATIVE_INFINITY
  private refreshing: Promise<void> | undefined

  constructor(
    private readonly links: BrokerConnections,
    readonly topic: string,
    /** The topic's id. A topic created later under the same name is another log. */
    private readonly id: string,
  ) {}

  of(index: number): string | undefined {
    return this.addresses.get(index)
  }

  get isFresh(): boolean {
    return performance.now() - this.refreshedAt < FRESH_MS
  }

  /** A cached leader does not lead any more: refresh soon. */
  invalidate(): void {
    this.refreshedAt = Number.NEGATIVE_INFINITY
  }

  /** Concurrent calls share one request. Throws LogError `layout` if the topic was recreated. */
  refresh(): Promise<void> {
    this.refreshing ??= this.load().finally(() => {
      this.refreshing = undefined
    })
    return this.refreshing
  }

  /** Sends a request to a partition's leader, and follows new leaders for about a second. */
  async withLeader<T>(index: number, question: (address: string) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (!this.addresses.has(index) || !this.isFresh) await this.refresh()
        const address = this.addresses.get(index)
        if (address === undefined)
          throw new LogUnavailableError(`partition ${index} of ${this.topic} has no leader`)
        return await question(address)
      } catch (error) {
        this.invalidate()
        if (attempt === ATTEMPTS || isLogError(error, 'layout')) throw error
        await pause(PAUSE_MS)
      }
    }
  }

  private async load(): Promise<void> {
    const { brokers, topics } = await requestAnyBroker(() => fetchMetadata(this.links, [this.topic]))
    const topic = topics.find(({ name }) => name === this.topic)
    if (topic === undefined || topic.error !== 0)
      throw new LogUnavailableError(`the brokers do not know the topic ${this.topic}`)
    if (topic.id !== this.id)
      throw new LogError(
        'layout',
        `the topic ${this.topic} was deleted and made again: its id is ${topic.id}, and ${this.id} was opened`,
      )
    this.addresses = new Map()
    for (const { index, leader } of topic.partitions) {
      const address = brokers.get(leader)
      if (address !== undefined) this.addresses.set(index, address)
    }
    this.refreshedAt = performance.now()
  }
}
