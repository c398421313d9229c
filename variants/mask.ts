import { splice } from './text.js'

/**
 * A range replaced by spaces before the written file is parsed again to prove an edit. Long files parse
 * slowly, and nodes beside an edit rarely decide whether it fits. Offsets and line ends stay as they are.
 */
export interface MaskedRange {
  readonly start: number
  readonly end: number
  /** Text that keeps the syntax valid if spaces would not. At most as long as the range. */
  readonly placeholder?: string
}

export interface TextRange {
  readonly start: number
  readonly end: number
}

/** Replaces the ranges by spaces; line ends stay. */
export function maskUnrelated(text: string, ranges: readonly MaskedRange[]): string {
  return splice(
    text,
    ranges.map(({ start, end, placeholder = '' }) => ({
      start,
      end,
      text: placeholder + text.slice(start + placeholder.length, end).replace(/[^\r\n\u2028\u2029]/g, ' '),
    })),
  )
}

/** Whether a node holds an edit, is part of one, or is beside all of them. */
export function relationTo(
  ranges: readonly TextRange[],
  { start, end }: TextRange,
): 'holds' | 'inside' | 'beside' {
  let relation: 'holds' | 'inside' | 'beside' = 'beside'
  for (const range of ranges) {
    if (range.start <= start && end <= range.end) return 'inside'
    if (range.start < end && start < range.end) relation = 'holds'
  }
  return relation
}

/** The siblings that are beside all edits and not next to a node that holds one. */
export function unrelatedNodes<T extends TextRange>(ranges: readonly TextRange[], nodes: readonly T[]): T[] {
  const relations = nodes.map((node) => relationTo(ranges, node))
  const isBeside = (index: number): boolean => (relations[index] ?? 'beside') === 'beside'
  return nodes.filter((_, index) => isBeside(index - 1) && isBeside(index) && isBeside(index + 1))
}
