import { createHmac, timingSafeEqual } from 'node:crypto'
import type { LogPosition } from './log-position.js'

/** Position of a reader: it has everything before `from`, and of the events up to `to` all up to `after`. */
export interface Cursor {
  readonly from: LogPosition
  readonly to: LogPosition
  /** Id of the last event it has. Undefined if it has all of them. */
  readonly after: string | undefined
}

export function cursorAt(position: LogPosition): Cursor {
  return { from: position, to: position, after: undefined }
}

const VERSION = 1
const TAG_BYTES = 12
/** Characters. */
const MAX_LENGTH = 16_384

/** Cursors as texts for clients, signed for one workspace so that they cannot be forged. */
export class CursorTexts {
  constructor(private readonly secretKey: Uint8Array) {}

  write(cursor: Cursor, workspaceId: string): string {
    const bytes: number[] = [VERSION]
    const { from, to, after } = cursor
    for (const { at, since } of [from, to]) {
      writeNumber(bytes, at)
      writeNumber(bytes, Math.max(0, Math.trunc(since)))
    }
    writeNumber(bytes, to.logs.size)
    for (const [logId, ends] of to.logs) {
      bytes.push(...Buffer.from(logId.replaceAll('-', ''), 'hex'))
      writeNumber(bytes, ends.length)
      ends.forEach((end, partition) => {
        const start = from.logs.get(logId)?.[partition] ?? 0
        writeNumber(bytes, start)
        writeNumber(bytes, end - start)
      })
    }
    if (after !== undefined) bytes.push(...Buffer.from(after.replaceAll('-', ''), 'hex'))
    const body = Buffer.from(bytes)
    return Buffer.concat([body, this.tag(body, workspaceId)]).toString('base64url')
  }

  /** Undefined if `write` did not make the text for this workspace. */
  read(text: string, workspaceId: string): Cursor | undefined {
    if (text.length > MAX_LENGTH || !/^[\w-]+$/.test(text)) return undefined
    const bytes = Buffer.from(text, 'base64url')
    const body = bytes.subarray(0, -TAG_BYTES)
    const tag = bytes.subarray(-TAG_BYTES)
    if (bytes.length <= TAG_BYTES || !timingSafeEqual(tag, this.tag(body, workspaceId))) return undefined
    return parse(new Reader(body))
  }

  private tag(body: Uint8Array, workspaceId: string): Buffer {
    return createHmac('sha256', this.secretKey)
      .update(`live events ${workspaceId} `)
      .update(body)
      .digest()
      .subarray(0, TAG_BYTES)
  }
}

/** Reads what this service has signed. Undefined if another version did. */
function parse(reader: Reader): Cursor | undefined {
  if (reader.number() !== VERSION) return undefined
  const times = [0, 1].map(() => ({ at: reader.number(), since: reader.number() }))
  const fromLogs = new Map<string, number[]>()
  const toLogs = new Map<string, number[]>()
  const count = reader.number()
  for (let log = 0; log < count; log++) {
    const logId = reader.uuid()
    const starts: number[] = []
    const ends: number[] = []
    const partitions = reader.number()
    for (let partition = 0; partition < partitions; partition++) {
      const start = reader.number()
      starts.push(start)
      ends.push(start + reader.number())
    }
    fromLogs.set(logId, starts)
    toLogs.set(logId, ends)
  }
  const after = reader.left === 0 ? undefined : reader.uuid()
  const [from = { at: 0, since: 0 }, to = from] = times
  return { from: { ...from, logs: fromLogs }, to: { ...to, logs: toLogs }, after }
}

/** LEB128. */
function writeNumber(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}

class Reader {
  private at = 0

  constructor(private readonly bytes: Uint8Array) {}

  get left(): number {
    return this.bytes.length - this.at
  }

  number(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.at++] ?? 0
      value += (byte % 128) * factor
      if (byte < 128) return value
    }
  }

  uuid(): string {
    const hex = Buffer.from(this.bytes.subarray(this.at, this.at + 16)).toString('hex')
    this.at += 16
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}
