/** Event names that listings leave out. A pattern is a name, or the beginning of names and `*`. */
export interface HiddenNames {
  readonly names: readonly string[]
  /** Beginnings of names, without the `*`. */
  readonly prefixes: readonly string[]
}

export const NO_HIDDEN_NAMES: HiddenNames = { names: [], prefixes: [] }

export function hiddenNamesOf(patterns: readonly string[]): HiddenNames {
  return {
    names: patterns.filter((pattern) => !pattern.endsWith('*')),
    prefixes: patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1)),
  }
}

/** The pattern that hides a name or a pattern; null if none does. */
export function hiddenBy({ names, prefixes }: HiddenNames, eventName: string): string | null {
  if (names.includes(eventName)) return eventName
  const prefix = prefixes.find((begin) => eventName.startsWith(begin))
  return prefix === undefined ? null : `${prefix}*`
}
