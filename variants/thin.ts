import { splice } from './text.js'

/**
 * What is written is tried by reading the file again, and a long file takes long to read. Most of it has no say in whether an edit fits: what is
 * beside the edit, and not around it, could as well be missing. It is made blank, so that every offset stays what it is and a parser has little to do.
 * What decides how its neighbour is read stays, as each language says for itself.
 */
export interface Blank {
  readonly start: number
  readonly end: number
  /** What holds the place where blanks alone would not do: no longer than the range. */
  readonly instead?: string
}

export interface Range {
  readonly start: number
  readonly end: number
}

/** The text with ranges blank; its lines stay lines. */
export function thinned(text: string, blanks: readonly Blank[]): string {
  return splice(
    text,
    blanks.map(({ start, end, instead = '' }) => ({
      start,
      end,
      text: instead + text.slice(start + instead.length, end).replace(/[^\r\n\u2028\u2029]/g, ' '),
    })),
  )
}

/** How a node lies to the edits: it holds one, or is part of one; else it is beside all of them. */
export function relationTo(ranges: readonly Range[], { start, end }: Range): 'holds' | 'inside' | 'beside' {
  let relation: 'holds' | 'inside' | 'beside' = 'beside'
  for (const range of ranges) {
    if (range.start <= start && end <= range.end) return 'inside'
    if (range.start < end && start < range.end) relation = 'holds'
  }
  return relation
}

/** Of nodes in a row those that are beside the edits, and next to none that holds one. */
export function remote<T extends Range>(ranges: readonly Range[], nodes: readonly T[]): T[] {
  const relations = nodes.map((node) => relationTo(ranges, node))
  const isBeside = (index: number): boolean => (relations[index] ?? 'beside') === 'beside'
  return nodes.filter((_, index) => isBeside(index - 1) && isBeside(index) && isBeside(index + 1))
}
