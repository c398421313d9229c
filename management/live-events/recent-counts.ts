/** Seconds of the rate that is shown. */
export const RATE_SECONDS = 300

export class RecentCounts {
  private readonly counts = new Map<number, number>()

  /** @param counted by seconds since 1970, in addition to what is known */
  add(counted: ReadonlyMap<number, number>): void {
    for (const [second, count] of counted) this.counts.set(second, (this.counts.get(second) ?? 0) + count)
  }

  /**
   * The data of a `rate` message.
   *
   * @param now milliseconds since 1970
   * @param seconds defaults to all
   */
  data(now: number, seconds?: Iterable<number>): string {
    const first = Math.floor(now / 1_000) - RATE_SECONDS
    for (const second of this.counts.keys()) if (second < first) this.counts.delete(second)
    const shown = [...(seconds ?? this.counts.keys())]
      .filter((second) => second >= first)
      .sort((a, b) => a - b)
    return JSON.stringify({
      now: new Date(now).toISOString(),
      counts: shown.map((second) => ({
        at: new Date(second * 1_000).toISOString(),
        count: this.counts.get(second) ?? 0,
      })),
    })
  }
}
