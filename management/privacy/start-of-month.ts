/** The beginning of the UTC month of a time, within which equal insertIds are one event. */
export function startOfMonth(time: Date): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth()))
}
