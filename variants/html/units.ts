import { type Alternative, showUnits, type Unit, UnsupportedEditError } from '../dialect.js'
import type { TextRange } from '../mask.js'
import { core } from '../text.js'
import { MARK } from './markup.js'
import {
  ancestors,
  type ChildNode,
  type Document,
  descend,
  type Element,
  isElement,
  isTemplate,
  isText,
} from './tree.js'

/** A piece of a page that can be written for each variant: an element, or some of its attributes. */
export type PageUnit = { kind: 'element'; element: Element } | { kind: 'attributes'; element: Element }

/** Elements that a template cannot hold, or that take effect before the helper can decide. */
const NOT_ELEMENTS = new Set([
  'html',
  'head',
  'body',
  'frameset',
  'frame',
  'base',
  'link',
  'script',
  'style',
  'noscript',
  'template',
])
/** These start loading with the control's value, so the whole element gets alternatives. */
const LOADING = new Set(['iframe', 'embed', 'object', 'video', 'audio', 'source', 'track'])
const VOID = new Set('area br col embed hr img input param source track wbr meta'.split(' '))
const SVG = 'http://www.w3.org/2000/svg'
const MATH = 'http://www.w3.org/1998/Math/MathML'

/** The unit of an alternative's range. */
export function unitOf(
  text: string,
  page: Document,
  alternative: Alternative,
  experiment: string,
): Unit<PageUnit> {
  const { start, end, edit } = alternative
  const range = core(text, start, end)
  let holder: Element | null = null
  for (const node of descend(page, true)) {
    const place = node.sourceCodeLocation
    if (
      place === null ||
      place === undefined ||
      place.startOffset > range.start ||
      place.endOffset < range.end
    )
      continue
    if (isText(node) && node.parentNode !== null && isElement(node.parentNode)) {
      const own = core(text, place.startOffset, place.endOffset)
      if (
        own.start === range.start &&
        own.end === range.end &&
        place.startOffset <= start &&
        end <= place.endOffset
      )
        return elementUnit(node.parentNode, alternative, experiment, 'text')
    }
    if (node.nodeName === '#comment')
      throw new UnsupportedEditError(edit, '`find` is inside a comment, which is not shown')
    if (!isElement(node)) continue
    holder = node
    if (place.startOffset === start && place.endOffset === end)
      return elementUnit(node, alternative, experiment, 'element')
    const name = attributeAt(text, node, start, end)
    if (name !== null) return attributeUnit(text, node, name, alternative, experiment)
  }
  throw new UnsupportedEditError(
    edit,
    `\`find\` is no whole element, text of an element or value of an attribute${inside(holder)}`,
    [...(holder === null ? [] : showUnits(text, rangesIn(text, holder)))],
  )
}

/** Units around a range, innermost first. */
export function unitsNear(text: string, page: Document, range: TextRange): string[] {
  const around = [...descend(page)].filter(isElement).filter(({ sourceCodeLocation: place }) => {
    return place && place.startOffset <= range.start && range.end <= place.endOffset
  })
  return showUnits(
    text,
    around.reverse().flatMap((element) => rangesIn(text, element)),
  )
}

const inside = (holder: Element | null): string =>
  holder === null ? '' : `; it lies inside of <${holder.tagName}>`

function elementUnit(
  element: Element,
  alternative: Alternative,
  experiment: string,
  found: 'text' | 'element' | 'attribute',
): Unit<PageUnit> {
  const { edit } = alternative
  const place = element.sourceCodeLocation
  const refuse = (why: string): never => {
    throw new UnsupportedEditError(
      edit,
      found === 'element'
        ? `<${element.tagName}> ${why}`
        : `the ${found} needs its element <${element.tagName}> to be written for each variant, which ${why}`,
    )
  }
  if (NOT_ELEMENTS.has(element.tagName)) refuse('cannot have alternatives')
  if (element.namespaceURI === SVG || element.namespaceURI === MATH) {
    const outermost = element.tagName === 'svg' || element.tagName === 'math'
    const parent = element.parentNode
    if (
      !outermost ||
      (parent !== null &&
        isElement(parent) &&
        parent.namespaceURI !== element.namespaceURI &&
        foreign(parent))
    )
      refuse(`is inside of a picture; the whole <svg> or an attribute's value would do`)
    if (parent !== null && isElement(parent) && foreign(parent)) refuse('is inside of another picture')
  }
  if (place === null || place === undefined || place.startTag === undefined)
    return refuse('does not stand in the page as it is')
  if (place.endTag === undefined && !VOID.has(element.tagName) && !foreign(element)) refuse('has no end tag')
  refuseHeld(element, alternative, experiment)
  return {
    start: place.startOffset,
    end: place.endOffset,
    what: { kind: 'element', element },
    alternatives: [alternative],
  }
}

const foreign = (element: Element): boolean => element.namespaceURI === SVG || element.namespaceURI === MATH

function attributeUnit(
  text: string,
  element: Element,
  name: string,
  alternative: Alternative,
  experiment: string,
): Unit<PageUnit> {
  const place = element.sourceCodeLocation?.attrs?.[name]
  const tag = element.sourceCodeLocation?.startTag
  if (place === undefined || tag === undefined)
    throw new UnsupportedEditError(alternative.edit, 'the attribute does not stand in the page as it is')
  if (LOADING.has(element.tagName) && !foreign(element))
    return elementUnit(element, alternative, experiment, 'attribute')
  if (
    ['script', 'link', 'base', 'style'].includes(element.tagName) ||
    (element.tagName === 'meta' && name !== 'content')
  )
    throw new UnsupportedEditError(
      alternative.edit,
      `<${element.tagName} ${name}> has done its work before a variant is chosen`,
    )
  if (element.tagName === 'meta' && element.attrs.some((one) => one.name === 'http-equiv'))
    throw new UnsupportedEditError(
      alternative.edit,
      '<meta http-equiv> has done its work before a variant is chosen',
    )
  if (name === MARK || name.startsWith(`${MARK}.`))
    throw new UnsupportedEditError(alternative.edit, 'the attribute is part of an experiment')
  // A value that contains its own delimiter would end too early.
  if (!/=/.test(text.slice(place.startOffset, place.endOffset)))
    throw new UnsupportedEditError(alternative.edit, `the attribute ${name} has no value`)
  refuseHeld(element, alternative, experiment)
  return {
    start: place.startOffset,
    end: place.endOffset,
    what: { kind: 'attributes', element },
    alternatives: [alternative],
  }
}

/**
 * Refuses elements of other experiments, which are never edited or copied, and content of the page's own
 * templates, which the helper does not see.
 */
function refuseHeld(element: Element, { edit }: Alternative, experiment: string): void {
  for (const one of [element, ...ancestors(element)]) {
    const mark = markOn(one)
    if (mark !== null)
      throw new UnsupportedEditError(
        edit,
        mark === experiment
          ? 'the experiment is in this file already'
          : `it is part of the experiment ${mark}: wait until that has been cleaned up, or choose another place`,
      )
    if (isTemplate(one))
      throw new UnsupportedEditError(
        edit,
        'it is inside of a <template>, whose content is not part of the page',
      )
  }
  let root: ChildNode = element
  for (let parent = root.parentNode; parent !== null && 'parentNode' in parent; parent = parent.parentNode)
    root = parent
  if (root.parentNode?.nodeName !== '#document')
    throw new UnsupportedEditError(
      edit,
      'it is inside of a <template>, whose content is not part of the page',
    )
  for (const node of descend(element, true)) {
    if (isElement(node) && markOn(node) !== null)
      throw new UnsupportedEditError(
        edit,
        `it holds a part of the experiment ${markOn(node)}, which would be written more than once`,
      )
  }
}

/** The experiment of an element. */
export const markOn = (element: Element): string | null =>
  element.attrs.find((attribute) => attribute.name === MARK)?.value.split(':', 1)[0] ?? null

/** The attribute of a range: its value with or without quotes, or all of it. */
function attributeAt(text: string, element: Element, start: number, end: number): string | null {
  for (const [name, place] of Object.entries(element.sourceCodeLocation?.attrs ?? {})) {
    if (start < place.startOffset || end > place.endOffset) continue
    const value = valueRange(text, place.startOffset, place.endOffset)
    if (value === null) continue
    const quoted = value.quote === '' ? value : { start: value.start - 1, end: value.end + 1 }
    for (const range of [value, quoted, { start: place.startOffset, end: place.endOffset }])
      if (range.start === start && range.end === end) return name
  }
  return null
}

/** The range of an attribute's value without its quotes. */
export function valueRange(
  text: string,
  start: number,
  end: number,
): { start: number; end: number; quote: string } | null {
  const equals = text.indexOf('=', start)
  if (equals < 0 || equals >= end) return null
  const range = core(text, equals + 1, end)
  const quote = text[range.start]
  if (quote !== '"' && quote !== "'") return { ...range, quote: '' }
  return { start: range.start + 1, end: range.end - 1, quote }
}

function rangesIn(text: string, element: Element): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = []
  const add = (start: number | undefined, end: number | undefined): void => {
    if (start !== undefined && end !== undefined) ranges.push({ start, end })
  }
  const place = element.sourceCodeLocation
  for (const child of element.childNodes)
    if (isText(child)) add(child.sourceCodeLocation?.startOffset, child.sourceCodeLocation?.endOffset)
  for (const attribute of Object.values(place?.attrs ?? {})) {
    const value = valueRange(text, attribute.startOffset, attribute.endOffset)
    if (value !== null) add(value.start, value.end)
  }
  add(place?.startOffset, place?.endOffset)
  return NOT_ELEMENTS.has(element.tagName) ? [] : ranges
}
