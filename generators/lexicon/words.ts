/** The words of a list that is separated by white space. */
export const setOf = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/))

/** The words of a text, lower case, in order. In lower case the Turkish `İ` has a dot of its own. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('\u0307', '')
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** The share of words that two texts have in common, of the longer one's: 0 to 1; 0 for two empty texts. */
export function agreement(a: string, b: string): number {
  const left = wordsOf(a)
  const right = wordsOf(b)
  const longer = Math.max(left.length, right.length)
  if (longer === 0) return 0
  const counts = new Map<string, number>()
  for (const word of left) counts.set(word, (counts.get(word) ?? 0) + 1)
  let common = 0
  for (const word of right) {
    const count = counts.get(word) ?? 0
    if (count === 0) continue
    counts.set(word, count - 1)
    common += 1
  }
  return common / longer
}

/** A word in lower case without the English plural: "Prices" as "price". */
export const stemOf = (word: string): string =>
  word
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x)es$/, '$1')
    .replace(/([^s])s$/, '$1')

/** A text escaped for a regular expression. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
