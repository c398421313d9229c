/** Writes the primitive types of Kafka's protocol. Flexible versions use the compact forms. */
export class Writer {
  private buffer = Buffer.allocUnsafe(1_024)
  private length = 0

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length)
  }

  int8(value: number): this {
    this.buffer.writeInt8(value, this.take(1))
    return this
  }

  int16(value: number): this {
    this.buffer.writeInt16BE(value, this.take(2))
    return this
  }

  int32(value: number): this {
    this.buffer.writeInt32BE(value, this.take(4))
    return this
  }

  int64(value: number): this {
    this.buffer.writeBigInt64BE(BigInt(value), this.take(8))
    return this
  }

  string(value: string): this {
    const size = Buffer.byteLength(value)
    this.buffer.writeInt16BE(size, this.take(2))
    return this.text(value, size)
  }

  compactString(value: string): this {
    const size = Buffer.byteLength(value)
    return this.unsignedVarint(size + 1).text(value, size)
  }

  unsignedVarint(value: number): this {
    let rest = value
    for (; rest >= 0x80; rest >>>= 7) this.buffer.writeUInt8((rest & 0x7f) | 0x80, this.take(1))
    this.buffer.writeUInt8(rest, this.take(1))
    return this
  }

  zeros(count: number): this {
    const at = this.take(count)
    this.buffer.fill(0, at, at + count)
    return this
  }

  private text(value: string, size: number): this {
    this.buffer.write(value, this.take(size), 'utf8')
    return this
  }

  private take(size: number): number {
    const at = this.length
    this.length += size
    if (this.length > this.buffer.length) {
      const larger = Buffer.allocUnsafe(2 * this.length)
      this.buffer.copy(larger, 0, 0, at)
      this.buffer = larger
    }
    return at
  }
}

/** Reads the primitive types of Kafka's protocol. Throws a RangeError past the end. */
export class Reader {
  constructor(
    private readonly buffer: Buffer,
    private at = 0,
  ) {}

  get offset(): number {
    return this.at
  }

  get left(): number {
    return this.buffer.length - this.at
  }

  int8(): number {
    return this.buffer.readInt8(this.move(1))
  }

  int16(): number {
    return this.buffer.readInt16BE(this.move(2))
  }

  int32(): number {
    return this.buffer.readInt32BE(this.move(4))
  }

  /** An offset or a time, below 2^53. */
  int64(): number {
    const at = this.move(8)
    return this.buffer.readInt32BE(at) * 2 ** 32 + this.buffer.readUInt32BE(at + 4)
  }

  /** An id, which may use all 64 bits. */
  id64(): bigint {
    return this.buffer.readBigInt64BE(this.move(8))
  }

  string(): string {
    return this.bytes(this.int16()).toString()
  }

  /** A string of a flexible version. Null reads as empty. */
  compactString(): string {
    return this.bytes(Math.max(0, this.unsignedVarint() - 1)).toString()
  }

  uuid(): string {
    const hex = this.bytes(16).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }

  unsignedVarint(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.buffer.readUInt8(this.move(1))
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    throw new RangeError('a number of more than 32 bits')
  }

  /** Zigzag-encoded, like lengths in records. */
  varint(): number {
    const value = this.unsignedVarint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  skipVarint(): void {
    while (this.buffer.readUInt8(this.move(1)) >= 0x80);
  }

  bytes(size: number): Buffer {
    const at = this.move(size)
    if (this.at > this.buffer.length) throw new RangeError('the bytes end too early')
    return this.buffer.subarray(at, this.at)
  }

  array<T>(count: number, read: () => T): T[] {
    const items: T[] = []
    for (let i = 0; i < count; i++) items.push(read())
    return items
  }

  compactArray<T>(read: () => T): T[] {
    return this.array(Math.max(0, this.unsignedVarint() - 1), read)
  }

  /** Fields that later minor versions have added. */
  skipTags(): void {
    for (let count = this.unsignedVarint(); count > 0; count--) {
      this.unsignedVarint()
      this.bytes(this.unsignedVarint())
    }
  }

  private move(size: number): number {
    const at = this.at
    this.at += size
    return at
  }
}
