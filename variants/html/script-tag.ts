import { UnsupportedEditError } from '../dialect.js'
import { HELPER_NAME } from '../helper-name.js'
import type { HelperReference } from '../port.js'
import {
  endsItsLine,
  indentAt,
  lineEndOf,
  lineStart,
  nextLine,
  type Splice,
  splice,
  startsItsLine,
} from '../text.js'
import { MARK } from './markup.js'
import { attributeOf, type Document, descend, type Element, isElement, parseHtml } from './tree.js'

type PageReference = Extract<HelperReference, { scriptSrc: string }>

/** Elements of the head that load or run something, or change the base of URLs. */
const LOADING: ReadonlySet<string> = new Set(['base', 'link', 'style', 'script'])

/** The URL of a script without query and fragment; '' for other elements. */
const scriptOf = (node: Element): string =>
  node.tagName === 'script' ? (attributeOf(node, 'src')?.replace(/[?#].*/s, '') ?? '') : ''

const isHelper = (node: Element): boolean => HELPER_NAME.test(scriptOf(node))

/** The serving state's script: by its path, or by its position right before the helper. */
const isState = (node: Element): boolean =>
  /(^|\/)_svc\/state\.js$/.test(scriptOf(node)) ||
  (/(^|\/)state\.js$/.test(scriptOf(node)) && isFollowedByHelper(node))

function isFollowedByHelper(node: Element): boolean {
  const siblings = node.parentNode?.childNodes ?? []
  const next = siblings.slice(siblings.indexOf(node) + 1).find(isElement)
  return next !== undefined && isHelper(next)
}

const scriptsOf = (page: Document, isWanted: (node: Element) => boolean): Element[] =>
  [...descend(page)].filter(isElement).filter((node) => isWanted(node) && Boolean(node.sourceCodeLocation))

/**
 * The tags that load the serving state and then the helper, before everything in the head that loads or runs.
 * Leaves out tags that the page has. `null` if the page has no place for them.
 */
export function helperTags(text: string, page: Document, helper: PageReference): Splice[] | null {
  const [known] = scriptsOf(page, isHelper)
  const state = scriptsOf(page, isState).length > 0 ? [] : [scriptTag(helper.stateSrc)]
  if (known !== undefined) return state.length === 0 ? [] : tagsBefore(text, known, state)
  return tagsInHead(text, page, [...state, scriptTag(helper.scriptSrc)])
}

/** The offset of the helper's tags: of new ones, else of those in the page. */
export function tagsAt(text: string, page: Document, inserts: readonly Splice[]): number {
  const known = scriptsOf(page, (node) => isState(node) || isHelper(node))
  const places = [
    ...inserts.map(({ start }) => start),
    ...known.flatMap((one) => one.sourceCodeLocation?.startOffset ?? []),
  ]
  return places.length === 0 ? text.length : Math.max(...places)
}

function scriptTag(src: string, attribute = ''): string {
  return `<script${attribute} src="${src.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></script>`
}

/**
 * Right below the head's start tag, where few edits are: a tag beside a title that another pull request edits
 * would keep one of the two from being merged.
 */
function tagsInHead(text: string, page: Document, tags: readonly string[]): Splice[] | null {
  const elements = [...descend(page)].filter(isElement).filter((node) => node.sourceCodeLocation)
  const start = elements.find(({ tagName }) => tagName === 'head')?.sourceCodeLocation?.startTag?.endOffset
  if (start === undefined) {
    const first = elements.find((node) => node.parentNode?.nodeName === 'head' && LOADING.has(node.tagName))
    return first === undefined ? null : tagsBefore(text, first, tags)
  }
  if (!endsItsLine(text, start)) return insertTags(text, start, '', tags)
  const below = nextLine(text, start)
  return insertTags(text, below, /^[ \t]*/.exec(text.slice(below))?.[0] ?? '', tags)
}

function tagsBefore(text: string, element: Element, tags: readonly string[]): Splice[] | null {
  const start = element.sourceCodeLocation?.startOffset
  return start === undefined ? null : insertTags(text, start, indentAt(text, start), tags)
}

function insertTags(text: string, at: number, indent: string, tags: readonly string[]): Splice[] {
  if (!startsItsLine(text, at)) return [{ start: at, end: at, text: tags.join('') }]
  const start = lineStart(text, at)
  return [{ start, end: start, text: tags.map((tag) => `${indent}${tag}${lineEndOf(text)}`).join('') }]
}

/** Removes the tags if no element belongs to an experiment any more. */
export function withoutHelperTags(text: string, page: Document): string {
  for (const node of descend(page, true))
    if (isElement(node) && attributeOf(node, MARK) !== undefined) return text
  return withoutTags(text, [...scriptsOf(page, isState), ...scriptsOf(page, isHelper)])
}

function withoutTags(text: string, tags: readonly Element[]): string {
  return splice(
    text,
    tags.flatMap(({ sourceCodeLocation: place }): Splice[] => {
      if (!place) return []
      const whole = startsItsLine(text, place.startOffset) && endsItsLine(text, place.endOffset)
      const start = whole ? lineStart(text, place.startOffset) : place.startOffset
      return [{ start, end: whole ? nextLine(text, place.endOffset) : place.endOffset, text: '' }]
    }),
  )
}

/** Removes the tags from a tree, except those that the page had before. */
export function removeNewTags(written: Document, page: Document): void {
  for (const isWanted of [isState, isHelper]) {
    if (scriptsOf(page, isWanted).length > 0) continue
    const [node] = [...descend(written)].filter(isElement).filter(isWanted)
    const parent = node?.parentNode
    if (parent?.nodeName !== 'head') continue
    parent.childNodes = parent.childNodes.filter((child) => child !== node)
  }
}

/**
 * Adds the serving state's tag to the HTML template of a bundle, before everything in its head that loads or
 * runs. Null if the template has no place for it. A template with the tag stays as it is.
 *
 * @param isBuiltByVite marks the tag for Vite, which otherwise warns that it does not bundle the script
 */
export function withStateTag(text: string, src: string, isBuiltByVite: boolean): string | null {
  try {
    const page = parseHtml(text, true)
    if (scriptsOf(page, (node) => scriptOf(node) === src).length > 0) return text
    const tags = tagsInHead(text, page, [scriptTag(src, isBuiltByVite ? ' vite-ignore' : '')])
    return tags === null ? null : splice(text, tags)
  } catch (error) {
    if (error instanceof UnsupportedEditError) return null
    throw error
  }
}

/** Removes the serving state's tag from a template. */
export function withoutStateTag(text: string, src: string): string {
  try {
    return withoutTags(
      text,
      scriptsOf(parseHtml(text, true), (node) => scriptOf(node) === src),
    )
  } catch (error) {
    if (error instanceof UnsupportedEditError) return text
    throw error
  }
}
