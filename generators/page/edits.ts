import type { Edit } from '../../variants/port.js'
import { onlyPlaceOf, splice } from '../../variants/text.js'
import {
  type Attribute,
  given,
  type PageElement,
  type PageTree,
  type SourceRange,
  type Text,
} from './tree.js'

/** One change of a variant: `text` replaces a range within `unit`, the smallest range that may be an edit. */
export interface PageChange extends SourceRange {
  text: string
  unit: Unit | PageElement
}

/** A range of an edit, and the range to widen it to if its text occurs more than once. */
interface Unit extends SourceRange {
  parent: Unit | PageElement | null
}

/** Longer edits are not readable as a proposal. */
const LONGEST_UNIT = 6000

const NOT_WRITABLE = /[<>{}&"'\\`\r\n]/

/** Another value of an attribute, `null` if it does not stand in the element as text. */
export const rewordAttribute = (parent: PageElement, { own }: Attribute, words: string): PageChange | null =>
  own === null || NOT_WRITABLE.test(words) ? null : { ...own, text: words, unit: { ...own, parent } }

/** An element taken away. */
export const remove = (element: PageElement): PageChange => ({
  start: element.start,
  end: element.end,
  text: '',
  unit: element,
})

const LAYS_OUT = /(^|\s)(d-)?(inline-)?(flex|grid)(\s|$)/

/**
 * Links around parts of a line. Words beside them stay in one element with them: a line beside an icon is
 * often laid out as flex, which would make items of them and drop the space between them.
 */
export function linksWithin(line: Text, links: readonly (SourceRange & { opening: string })[]): PageChange[] {
  const { parent: unit, start, end } = line
  const isBeside = unit.children.some((one) => one.kind === 'element' && one.name !== 'br')
  const isWhole = links.length === 1 && links[0]?.start === start && links[0].end === end
  const isWrapped = !isWhole && (isBeside || LAYS_OUT.test(given(unit, 'class') ?? ''))
  return [
    ...(isWrapped ? [{ start, end: start, text: '<span>', unit }] : []),
    ...links.flatMap((link) => [
      { start: link.start, end: link.start, text: link.opening, unit },
      { start: link.end, end: link.end, text: '</a>', unit },
    ]),
    ...(isWrapped ? [{ start: end, end, text: '</span>', unit }] : []),
  ]
}

/** The edits of a variant, each widened until it occurs once in the file. `null` if one would be too long. */
export function editsOf(page: PageTree, variant: string, changes: readonly PageChange[]): Edit[] | null {
  const ranges: SourceRange[] = []
  for (const { unit } of changes) {
    const range = onlyRange(page, unit)
    if (range === null) return null
    ranges.push(range)
  }
  return outermost(ranges).map(({ start, end }) => {
    const find = page.text.slice(start, end)
    const own = changes.filter((change) => change.start >= start && change.end <= end)
    const places = own.map(({ text, ...at }) => ({ start: at.start - start, end: at.end - start, text }))
    return { find, replace: splice(find, places), variant }
  })
}

function onlyRange({ text, dialect }: PageTree, unit: Unit | PageElement): SourceRange | null {
  let range: Unit | PageElement | null = unit
  while (range !== null && range.end - range.start <= LONGEST_UNIT) {
    const isRoot = range.parent === null && 'tag' in range && range !== unit
    // Only JSX has fragments, which are expressions there.
    const isUnit = !('tag' in range) || (range.tag !== '#code' && (range.tag !== '' || dialect === 'jsx'))
    if (isUnit && !isRoot && typeof onlyPlaceOf(text, text.slice(range.start, range.end)) === 'number')
      return { start: range.start, end: range.end }
    range = range.parent
  }
  return null
}

function outermost(ranges: readonly SourceRange[]): SourceRange[] {
  const result: SourceRange[] = []
  for (const range of [...ranges].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1)
    if (last === undefined || range.start >= last.end) result.push(range)
  }
  return result
}
