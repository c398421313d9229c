import type { PartitionHandler, StoredRecord } from '../../port.js'
import { text } from './contract.js'

/**
 * Where consumers of several processes keep their positions and what they have handled, as the database does: owning a partition is an epoch, and
 * only its holder may write.
 */
export class SharedPositions {
  private readonly rows = new Map<number, { epoch: number; position: number; owner: string }>()
  /** How often each payload was written; more than once is a fault. */
  readonly written = new Map<string, number>()
  /** Writes of those who had lost their partition. */
  fenced = 0
  takeOvers = 0

  takeOver(partition: number, owner: string): { readonly epoch: number; readonly position: number } {
    const row = this.rows.get(partition) ?? { epoch: 0, position: 0, owner }
    const next = { epoch: row.epoch + 1, position: row.position, owner }
    this.rows.set(partition, next)
    this.takeOvers++
    return next
  }

  /** False where the partition has another owner by now. */
  write(partition: number, epoch: number, payloads: readonly string[], next: number): boolean {
    const row = this.rows.get(partition)
    if (row === undefined || row.epoch !== epoch) {
      this.fenced++
      return false
    }
    if (next < row.position) throw new Error(`partition ${partition} goes back`)
    row.position = next
    for (const payload of payloads) this.written.set(payload, (this.written.get(payload) ?? 0) + 1)
    return true
  }

  ownerOf(partition: number): string | undefined {
    return this.rows.get(partition)?.owner
  }

  /** Partitions by owner. */
  owners(): Map<string, number[]> {
    const owners = new Map<string, number[]>()
    for (const [partition, { owner }] of this.rows)
      owners.set(
        owner,
        [...(owners.get(owner) ?? []), partition].sort((a, b) => a - b),
      )
    return owners
  }

  /** What was not written once, of what should have been. */
  faults(expected: readonly string[]): string[] {
    const known = new Set(expected)
    const wrong = expected.filter((payload) => this.written.get(payload) !== 1)
    return [...wrong, ...[...this.written.keys()].filter((payload) => !known.has(payload))]
  }
}

/** The questions of a handler to the shared positions, in this process or another. */
export interface PositionsPort {
  takeOver(partition: number): Promise<{ readonly epoch: number; readonly position: number }>
  begin(partition: number): Promise<void>
  write(partition: number, epoch: number, payloads: readonly string[], next: number): Promise<boolean>
  revoked(partition: number): void
}

/** A handler that takes `handleMs` for each batch, between beginning and writing. */
export function sharedHandler(port: PositionsPort, handleMs: number): PartitionHandler {
  const epochs = new Map<number, number>()
  const write = async (partition: number, records: readonly StoredRecord[], next: number): Promise<void> => {
    const written = await port.write(partition, epochs.get(partition) ?? -1, records.map(text), next)
    if (!written) throw new Error(`partition ${partition} has another owner`)
  }
  return {
    async assigned(partition) {
      const { epoch, position } = await port.takeOver(partition)
      epochs.set(partition, epoch)
      return position
    },
    async handle(partition, records, _, next) {
      await port.begin(partition)
      if (handleMs > 0) await new Promise((resolve) => setTimeout(resolve, handleMs))
      await write(partition, records, next ?? (records.at(-1)?.offset ?? 0) + 1)
    },
    passed: (partition, offset) => write(partition, [], offset),
    revoked: (partition) => port.revoked(partition),
  }
}

export function portTo(positions: SharedPositions, owner: string): PositionsPort {
  return {
    takeOver: async (partition) => positions.takeOver(partition, owner),
    begin: async () => {},
    write: async (partition, epoch, payloads, next) => positions.write(partition, epoch, payloads, next),
    revoked: () => {},
  }
}
