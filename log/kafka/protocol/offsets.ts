import { type BrokerConnections, knownRequest } from './connections.js'
import type { LeaderCache } from './leader-cache.js'

const LIST_OFFSETS_VERSION = 3
const READ_UNCOMMITTED = 0
const LATEST = -1
const EARLIEST = -2

/** A partition's first offset, or the offset after its last record, committed or not. */
export async function listOffset(
  links: BrokerConnections,
  address: string,
  topic: string,
  index: number,
  which: 'earliest' | 'latest',
): Promise<number> {
  const timestamp = which === 'latest' ? LATEST : EARLIEST
  const { responses } = await links.send<{
    readonly responses: readonly { readonly partitions: readonly { readonly offset: string }[] }[]
  }>(
    address,
    knownRequest('ListOffsets', LIST_OFFSETS_VERSION, {
      replicaId: -1,
      isolationLevel: READ_UNCOMMITTED,
      topics: [{ topic, partitions: [{ partition: index, timestamp }] }],
    }),
  )
  const offset = responses[0]?.partitions[0]?.offset
  if (offset === undefined) throw new Error(`the broker gave no offset for partition ${index} of ${topic}`)
  return Number(offset)
}

/** Requests the ends of partitions. Calls during a request share the next one: this answer may be too old. */
export class EndOffsets {
  private readonly running = new Map<
    number,
    { next: Promise<number> | undefined; current: Promise<number> }
  >()

  constructor(
    private readonly links: BrokerConnections,
    private readonly leaders: LeaderCache,
  ) {}

  of(index: number): Promise<number> {
    const entry = this.running.get(index)
    if (entry === undefined) return this.start(index)
    // The callers of the current request handle its failure.
    entry.next ??= entry.current.then(ignore, ignore).then(() => this.start(index))
    return entry.next
  }

  private start(index: number): Promise<number> {
    const current = this.ask(index)
    const entry = { next: undefined, current }
    this.running.set(index, entry)
    const ended = (): void => {
      if (this.running.get(index) === entry && entry.next === undefined) this.running.delete(index)
    }
    current.then(ended, ended)
    return current
  }

  private ask(index: number): Promise<number> {
    return this.leaders.withLeader(index, (address) =>
      listOffset(this.links, address, this.leaders.topic, index, 'latest'),
    )
  }
}

function ignore(): void {}
