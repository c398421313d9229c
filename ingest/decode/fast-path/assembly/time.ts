/* RFC 3339 as in `domain/rfc3339.ts`, which defines the rules. Leap seconds are left to it. */
const FIRST_MS: i64 = -62167219200000
const LAST_MS: i64 = 253402300799999
const DAYS_TO_1970 = 719528
export const NO_TIME: i64 = i64.MIN_VALUE

/**
 * Milliseconds since 1970 of a time with a zone; `NO_TIME` if the text is not one or is left to the parser.
 */
export function timeOf(from: usize, end: usize): i64 {
  if (end - from < 20) return NO_TIME
  if (load<u8>(from + 4) !== 0x2d || load<u8>(from + 7) !== 0x2d || (load<u8>(from + 10) | 32) !== 0x74)
    return NO_TIME
  if (load<u8>(from + 13) !== 0x3a || load<u8>(from + 16) !== 0x3a) return NO_TIME
  // `two` returns a number above any limit if a character is not a digit.
  const century = two(from)
  const ofCentury = two(from + 2)
  const month = two(from + 5)
  const day = two(from + 8)
  const hour = two(from + 11)
  const minute = two(from + 14)
  const second = two(from + 17)
  if (century > 99 || ofCentury > 99 || month < 1 || month > 12) return NO_TIME
  const year = century * 100 + ofCentury
  if (day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59) return NO_TIME
  let at = from + 19
  let millisecond: u32 = 0
  if (load<u8>(at) === 0x2e) {
    const fraction = ++at
    let place: u32 = 100
    for (let digit: u32 = digitAt(at); at < end && digit < 10; digit = digitAt(++at)) {
      millisecond += digit * place
      place /= 10
    }
    if (at === fraction) return NO_TIME
  }
  let zone: i32 = 0
  if ((load<u8>(at) | 32) === 0x7a) at++
  else {
    const sign: u32 = load<u8>(at)
    if ((sign !== 0x2b && sign !== 0x2d) || end - at !== 6 || load<u8>(at + 3) !== 0x3a) return NO_TIME
    const zoneHour = two(at + 1)
    const zoneMinute = two(at + 4)
    if (zoneHour > 23 || zoneMinute > 59) return NO_TIME
    zone = zoneHour * 60 + zoneMinute
    if (sign === 0x2d) zone = -zone
    at += 6
  }
  if (at !== end) return NO_TIME
  const leapDays = (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400
  // Days before the month as if February had thirty, minus those it lacks.
  const beforeMonth = (367 * month - 362) / 12 - (month > 2 ? 30 - daysIn(year, 2) : 0)
  const days = year * 365 + leapDays + beforeMonth + day - 1
  const minutes = (<i64>days - DAYS_TO_1970) * 1440 + hour * 60 + minute - zone
  const time = minutes * 60000 + second * 1000 + millisecond
  return time < FIRST_MS || time > LAST_MS ? NO_TIME : time
}

function daysIn(year: u32, month: u32): u32 {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return 30 + ((month + (month >> 3)) & 1)
}

function two(at: usize): u32 {
  const high = digitAt(at)
  const low = digitAt(at + 1)
  return high > 9 || low > 9 ? 1000 : high * 10 + low
}

function digitAt(at: usize): u32 {
  return <u32>load<u8>(at) - 48
}
