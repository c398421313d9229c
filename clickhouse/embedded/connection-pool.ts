import { cancelledError, closedError } from '../error-mapping.js'

/**
 * A fixed number of connections, each for one query at a time: the embedded engine runs queries on different connections side by side
 * and queues those on one. Who finds none free waits, first come first served.
 */
export class ConnectionPool<Connection> {
  private readonly free: Connection[]
  private readonly waiting: Waiter<Connection>[] = []
  private closed = false
  private allFree: () => void = () => {}

  constructor(private readonly all: readonly Connection[]) {
    this.free = [...all]
  }

  /**
   * Runs work on a connection of its own. Aborting takes a waiting one out of the queue; work that has begun keeps its connection
   * until it settles, since the engine cannot take another query on it before.
   */
  async run<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const connection = await this.take(signal)
    try {
      return await work(connection)
    } finally {
      this.giveBack(connection)
    }
  }

  /** Refuses what is waiting and what comes later; resolves with the connections when nothing runs on them. */
  async close(): Promise<readonly Connection[]> {
    this.closed = true
    for (const waiter of this.waiting.splice(0)) waiter.refuse(closedError())
    if (this.free.length < this.all.length)
      await new Promise<void>((resolve) => {
        this.allFree = resolve
      })
    return this.all
  }

  private take(signal: AbortSignal | undefined): Promise<Connection> {
    if (this.closed) return Promise.reject(closedError())
    if (signal?.aborted) return Promise.reject(cancelledError())
    const connection = this.free.pop()
    if (connection !== undefined) return Promise.resolve(connection)
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1)
        reject(cancelledError())
      }
      const settle = () => signal?.removeEventListener('abort', abort)
      const waiter: Waiter<Connection> = {
        grant(granted) {
          settle()
          resolve(granted)
        },
        refuse(error) {
          settle()
          reject(error)
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.waiting.push(waiter)
    })
  }

  private giveBack(connection: Connection): void {
    const next = this.waiting.shift()
    if (next !== undefined) {
      next.grant(connection)
      return
    }
    this.free.push(connection)
    if (this.free.length === this.all.length) this.allFree()
  }
}

interface Waiter<Connection> {
  grant(connection: Connection): void
  refuse(error: Error): void
}
