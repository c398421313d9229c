import { startOfHour } from '../../domain/hour.js'
import type { KeyCounts } from '../../domain/key-counts.js'
import { isPlausibleReceivedAt, type RecordHeader } from '../../log/record.js'

type Outcomes = Pick<KeyCounts, 'stored' | 'duplicates' | 'dead'>

interface Group {
  readonly header: RecordHeader
  readonly hour: number
  accepted: number
  stored: number
  duplicates: number
  dead: number
}

/** Adds up what became of the events of records, by the key that sent them and the hour of receipt. */
export class KeyTally {
  /** By random bytes of the key. */
  private readonly groups = new Map<number, Group[]>()
  private last: Group | undefined
  private stored = 0
  private duplicates = 0
  private dead = 0

  /** @param header undefined, or of an impossible time, if it is damaged: its events count for no key */
  add(header: RecordHeader | undefined, { stored, duplicates, dead }: Outcomes): void {
    this.stored += stored
    this.duplicates += duplicates
    this.dead += dead
    if (header === undefined || !isPlausibleReceivedAt(header.receivedAt)) return
    const group = this.groupOf(header)
    group.accepted += stored + duplicates + dead
    group.stored += stored
    group.duplicates += duplicates
    group.dead += dead
  }

  result(): Outcomes & { readonly byKey: readonly KeyCounts[] } {
    const { stored, duplicates, dead } = this
    const byKey = [...this.groups.values()].flat().map(({ header, ...counts }) => ({
      workspaceId: header.workspaceId,
      keyId: header.keyId,
      ...counts,
    }))
    return { stored, duplicates, dead, byKey }
  }

  private groupOf(header: RecordHeader): Group {
    const hour = startOfHour(header.receivedAt)
    // Records of one key often follow each other.
    if (this.last?.hour === hour && this.last.header.hasSenderOf(header)) return this.last
    const bucket = header.keyTail
    const groups = this.groups.get(bucket) ?? []
    let group = groups.find((each) => each.hour === hour && each.header.hasSenderOf(header))
    if (group === undefined) {
      group = { header, hour, accepted: 0, stored: 0, duplicates: 0, dead: 0 }
      this.groups.set(bucket, [...groups, group])
    }
    this.last = group
    return group
  }
}
