/**
 * Values by key, up to a number of bytes. The least recently used one is evicted first. The caller tells
 * the size of a value, and the key's is added. A value larger than a tenth of the cache is not stored.
 */
export class LruCache<Value> {
  private readonly entries = new Map<string, { readonly value: Value; readonly bytes: number }>()
  private used = 0

  constructor(private readonly maxBytes: number) {}

  /** Estimated bytes in use. */
  get bytes(): number {
    return this.used
  }

  get(key: string): Value | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    // A map keeps the order of insertion, so the last entry is the most recently used.
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

  clear(): void {
    this.entries.clear()
    this.used = 0
  }
}

const ENTRY_BYTES = 200
