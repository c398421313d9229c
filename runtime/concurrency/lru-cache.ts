/**
 * Values under keys, as many as fit into a number of bytes; whichever was used longest ago goes first. Bytes are what the caller says, the
 * key's are added. A value too big for a tenth of the room is not kept.
 */
export class LruCache<Value> {
  private readonly entries = new Map<string, { readonly value: Value; readonly bytes: number }>()
  private used = 0

  constructor(private readonly maxBytes: number) {}

  /** About the bytes in use. */
  get bytes(): number {
    return this.used
  }

  get(key: string): Value | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    // A map keeps the order of insertion: the end is what was used last.
    this.entries.delete(key)
    this.entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: Value, bytes: number): void {
    this.delete(key)
    const all = bytes + 2 * key.length + ENTRY_BYTES
    if (all > this.maxBytes / 10) return
    this.entries.set(key, { value, bytes: all })
    this.used += all
    for (const oldest of this.entries.keys()) {
      if (this.used <= this.maxBytes) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.entries.delete(key)
    this.used -= entry.bytes
  }
}

const ENTRY_BYTES = 200
