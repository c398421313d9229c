import { loadModule } from '../../../runtime/web-assembly.js'
import { BLOCK_AT, BLOCK_BYTES, MEMORY_BYTES, RESULT_AT } from './lz4-memory-layout.js'

interface Compressor {
  readonly memory: { readonly buffer: ArrayBuffer }
  compress(length: number): number
}

/**
 * Magic number, independent blocks of at most 256 KiB, no checksums (batches have one), and a checksum of
 * this head. Kafka reads no other frames. https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 */
const HEAD = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x50, 0xfb])
const SIZE_BYTES = 4
const END = 0
const NOT_COMPRESSED = 0x80000000
/** Upper bound of `makeRoom`. A block ends early rather than offer less. */
const MAX_ROOM = 64

export function maxFrameBytes(bytes: number): number {
  const blocks = Math.ceil(bytes / (BLOCK_BYTES - MAX_ROOM)) + 1
  return HEAD.length + bytes + (blocks + 1) * SIZE_BYTES
}

/**
 * Writes frames, one after the other. A native compressor would return its results in external memory, and so
 * much of that makes V8 collect its whole heap several times a second.
 */
export class FrameWriter {
  readonly bytes: Buffer
  /** Index in `bytes` of the next bytes to compress. A caller of `makeRoom` advances it. */
  at = BLOCK_AT
  private readonly module: Compressor
  private into: Buffer = HEAD
  private intoAt = 0

  constructor() {
    this.module = loadModule<Compressor>(new URL('./lz4.wasm', import.meta.url), {})
    this.bytes = Buffer.from(this.module.memory.buffer)
    if (this.bytes.length < MEMORY_BYTES) throw new RangeError('the compressor has too little memory')
  }

  /** Starts a frame in memory that has room for `maxFrameBytes`. */
  begin(into: Buffer, at: number): void {
    this.into = into
    this.intoAt = at + HEAD.copy(into, at)
    this.at = BLOCK_AT
  }

  /** Makes room for at most 64 bytes, to be written at `at`. */
  makeRoom(): void {
    if (this.at + MAX_ROOM > BLOCK_AT + BLOCK_BYTES) this.endBlock()
  }

  write(payload: Uint8Array): void {
    const end = BLOCK_AT + BLOCK_BYTES
    if (this.at + payload.length <= end) {
      this.bytes.set(payload, this.at)
      this.at += payload.length
      return
    }
    for (let from = 0; from < payload.length; ) {
      if (this.at === end) this.endBlock()
      const piece = payload.subarray(from, from + end - this.at)
      this.bytes.set(piece, this.at)
      this.at += piece.length
      from += piece.length
    }
  }

  /** Ends the frame. Returns the offset behind it. */
  end(): number {
    if (this.at > BLOCK_AT) this.endBlock()
    return this.into.writeUInt32LE(END, this.intoAt)
  }

  private endBlock(): void {
    const length = this.at - BLOCK_AT
    const compressed = this.module.compress(length)
    const isSmaller = compressed < length
    const from = isSmaller ? RESULT_AT : BLOCK_AT
    const size = isSmaller ? compressed : length
    const at = this.into.writeUInt32LE(isSmaller ? size : (size | NOT_COMPRESSED) >>> 0, this.intoAt)
    this.bytes.copy(this.into, at, from, from + size)
    this.intoAt = at + size
    this.at = BLOCK_AT
  }
}
