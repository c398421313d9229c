import { Semaphore } from '../../runtime/concurrency/semaphore.js'
import { cancelledError, closedError } from '../error-mapping.js'

/** A fixed number of connections, each for one query at a time: those on one connection would queue. */
export class ConnectionPool<Connection> {
  private readonly free: Connection[]
  private readonly permits: Semaphore

  constructor(private readonly all: readonly Connection[]) {
    this.free = [...all]
    this.permits = new Semaphore(all.length)
  }

  /**
   * Runs work on a free connection, in the order of the calls. Aborting removes waiting work; work that has
   * begun keeps its connection until it settles, because the engine cannot run another query on it before.
   *
   * @throws ClickHouseError `cancelled` if aborted while waiting, `closed` after `close`
   */
  async run<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.permits.acquire(signal).catch((error: unknown) => {
      throw error === signal?.reason ? cancelledError() : error
    })
    const connection = this.free.pop()
    if (connection === undefined) throw new Error('a permit without a free connection')
    try {
      return await work(connection)
    } finally {
      this.free.push(connection)
      this.permits.release()
    }
  }

  /** Rejects what is waiting and later calls. Resolves with the connections once nothing runs on them. */
  async close(): Promise<readonly Connection[]> {
    await this.permits.close(closedError())
    return this.all
  }
}
