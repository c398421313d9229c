const PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * Milliseconds since 1970 of an RFC 3339 time with a zone, fractions cut to milliseconds; undefined where the text is
 * not one: no zone, a day that does not exist, an hour of 24. A leap second (`:60`) counts as the first moment of the next
 * minute, where RFC 3339 permits one (23:59:60 in UTC).
 */
export function parseRfc3339(text: string): number | undefined {
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
