export const HOUR_MS = 3_600_000

/** The start of the UTC hour of a time. Both in milliseconds since 1970. */
export function startOfHour(milliseconds: number): number {
  return Math.floor(milliseconds / HOUR_MS) * HOUR_MS
}
