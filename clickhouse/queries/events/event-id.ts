import type { Parameters } from '../parameters.js'

/**
 * A UUIDv7 that is the same however often the event is read: its time of receipt, then its position in the
 * log. Such ids as text are ordered like (time, record, index).
 * @param receivedAt milliseconds, 48 bits
 * @param record hash of the record's position in the log, 58 bits
 * @param index of the event in its request, 16 bits
 */
export function eventId(receivedAt: number, record: bigint, index: number): string {
  const time = receivedAt.toString(16).padStart(12, '0')
  const high = (record >> 46n).toString(16).padStart(3, '0')
  // The two bits of the variant, then the lower 46 bits of the record, then the index: 64 bits.
  const rest = ((0b10n << 62n) | ((record & 0x3fff_ffff_ffffn) << 16n) | BigInt(index)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${rest.slice(0, 4)}-${rest.slice(4)}`
}

/** The `record` of `eventId`, from the columns of `events`. */
export const RECORD_SQL = 'bitShiftRight(sipHash64(log_id, log_partition, log_offset), 6)'

/** The parts of an `eventId`, or undefined if the text is not one. */
export function parseEventId(
  id: string,
): { readonly receivedAt: number; readonly record: bigint; readonly index: number } | undefined {
  const parts = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-([0-9a-f]{4})-([0-9a-f]{12})$/.exec(id)
  if (parts === null) return undefined
  const [, timeHigh = '', timeLow = '', high = '', middle = '', low = ''] = parts
  const rest = BigInt(`0x${middle}${low}`)
  if (rest >> 62n !== 0b10n) return undefined
  return {
    receivedAt: Number.parseInt(timeHigh + timeLow, 16),
    record: (BigInt(`0x${high}`) << 46n) | ((rest >> 16n) & 0x3fff_ffff_ffffn),
    index: Number(rest & 0xffffn),
  }
}

/**
 * A condition that an event is received before or after another. Its first part fits the tables' indexes.
 *
 * @param record the column or expression of the record
 */
export function comparedToSql(
  sign: '<' | '<=' | '>',
  id: string,
  record: string,
  parameters: Parameters,
): string {
  const place = parseEventId(id)
  if (place === undefined) return '0'
  const at = parameters.bind('Int64', place.receivedAt)
  return `received_at ${sign === '>' ? '>=' : '<='} fromUnixTimestamp64Milli(${at}, 'UTC')
    AND (toUnixTimestamp64Milli(received_at), ${record}, request_index)
      ${sign} (${at}, ${parameters.bind('UInt64', String(place.record))}, ${parameters.bind('UInt16', place.index)})`
}
