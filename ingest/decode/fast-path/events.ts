import { makesLink } from '../../../domain/person.js'
import type { EncodedEvents, FoundPair } from '../../../log/record.js'
import { isEventShape } from '../validate.js'
import * as at from './layout.js'
import type { DecoderMemory } from './memory.js'

interface Fields {
  event: string | undefined
  userId: string | undefined
  anonymousId: string | undefined
  timestamp: string | undefined
  insertId: string | undefined
  sdkVersion: string | undefined
  /** The schema only checks that it is an object. */
  properties: object | undefined
}

const ANY_OBJECT = {}
/**
 * Texts of this many events become one string, of which each field is a slice: V8 is slower with larger ones.
 */
const EVENTS_PER_TEXT = 100

export class FastPathEvents {
  private readonly fields: Fields = {
    event: undefined,
    userId: undefined,
    anonymousId: undefined,
    timestamp: undefined,
    insertId: undefined,
    sdkVersion: undefined,
    properties: undefined,
  }
  /** First UTF-16 unit of the current text. */
  private firstUnit = 0

  constructor(private readonly memory: DecoderMemory) {}

  /** Checks each event against the schema and collects the pairs of ids; undefined if one is invalid. */
  check(count: number): Pick<EncodedEvents, 'pairs' | 'placeholders'> | undefined {
    const { bytes } = this.memory
    const pairs: FoundPair[] = []
    let placeholders = 0
    let seen: Set<bigint> | undefined
    let text = ''
    for (let index = 0; index < count; index++) {
      const entry = at.EVENTS + index * at.EVENT_BYTES
      if (index % EVENTS_PER_TEXT === 0) text = this.readTexts(index, count)
      const shape: unknown = this.readFields(entry, text)
      if (!isEventShape(shape)) return undefined
      const { userId, anonymousId } = this.fields
      if (userId === undefined || anonymousId === undefined) continue
      if (!makesLink(anonymousId, userId)) {
        placeholders++
        continue
      }
      const anonymousKey = bytes.readBigInt64LE(entry + at.ANONYMOUS_HASH)
      if (seen?.has(anonymousKey)) continue
      seen ??= new Set()
      seen.add(anonymousKey)
      pairs.push({
        anonymousId,
        userId,
        anonymousKey,
        userKey: bytes.readBigInt64LE(entry + at.USER_KEY),
        partitionHash: bytes.readUInt32LE(entry + at.ANONYMOUS_HASH + 8),
      })
    }
    return { pairs, placeholders }
  }

  private readTexts(index: number, count: number): string {
    const { memory } = this
    const entry = at.EVENTS + index * at.EVENT_BYTES
    const next = index + EVENTS_PER_TEXT
    const from = memory.word(entry + at.FIRST_BYTE)
    const end = memory.word(next < count ? at.EVENTS + next * at.EVENT_BYTES + at.FIRST_BYTE : at.TEXTS_END)
    this.firstUnit = memory.word(entry + at.FIRST_UNIT)
    return memory.bytes.toString(memory.word(at.TEXTS_ARE_ASCII) === 1 ? 'latin1' : 'utf8', from, end)
  }

  private readFields(entry: number, text: string): Fields {
    const { fields, firstUnit } = this
    const { words } = this.memory
    fields.event = fieldAt(words, entry + at.EVENT, text, firstUnit)
    fields.userId = fieldAt(words, entry + at.USER_ID, text, firstUnit)
    fields.anonymousId = fieldAt(words, entry + at.ANONYMOUS_ID, text, firstUnit)
    fields.timestamp = fieldAt(words, entry + at.TIMESTAMP, text, firstUnit)
    fields.insertId = fieldAt(words, entry + at.INSERT_ID, text, firstUnit)
    fields.sdkVersion = fieldAt(words, entry + at.SDK_VERSION, text, firstUnit)
    fields.properties = words[(entry + at.HAS_PROPERTIES) >>> 2] === 1 ? ANY_OBJECT : undefined
    return fields
  }
}

/** A field by its offset and length in UTF-16 units; `text` begins at `firstUnit`. */
function fieldAt(words: Int32Array, place: number, text: string, firstUnit: number): string | undefined {
  const begin = words[place >>> 2] ?? -1
  if (begin < 0) return undefined
  const first = begin - firstUnit
  return text.slice(first, first + (words[(place >>> 2) + 1] ?? 0))
}
