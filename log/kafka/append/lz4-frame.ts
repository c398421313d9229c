import { loadModule } from '../../../runtime/web-assembly.js'
import { BLOCK_AT, BLOCK_BYTES, MEMORY_BYTES, RESULT_AT } from './lz4-memory-layout.js'

/** What the module exports; `assembly/lz4.ts` says what it does. */
interface Compressor {
  readonly memory: { readonly buffer: ArrayBuffer }
  compress(length: number): number
}

/**
 * Magic number, blocks that know nothing of each other and are of 256 KiB at most, no checksums (batches have one), and a checksum of this head. Kafka reads no others.
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 */
const HEAD = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x50, 0xfb])
const SIZE_BYTES = 4
const END = 0
const NOT_COMPRESSED = 0x80000000
/** What `makeRoom` may be asked for; a block ends early rather than without that much. */
const MAX_ROOM = 64

/** What a frame for so many bytes takes at most. */
export function maxFrameBytes(bytes: number): number {
  const blocks = Math.ceil(bytes / (BLOCK_BYTES - MAX_ROOM)) + 1
  return HEAD.length + bytes + (blocks + 1) * SIZE_BYTES
}

/**
 * Writes frames, one after the other. The compressor is a module and not a native one, which gives out its results in memory of its own: as much of that as flows through here has V8 look through its
 * whole heap several times a second.
 */
export class FrameWriter {
  /** Shared with the module. */
  readonly bytes: Buffer
  /** Where in `bytes` goes on what is compressed next; whoever has made room there moves it. */
  at = BLOCK_AT
  private readonly module: Compressor
  private into: Buffer = HEAD
  private intoAt = 0

  constructor() {
    this.module = loadModule<Compressor>(new URL('./lz4.wasm', import.meta.url), {})
    this.bytes = Buffer.from(this.module.memory.buffer)
    if (this.bytes.length < MEMORY_BYTES) throw new RangeError('the compressor has too little memory')
  }

  /** Begins a frame at a place in memory that has room for `mostFrameBytes` of what will be written. */
  begin(into: Buffer, at: number): void {
    this.into = into
    this.intoAt = at + HEAD.copy(into, at)
    this.at = BLOCK_AT
  }

  /** Makes room for a few bytes, 64 at most, which are written at `at`. */
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

  /** Ends the frame; the place behind it. */
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
