import type { Target } from './clients.js'

/** What a signal can be sent to. A system without such a part has no processes for it. */
export type Part = 'all' | 'main' | 'gateway' | 'postgres' | 'postgres-backend'

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

/** What the databases say of events and links, read while the service is idle. */
export interface Books {
  readonly links: readonly StoredLink[]
  /** Links still on their way. */
  readonly outbox: number
  /** Events by the consumers' ledger, and by the log where it counts. */
  readonly stored: number
  readonly duplicates: number
  readonly dead: number
  readonly appended: number | undefined
}

/** What the event store holds. */
export interface StoreSummary {
  readonly vocabulary: ReadonlyMap<string, number>
  readonly links: readonly StoredLinkKeys[]
}

/** The system under test: what clients, faults and the count need of it, whatever it consists of. */
export interface System {
  /** Where the clients send. */
  readonly target: Target
  readonly isRunning: boolean
  /** Resolves with the exit code (null: killed) when the program of the last start has ended. */
  readonly ended: Promise<number | null>
  /** Starts it, or starts it again on what is there, with a fault point armed or none (start/fault-point.ts). */
  start(faultPoint?: string): Promise<void>
  /** What the program has printed since the last start, warnings and errors. */
  output(): string
  /** Whether the armed fault point has been reached. */
  hasStruck(): boolean
  /** Sends a signal to every process of a part. Returns their number. */
  signal(part: Part, name: NodeJS.Signals): number
  /** The processes of a part, for telling whether they have been replaced. */
  pids(part: Part): readonly number[]
  /** Resolves when everything accepted has been carried through, links too. Rejects after `limitMs`. */
  drain(limitMs: number): Promise<void>
  /** Of the running service. */
  books(): Promise<Books>
  /** Of the stopped service: every row, in batches, ordered by its place in the log. */
  readStore(rows: (batch: readonly StoredRow[]) => void): Promise<StoreSummary>
  /** Ends every process, also those that a fault left behind, and says how many parts had to be killed. */
  close(): Promise<void>
}
