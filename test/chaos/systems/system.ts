import type { Sql } from '../../../postgres/driver/client.js'
import type { Target } from '../clients/clients.js'
import type { MachineClock } from '../clients/machine-clock.js'
import type { ClientNetwork } from './client-network.js'

export interface StoredRow {
  readonly partition: number
  readonly offset: number
  readonly index: number
  /** Milliseconds, as all times here. */
  readonly receivedAt: number
  readonly timestamp: number
  readonly originalTimestamp: number
  readonly hasTimestamp: number
  readonly adjustment: number
  readonly event: string
  readonly userId: string
  readonly anonymousId: string
  readonly insertId: string
  readonly sdkVersion: string
  readonly properties: string
}

/** A link by the keys of its persons: 64-bit numbers as text, unsigned. */
export interface StoredLinkKeys {
  readonly anonymousKey: string
  readonly userKey: string
}

export interface StoredLink extends StoredLinkKeys {
  readonly anonymousId: string
  readonly userId: string
}

/** Counts of events and links in the databases, read while the service is idle. */
export interface Books {
  readonly links: readonly StoredLink[]
  /** Links still on their way. */
  readonly outbox: number
  /** Events by the consumers' ledger, and by the log if it counts. */
  readonly stored: number
  readonly duplicates: number
  readonly dead: number
  readonly appended: number | undefined
}

/** Vocabulary and links in the event store. */
export interface StoreSummary {
  readonly vocabulary: ReadonlyMap<string, number>
  /** By shard: each has all of them. */
  readonly links: readonly (readonly StoredLinkKeys[])[]
}

/**
 * The system under test: what clients and the count need of it, whatever it consists of. Faults need more,
 * each system its own.
 */
export interface System {
  /** Of the ledger's entries. */
  readonly name: string
  /** The addresses that a client, given by its number, sends to now. */
  target(client: number): Target
  readonly isRunning: boolean
  /** Of the machines that the service runs on. */
  readonly clock: MachineClock
  /** Between the clients and the service. */
  readonly network: ClientNetwork
  /** Connects without any proxy, and waits for a database that is coming back. */
  withDatabase<T>(use: (sql: Sql) => Promise<T>): Promise<T>
  /** Whether the store can be read beside the running service; else it is stopped for every count. */
  readonly readsWhileRunning: boolean
  /**
   * Starts it, or restarts it on its stored data, with a fault point armed or none
   * (start/processes/fault-point.ts).
   */
  start(faultPoint?: string): Promise<void>
  /**
   * Of the running system: starts the part that has the point again with it armed. A system without it is
   * stopped and started.
   */
  readonly arm?: ((faultPoint: string) => Promise<void>) | undefined
  /** Takes back a point that was armed while it ran. */
  takeBack?(): void
  /** Asks it to stop in good order. Resolves with its exit code, null if it was killed. */
  stop(): Promise<number | null>
  /** Warnings and errors that it printed recently. */
  output(): string
  /** Whether the armed fault point has been reached. */
  hasStruck(): boolean
  /** Resolves when everything accepted has been carried through, links too. Rejects after `limitMs`. */
  drain(limitMs: number): Promise<void>
  /** Of the running service. */
  books(): Promise<Books>
  /** Of the service at rest: every row, in batches, ordered by its place in the log. */
  readStore(rows: (batch: readonly StoredRow[]) => void): Promise<StoreSummary>
  /** Ends every process, also those that a fault left behind. */
  close(): Promise<void>
  /** After `close`: frees the disks of the data, unless a person should look at it. */
  discard?(): void
}
