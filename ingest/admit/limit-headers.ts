/** The headers of a refusal by a rate. @param resetSeconds until the next request may come */
export function limitHeaders(
  limit: number,
  remaining: number,
  resetSeconds: number,
): readonly (readonly [string, string])[] {
  return [
    ['Retry-After', String(resetSeconds)],
    ['RateLimit-Limit', String(limit)],
    ['RateLimit-Remaining', String(Math.max(0, remaining))],
    ['RateLimit-Reset', String(resetSeconds)],
  ]
}
