import type { LogLogger } from '../../port.js'
import { type BrokerConnections, knownRequest } from '../protocol/connections.js'
import type { LeaderCache } from '../protocol/leader-cache.js'

const DELETE_RECORDS_VERSION = 1
const TIMEOUT_MS = 2_000

/** Deletes records below the committed positions now and then. The next trim makes up for a failure. */
export class RecordTrimmer {
  private readonly offsets = new Map<number, number>()
  private timer: NodeJS.Timeout | undefined
  private running: Promise<void> = Promise.resolve()
  private closed = false

  constructor(
    private readonly links: BrokerConnections,
    private readonly leaders: LeaderCache,
    private readonly logger: LogLogger | undefined,
    private readonly everyMs: number,
  ) {}

  trim(index: number, offset: number): void {
    if (this.closed || offset <= (this.offsets.get(index) ?? 0)) return
    this.offsets.set(index, offset)
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.running = this.trimAll()
    }, this.everyMs).unref()
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.running
  }

  private async trimAll(): Promise<void> {
    const due = [...this.offsets]
    this.offsets.clear()
    const results = await Promise.allSettled(due.map(([index, offset]) => this.deleteRecords(index, offset)))
    for (const result of results)
      if (result.status === 'rejected' && !this.closed)
        this.logger?.warn(
          { err: result.reason, topic: this.leaders.topic },
          'Trimming the log failed; it keeps stored records for now',
        )
  }

  private deleteRecords(partition: number, offset: number): Promise<unknown> {
    const { links, leaders } = this
    const { topic } = leaders
    const topics = [{ topic, partitions: [{ partition, offset: String(offset) }] }]
    return leaders.withLeader(partition, (address) =>
      links.send(
        address,
        knownRequest('DeleteRecords', DELETE_RECORDS_VERSION, { topics, timeout: TIMEOUT_MS }),
      ),
    )
  }
}
