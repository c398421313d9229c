import { HELPER_NAME } from '../helper-name.js'
import { endsItsLine, indentAt, lineEndOf, lineStart, nextLine, type Splice, startsItsLine } from '../text.js'
import { MARK } from './markup.js'
import { attributeOf, type Document, descend, type Element, isElement } from './tree.js'

const isHelper = (node: Element): boolean =>
  node.tagName === 'script' && HELPER_NAME.test(attributeOf(node, 'src')?.replace(/[?#].*/s, '') ?? '')

/**
 * The tag that loads the helper, in front of everything in the head that styles or runs: it waits for nothing and is there before the page's
 * body. Nothing where the page has it, `null` where the page has no place for it.
 */
export function addScriptTag(text: string, page: Document, src: string): Splice[] | null {
  let first: Element | null = null
  let end: number | null = null
  for (const node of descend(page)) {
    if (!isElement(node) || node.sourceCodeLocation === null || node.sourceCodeLocation === undefined)
      continue
    if (isHelper(node)) return []
    const inHead = node.parentNode?.nodeName === 'head'
    if (first === null && inHead && ['link', 'style', 'script'].includes(node.tagName)) first = node
    if (node.tagName === 'head') end = node.sourceCodeLocation.endTag?.startOffset ?? null
  }
  const tag = `<script src="${src.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></script>`
  const at = (first === null ? null : leadOf(text, first)) ?? end
  if (at === null) return null
  if (!startsItsLine(text, at)) return [{ start: at, end: at, text: tag }]
  const start = lineStart(text, at)
  // The end tag of the head stands further left than what is in it.
  const indent = first === null ? indentAt(text, Math.max(0, start - 1)) : indentAt(text, at)
  return [{ start, end: start, text: `${indent}${tag}${lineEndOf(text)}` }]
}

/** Where an element begins, or the comments that stand on the lines right above it and speak of it. */
function leadOf(text: string, element: Element): number | null {
  let lead = element.sourceCodeLocation?.startOffset ?? null
  const siblings = element.parentNode?.childNodes ?? []
  for (let index = siblings.indexOf(element) - 1; index >= 0 && lead !== null; index--) {
    const node = siblings[index]
    const place = node?.sourceCodeLocation
    if (node?.nodeName === '#text' && /^[ \t]*\r?\n[ \t]*$/.test('value' in node ? node.value : '')) continue
    if (node?.nodeName !== '#comment' || !place || !startsItsLine(text, place.startOffset)) break
    lead = place.startOffset
  }
  return lead
}

/** The text without the tag, where no element carries an experiment any more. */
export function withoutScriptTag(text: string, page: Document): string {
  let tag: Element | null = null
  for (const node of descend(page, true)) {
    if (!isElement(node)) continue
    if (attributeOf(node, MARK) !== undefined) return text
    if (isHelper(node)) tag = node
  }
  const place = tag?.sourceCodeLocation
  if (place === null || place === undefined) return text
  const whole = startsItsLine(text, place.startOffset) && endsItsLine(text, place.endOffset)
  const start = whole ? lineStart(text, place.startOffset) : place.startOffset
  const end = whole ? nextLine(text, place.endOffset) : place.endOffset
  return text.slice(0, start) + text.slice(end)
}

/** Takes the tag out of the head of a tree. */
export function removeHelper(page: Document): void {
  for (const node of descend(page)) {
    const parent = node.parentNode
    if (!isElement(node) || !isHelper(node) || parent?.nodeName !== 'head') continue
    parent.childNodes = parent.childNodes.filter((child) => child !== node)
    return
  }
}
