import type { Edit } from '../../variants/port.js'
import { onlyPlaceOf, splice } from '../../variants/text.js'
import { idleText } from './forms.js'
import { type Addition, newKey } from './locales.js'
import {
  type Attribute,
  elementsIn,
  type PageElement,
  type PageTree,
  type SourceRange,
  type Text,
  textsIn,
} from './tree.js'

/** One change of a variant: `text` replaces a range within `unit`, the smallest range that may be an edit. */
export interface PageChange extends SourceRange {
  text: string
  /** plain edits of files of texts that the change needs */
  additions?: readonly Addition[]
  unit: Unit | PageElement
}

/** A range of an edit, and the range to widen it to if its text occurs more than once. */
interface Unit extends SourceRange {
  parent: Unit | PageElement | null
}

/** Longer edits are not readable as a proposal. */
const LONGEST_UNIT = 6000

/** New words for a text, `null` if they would be read as markup or code there. */
export function reword(page: PageTree, text: Text, words: string): PageChange | null {
  if (/[<>{}&\\`\r\n]/.test(words)) return null
  if (text.key !== undefined) return rekey(page, text, text.key, words)
  if (text.attribute !== undefined && text.quote === null)
    return rewordValue(page, text, text.attribute, words)
  const printed =
    text.quote === null ? words : words.includes(text.quote) ? null : `${text.quote}${words}${text.quote}`
  if (printed === null) return null
  // The place holds only the name of a text, which the new text replaces.
  if (text.takenBy !== undefined)
    return { start: text.start, end: text.end, text: printed, unit: text.attribute ?? text.parent }
  // Entities and expressions would not survive being written as plain words.
  const own = page.text.slice(text.start, text.end)
  if (text.quote === null && /[&{}<>]/.test(own)) return null
  return {
    start: text.start,
    end: text.end,
    text: printed,
    unit: text.quote === null ? text : (text.whole ?? { ...text, parent: named(page, text) }),
  }
}

/** Another value of an attribute, which may be an edit by itself. */
function rewordValue(
  page: PageTree,
  { start, end }: SourceRange,
  attribute: SourceRange & { parent: PageElement },
  words: string,
): PageChange | null {
  const quote = /["']/.exec(page.text.charAt(start - 1))?.[0] ?? null
  if (words.includes(quote ?? '"')) return null
  const place = { start, end }
  return { ...place, text: quote === null ? `"${words}"` : words, unit: { ...place, parent: attribute } }
}

/** A string with its name, then also with the separator behind it, to tell it from an equal one elsewhere. */
function named(page: PageTree, { start, end, holder }: Text): Unit | null {
  const outer: Unit | null = holder ?? null
  const [name] = /[\w$]+\s*[=:]\s*$/.exec(page.text.slice(Math.max(0, start - LONGEST_NAME), start)) ?? []
  if (name === undefined) return outer
  const place = { start: start - name.length, end }
  const stop = /^\s*[,;]/.exec(page.text.slice(end, end + LONGEST_NAME))?.[0]
  return {
    ...place,
    parent: stop === undefined ? outer : { ...place, end: end + stop.length, parent: outer },
  }
}
const LONGEST_NAME = 60

/** New words for all that an element says, `null` if code computes a part of it. */
export function rewordAll(page: PageTree, element: PageElement, words: string): PageChange | null {
  const texts = textsIn(element)
  const [only, ...more] = texts
  if (only !== undefined && more.length === 0 && elementsIn(element).length === 0 && !element.hasCode)
    return reword(page, only, words)
  const hasCode =
    element.hasCode || elementsIn(element).some((one) => one.hasCode || /^#code$|^[A-Z]/.test(one.tag))
  if (hasCode || texts.some(({ key, holder }) => key !== undefined || holder !== undefined)) return null
  if (/[<>{}&\\`\r\n]/.test(words) || page.dialect === 'svelte') return null
  const last = element.attributes.reduce(
    (end, one) => Math.max(end, one.end),
    element.start + 1 + element.tag.length,
  )
  const start = page.text.indexOf('>', last) + 1
  const end = page.text.lastIndexOf('</', element.end)
  return start === 0 || end <= start ? null : { start, end, text: words, unit: element }
}

/** Another key, with the new words in the files of texts. */
function rekey(page: PageTree, text: Text, key: string, words: string): PageChange | null {
  const made = page.texts === undefined ? null : newKey(page.texts, key, words)
  if (made === null) return null
  const printed = withKey(page.text.slice(text.start, text.end), made, words)
  return printed === null
    ? null
    : {
        start: text.start,
        end: text.end,
        text: printed,
        unit: text.quote === null ? text.parent : (text.attribute ?? text.parent),
        additions: made.additions,
      }
}

/**
 * The reference with another key: `'key'`, `'key', 'Text'`, `<Trans>Text</Trans>`, `<Trans i18nKey="key">`.
 */
function withKey(own: string, { last, name }: { last: string; name: string }, words: string): string | null {
  const call = /^((["'])(?:(?!\2).)*)\2(?:(\s*,\s*)(["'])(?:(?!\4).)*\4)?$/s.exec(own)
  if (call !== null) {
    const [, open = '', quote = '', comma, second = ''] = call
    if (!open.endsWith(last) || name.includes(quote) || (comma !== undefined && words.includes(second)))
      return null
    const key = `${open.slice(0, open.length - last.length)}${name}${quote}`
    return comma === undefined ? key : `${key}${comma}${second}${words}${second}`
  }
  const parts = /^(<Trans\b[^>]*?)(\/>|>([^<]*)<\/Trans>)$/.exec(own)
  if (parts === null) return null
  const [, open = '', close = '', inner = ''] = parts
  const keyed = /(\bi18nKey=(["'])[^"']*?)(["'])/.exec(open)
  if (keyed !== null && !(keyed[1] ?? '').endsWith(last)) return null
  const opened =
    keyed === null
      ? open
      : open.replace(keyed[0], () => `${keyed[1]?.slice(0, -last.length) ?? ''}${name}${keyed[3] ?? ''}`)
  return opened + (inner.trim() === '' ? close : close.replace(inner, () => (keyed === null ? name : words)))
}

export const insertAt = (offset: number, text: string, unit: PageElement): PageChange => ({
  start: offset,
  end: offset,
  text,
  unit,
})

/** An element taken away. */
export const remove = (element: PageElement): PageChange => ({
  start: element.start,
  end: element.end,
  text: '',
  unit: element,
})

/** Another value of an attribute, `null` if it does not stand in the element as text. */
export function rewordAttribute(
  element: PageElement,
  attribute: Attribute,
  words: string,
): PageChange | null {
  if (attribute.own === null || /[<>{}&"'\\`\r\n]/.test(words)) return null
  return { ...attribute.own, text: words, unit: { ...attribute.own, parent: element } }
}

/** New words for what a button or link says. */
export function rewordLabel(page: PageTree, element: PageElement, words: string): PageChange | null {
  const text = idleText(element)
  if (element.name !== 'input')
    return text === null ? rewordAll(page, element, words) : reword(page, text, words)
  const value = element.attributes.find(({ name }) => name === 'value')
  return value === undefined ? null : rewordAttribute(element, value, words)
}

/** Markup written right behind an element. In JSX an element that code shows needs a fragment around both. */
export function insertAfter(page: PageTree, element: PageElement, markup: string): PageChange {
  const added = `${gapBefore(page, element)}${markup}`
  if (page.dialect !== 'jsx' || !/^(#code)?$/.test(element.parent?.tag ?? ''))
    return insertAt(element.end, added, element)
  const { start, end } = element
  return { start, end, text: `<>${page.text.slice(start, end)}${added}</>`, unit: element }
}

/** Markup written at the end of what an element holds. `null` if it holds nothing. */
export function insertInto({ text }: PageTree, element: PageElement, markup: string): PageChange | null {
  const end = text.lastIndexOf('</', element.end)
  return end <= element.start ? null : insertAt(end, markup, element)
}

/** The line break and indentation that an element stands behind, if it has a line to itself. */
const gapBefore = ({ text }: PageTree, { start }: SourceRange): string =>
  /\r?\n[ \t]*$/.exec(text.slice(Math.max(0, start - 200), start))?.[0] ?? ' '

const eachOnce = (changes: readonly PageChange[]): PageChange[] =>
  changes.filter(
    (one, index) =>
      !changes
        .slice(0, index)
        .some((other) => one.start === other.start && one.end === other.end && one.text === other.text),
  )

const isOver = (one: SourceRange, other: SourceRange): boolean =>
  one.start < other.end && other.start < one.end

/** The edits of a variant, each widened until it occurs once in the file. `null` if one would be too long. */
export function editsOf(page: PageTree, variant: string, changes: readonly PageChange[]): Edit[] | null {
  const ranges: SourceRange[] = []
  for (const { unit } of changes) {
    const range = onlyRange(page, unit)
    if (range === null) return null
    ranges.push(range)
  }
  const edits: Edit[] = []
  for (const { start, end } of outermost(ranges)) {
    const own = eachOnce(changes.filter((change) => change.start >= start && change.end <= end))
    // A text in a loop is shown in several places and written once: it cannot say something else in each.
    if (own.some((one, index) => own.slice(index + 1).some((other) => isOver(one, other)))) return null
    const find = page.text.slice(start, end)
    const replace = splice(
      find,
      own.map((change) => ({ start: change.start - start, end: change.end - start, text: change.text })),
    )
    if (replace === find) return null
    edits.push({ find, replace, variant })
  }
  return edits.length === 0 ? null : edits
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

/** The plain edits of all additions, one for each place. */
export function editsOfAdditions(
  changes: readonly PageChange[],
): { path: string; edits: { find: string; replace: string }[] }[] {
  const byPath = new Map<string, Map<string, Set<string>>>()
  for (const { path, find, added } of changes.flatMap(({ additions }) => additions ?? [])) {
    const finds = byPath.get(path) ?? new Map<string, Set<string>>()
    byPath.set(path, finds.set(find, (finds.get(find) ?? new Set()).add(added)))
  }
  return [...byPath].map(([path, finds]) => ({
    path,
    edits: [...finds].map(([find, added]) => ({ find, replace: find + [...added].join('') })),
  }))
}

/** ` class="btn"` as the page's language writes it, `''` without classes. */
export const classAttribute = ({ dialect }: PageTree, classes: string | null): string =>
  classes === null || classes === '' ? '' : ` ${dialect === 'jsx' ? 'className' : 'class'}="${classes}"`
