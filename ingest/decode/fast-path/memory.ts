import { EVENT_LIMITS } from '../../../domain/event.js'
import { loadModule } from '../../../runtime/web-assembly.js'
import { acceptProperties } from '../canonical.js'
import * as at from './layout.js'

interface DecoderModule {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): void }
  prepare(): void
  read(): number
  writeRecords(count: number, home: number): number
}

const PAGE_BYTES = 65_536
/** Most bytes of a row beside its texts, and of a record beside its rows. */
const MAX_ROW_OVERHEAD_BYTES = 128

/** The module that `scripts/build-modules.mjs` compiles, and its memory. */
export class DecoderMemory {
  /** Views of the whole memory; replaced when the memory grows. */
  bytes: Buffer
  words: Int32Array
  readonly module: Omit<DecoderModule, 'memory'>
  private readonly memory: DecoderModule['memory']

  constructor() {
    const host = {
      canonicalNumber: (from: number, end: number, to: number) => this.canonicalNumber(from, end, to),
      canonicalObject: (from: number, end: number, to: number) => this.canonicalObject(from, end, to),
    }
    const module = loadModule<DecoderModule>(new URL('./decoder.wasm', import.meta.url), { host })
    this.module = module
    this.memory = module.memory
    this.bytes = Buffer.from(module.memory.buffer)
    this.words = new Int32Array(module.memory.buffer)
  }

  word(address: number): number {
    return this.words[address >>> 2] ?? 0
  }

  set(address: number, value: number): void {
    this.words[address >>> 2] = value
  }

  /** Divides the memory for a body of this length, and grows it if needed. */
  divide(length: number): void {
    const size = (least: number): number => (least + at.PAD + 15) & ~15
    const scratch = at.ARENA + size(length)
    const texts = scratch + size(length + 2 * at.GROWTH)
    const rows = texts + size(length + EVENT_LIMITS.eventsPerRequest * 2)
    const rowsBytes = 2 * length + EVENT_LIMITS.eventsPerRequest * MAX_ROW_OVERHEAD_BYTES
    const rowsEnd = rows + rowsBytes
    // The lengths follow the rows if there is one record.
    const records = rowsEnd + size(EVENT_LIMITS.eventsPerRequest * 4)
    const end = records + size(rowsBytes + EVENT_LIMITS.eventsPerRequest * MAX_ROW_OVERHEAD_BYTES)
    const missing = end - this.bytes.length
    if (missing > 0) {
      this.memory.grow(Math.ceil(missing / PAGE_BYTES))
      this.bytes = Buffer.from(this.memory.buffer)
      this.words = new Int32Array(this.memory.buffer)
    }
    this.set(at.BODY_AT, at.ARENA)
    this.set(at.BODY_BYTES, length)
    this.set(at.SCRATCH_AT, scratch)
    this.set(at.TEXTS_AT, texts)
    this.set(at.ROWS_AT, rows)
    this.set(at.ROWS_END, rowsEnd)
    this.set(at.RECORDS_AT, records)
  }

  /** Called by the module: writes a canonical number and returns its length, 0 if it is too large. */
  private canonicalNumber(from: number, end: number, to: number): number {
    const value = Number(this.bytes.toString('latin1', from, end))
    return Number.isFinite(value) ? this.bytes.write(JSON.stringify(value), to, 'latin1') : 0
  }

  /** Called by the module: the same for properties that it cannot prove. */
  private canonicalObject(from: number, end: number, to: number): number {
    const text = acceptProperties(JSON.parse(this.bytes.toString('utf8', from, end)) as object)
    return typeof text === 'string' ? this.bytes.write(text, to) : 0
  }
}
