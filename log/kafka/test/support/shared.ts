import type { PartitionHandler, StoredRecord } from '../../../port.js'
import { text } from '../../../test/support/contract.js'

/**
 * Positions and handled records of several consumer processes, like the database: owning a partition is an
 * epoch, and only its holder may write.
 */
export class SharedPositions {
  private readonly rows = new Map<number, Row>()
  /** How often each payload was written, in the order of the first times; more than once is a fault. */
  readonly written = new Map<string, number>()
  /** Writes of owners that had lost their partition. */
  fenced = 0
  /** Batches that began on owners that had lost their partition. */
  late = 0
  takeOvers = 0
  /** Take-overs of partitions that another owner had not let go. */
  seized = 0
  /** Owners whose writes are refused, as by a store that is down. */
  readonly refused = new Set<string>()
  refusals = 0

  takeOver(partition: number, owner: string): { readonly epoch: number; readonly position: number } {
    const row = this.rows.get(partition) ?? { epoch: 0, position: 0, owner, held: false }
    if (row.held && row.owner !== owner) this.seized++
    const next = { epoch: row.epoch + 1, position: row.position, owner, held: true }
    this.rows.set(partition, next)
    this.takeOvers++
    return next
  }

  letGo(partition: number, owner: string): void {
    const row = this.rows.get(partition)
    if (row?.owner === owner) row.held = false
  }

  begin(partition: number, epoch: number): void {
    if (this.rows.get(partition)?.epoch !== epoch) this.late++
  }

  /** False if the partition has another owner by now. */
  write(partition: number, epoch: number, payloads: readonly string[], next: number): boolean {
    const row = this.rows.get(partition)
    if (row === undefined || row.epoch !== epoch) {
      this.fenced++
      return false
    }
    if (this.refused.has(row.owner)) {
      this.refusals++
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

  /**
   * Expected records that were not written exactly once or not in order, and unexpected ones. Payloads are
   * `partition:number`.
   */
  faults(expected: readonly string[]): string[] {
    const known = new Set(expected)
    const wrong = expected.filter((payload) => this.written.get(payload) !== 1)
    const last = new Map<string, number>()
    const disordered = [...this.written.keys()].filter((payload) => {
      const [partition = '', text] = payload.split(':')
      const before = last.get(partition) ?? -1
      last.set(partition, Math.max(before, Number(text)))
      return Number(text) < before
    })
    return [...wrong, ...[...this.written.keys()].filter((payload) => !known.has(payload)), ...disordered]
  }
}

interface Row {
  readonly epoch: number
  position: number
  readonly owner: string
  /** Its owner has not let it go. */
  held: boolean
}

/** The questions of a handler to the shared positions, in this process or another. */
export interface PositionsPort {
  takeOver(partition: number): Promise<{ readonly epoch: number; readonly position: number }>
  begin(partition: number, epoch: number): Promise<void>
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
      await port.begin(partition, epochs.get(partition) ?? -1)
      if (handleMs > 0) await new Promise((resolve) => setTimeout(resolve, handleMs))
      await write(partition, records, next ?? (records.at(-1)?.offset ?? 0) + 1)
    },
    skipTo: (partition, offset) => write(partition, [], offset),
    revoked: (partition) => port.revoked(partition),
  }
}

export function portTo(positions: SharedPositions, owner: string): PositionsPort {
  return {
    takeOver: async (partition) => positions.takeOver(partition, owner),
    begin: async (partition, epoch) => positions.begin(partition, epoch),
    write: async (partition, epoch, payloads, next) => positions.write(partition, epoch, payloads, next),
    revoked: (partition) => positions.letGo(partition, owner),
  }
}
