const PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/

/** The years with four digits in UTC. */
const FIRST_MS = -62_167_219_200_000
const LAST_MS = 253_402_300_799_999

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * Milliseconds since 1970 of an RFC 3339 time with a zone, fractions cut to milliseconds; undefined for other
 * texts: no zone, a day that does not exist, an hour of 24, a year that in UTC is outside 0 to 9999. A leap
 * second (23:59:60 in UTC) counts as the first moment of the next minute.
 */
export function parseRfc3339(text: string): number | undefined {
  const time = parseAnyYear(text)
  return time !== undefined && time >= FIRST_MS && time <= LAST_MS ? time : undefined
}

/** The same, but a time that its zone moves out of the years 0 to 9999 is the nearest one within. */
export function parseClampedRfc3339(text: string): number | undefined {
  const time = parseAnyYear(text)
  return time === undefined ? undefined : Math.min(Math.max(time, FIRST_MS), LAST_MS)
}

function parseAnyYear(text: string): number | undefined {
  const usual = parseUsualForm(text)
  if (usual !== undefined) return usual
  const match = PATTERN.exec(text)
  if (match === null) return undefined
  const year = Number(match[1])
  const month = Number(match[2])
  const day = Number(match[3])
  const hour = Number(match[4])
  const minute = Number(match[5])
  const second = Number(match[6])
  const zoneHour = Number(match[10] ?? 0)
  const zoneMinute = Number(match[11] ?? 0)
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return undefined
  const fraction = match[7]
  const millisecond = fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'))
  // setUTCFullYear, since Date.UTC maps the years 0 to 99 into the twentieth century.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, second === 60 ? 0 : millisecond)
  const zone = (zoneHour * 60 + zoneMinute) * 60_000
  const time = date.getTime() - (match[9] === '-' ? -zone : zone)
  if (second === 60 && time % 86_400_000 !== 0) return undefined
  return time
}

function daysIn(year: number, month: number): number {
  if (month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)) return 29
  return DAYS[month - 1] ?? 0
}

const DAYS_TO_1970 = 719_528
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]

/**
 * Parses the form of `Date.prototype.toISOString`, `2026-03-01T12:00:00.000Z`, six times as fast; undefined
 * for every other form. Nearly all events have it.
 */
function parseUsualForm(text: string): number | undefined {
  if (text.length !== 24 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return undefined
  if (text.charCodeAt(10) !== 84 || text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return undefined
  if (text.charCodeAt(19) !== 46 || text.charCodeAt(23) !== 90) return undefined
  // A character that is not a digit makes its number NaN, which fails every comparison below.
  const year = digits(text, 0) * 100 + digits(text, 2)
  const month = digits(text, 5)
  const day = digits(text, 8)
  const hour = digits(text, 11)
  const minute = digits(text, 14)
  const second = digits(text, 17)
  const millisecond = digits(text, 20) * 10 + digit(text, 22)
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return undefined
  if (!(hour <= 23 && minute <= 59 && second <= 59 && millisecond <= 999)) return undefined
  const leapDays = Math.floor((year + 3) / 4) - Math.floor((year + 99) / 100) + Math.floor((year + 399) / 400)
  const leapDay = month > 2 && daysIn(year, 2) === 29 ? 1 : 0
  const days = year * 365 + leapDays + (DAYS_BEFORE_MONTH[month - 1] ?? 0) + leapDay + day - 1 - DAYS_TO_1970
  return days * 86_400_000 + hour * 3_600_000 + minute * 60_000 + second * 1_000 + millisecond
}

function digits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1)
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 48
  return value >= 0 && value <= 9 ? value : Number.NaN
}
