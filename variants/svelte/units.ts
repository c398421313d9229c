import { isBooleanAttribute } from '../component/boolean-attributes.js'
import { type Alternative, showUnits, type Unit, UnsupportedEditError } from '../dialect.js'
import type { TextRange } from '../mask.js'
import { listOf, type SourceNode, textOf } from '../script/syntax.js'
import { trimmed } from '../script/units.js'
import { core } from '../text.js'
import { below } from './component.js'

export type SvelteUnit =
  | { kind: 'element' }
  | { kind: 'text'; inPre: boolean }
  /** `isClass`: the compiler condenses its white space */
  | { kind: 'attribute'; name: string; isClass: boolean }

const ELEMENTS = new Set([
  'RegularElement',
  'Component',
  'SvelteElement',
  'SvelteComponent',
  'SvelteSelf',
  'SlotElement',
])

/** The nodes from the fragment to the smallest one that contains the range. */
export function markupPath(fragment: SourceNode, start: number, end: number): SourceNode[] {
  const path: SourceNode[] = []
  let node: SourceNode | undefined = fragment
  while (node !== undefined) {
    path.push(node)
    node = below(node).find((child) => child.start <= start && child.end >= end)
  }
  return path
}

const everyText = (node: SourceNode): SourceNode[] =>
  below(node).flatMap((child) => (child.type === 'Text' ? [child] : everyText(child)))

/** Units around a range of the markup, innermost first. */
export const unitsNear = (text: string, fragment: SourceNode, { start, end }: TextRange): string[] =>
  showUnits(
    text,
    markupPath(fragment, start, end)
      .reverse()
      .flatMap((node, index) => [
        ...(index === 0 ? everyText(node) : below(node)).filter(({ type }) => type === 'Text'),
        ...listOf(node, 'attributes').filter(({ type }) => type === 'Attribute'),
        ...(ELEMENTS.has(node.type) ? [node] : []),
      ]),
  )

/**
 * `isOneValue`: whether an attribute has one value. For a mixture of text and expressions the unit is the
 * whole element.
 */
export function unitOf(
  text: string,
  fragment: SourceNode,
  alternative: Alternative,
  isOneValue: (attribute: string) => boolean,
): Unit<SvelteUnit> {
  const { edit } = alternative
  const path = markupPath(fragment, alternative.start, alternative.end)
  const last = path.at(-1)
  if (last === undefined || last === fragment)
    throw new UnsupportedEditError(edit, 'it is not an element, text or value of the markup')
  const holder = path.findLast(({ type }) => type !== 'Text' && type !== 'Comment')
  const name = textOf(holder, 'name') ?? ''
  if (last.type === 'Comment')
    throw new UnsupportedEditError(edit, '`find` is inside a comment, which is not shown')
  if (last.type === 'Text') {
    const own = core(text, last.start, last.end)
    const inner = trimmed(text, alternative)
    if (own.start !== inner.start || own.end !== inner.end)
      throw new UnsupportedEditError(
        edit,
        '`find` is a part of a text: take all of it up to the next tag or brace',
        [...showUnits(text, [own])],
      )
    if (['textarea', 'script', 'style'].includes(name))
      throw new UnsupportedEditError(edit, `it is the text of a <${name}>: take the whole element`)
    const inPre = path.some((node) => textOf(node, 'name') === 'pre')
    return { ...own, what: { kind: 'text', inPre }, alternatives: [inner] }
  }
  const whole = path.slice(1).find(({ start, end }) => start === alternative.start && end === alternative.end)
  const title = whole?.type === 'TitleElement' ? titleText(whole, alternative) : undefined
  if (title !== undefined) return unitOf(text, fragment, title, isOneValue)
  if (whole !== undefined) return elementUnit(whole, alternative)
  for (const attribute of listOf(last, 'attributes')) {
    if (alternative.start < attribute.start || alternative.end > attribute.end) continue
    return attributeUnit(text, last, attribute, alternative, isOneValue)
  }
  throw new UnsupportedEditError(
    edit,
    `\`find\` is no whole element, text of an element (up to the next tag or brace) or value of an attribute${name === '' ? '' : `; it lies inside of <${name}>`}`,
    holder === undefined
      ? []
      : showUnits(text, [...below(holder).filter(({ type }) => type === 'Text'), holder]),
  )
}

/** Whether an attribute differs from a bound one: a bound `value` is not what a form resets to. */
const isSpecial = (name: string): boolean => name === 'value' || isBooleanAttribute(name)

/** A `<title>` cannot be in a block: the alternative of its text, if the text is all that differs. */
function titleText(title: SourceNode, alternative: Alternative): Alternative | undefined {
  const [only, ...more] = below(title)
  const inner = /^<title>([^<{]+)<\/title>$/.exec(alternative.replace)?.[1]
  return only?.type === 'Text' && more.length === 0 && inner !== undefined
    ? { ...alternative, start: only.start, end: only.end, replace: inner }
    : undefined
}

function elementUnit(node: SourceNode, alternative: Alternative): Unit<SvelteUnit> {
  if (!ELEMENTS.has(node.type))
    throw new UnsupportedEditError(
      alternative.edit,
      node.type === 'TitleElement'
        ? 'a <title> cannot be chosen: take its text'
        : 'it is not an element that can be chosen',
    )
  if (listOf(node, 'attributes').some(({ type }) => type === 'AnimateDirective'))
    throw new UnsupportedEditError(
      alternative.edit,
      'an element with animate: is the only child of its {#each}: take what is inside of it',
    )
  const moving = localTransition(node)
  if (moving !== undefined)
    throw new UnsupportedEditError(
      alternative.edit,
      `<${moving}> comes and goes with its block: a choice around it would end its transition. Take what is inside of it, or an element outside of the block`,
    )
  return { start: node.start, end: node.end, what: { kind: 'element' }, alternatives: [alternative] }
}

/** The name of an element whose transition belongs to a block outside of the node. */
function localTransition(node: SourceNode): string | undefined {
  if (node.type.endsWith('Block')) return undefined
  const isLocal = listOf(node, 'attributes').some(
    ({ type, modifiers }) =>
      type === 'TransitionDirective' && !(Array.isArray(modifiers) && modifiers.includes('global')),
  )
  if (isLocal) return textOf(node, 'name')
  for (const child of below(node)) {
    const found = localTransition(child)
    if (found !== undefined) return found
  }
  return undefined
}

function attributeUnit(
  text: string,
  element: SourceNode,
  attribute: SourceNode,
  alternative: Alternative,
  isOneValue: (attribute: string) => boolean,
): Unit<SvelteUnit> {
  const { edit, start, end } = alternative
  const name = textOf(attribute, 'name') ?? ''
  const equals = text.indexOf('=', attribute.start)
  if (attribute.type !== 'Attribute')
    throw new UnsupportedEditError(
      edit,
      'of what stands in directives nothing can have alternatives; the whole element would do',
    )
  if (equals < 0 || equals >= attribute.end || text[attribute.start] === '{')
    throw new UnsupportedEditError(edit, `the attribute ${name} has no value`)
  if (name === 'slot' || name === 'this')
    throw new UnsupportedEditError(edit, `${name} is read when the component is built`)
  const value = core(text, equals + 1, attribute.end)
  const quoted = /["']/.test(text[value.start] ?? '')
  const ranges = [
    ...(quoted ? [{ start: value.start + 1, end: value.end - 1 }] : []),
    ...(text[value.start] === '{' ? [core(text, value.start + 1, value.end - 1)] : []),
    value,
    { start: attribute.start, end: attribute.end },
  ]
  if (!ranges.some((range) => range.start === start && range.end === end))
    throw new UnsupportedEditError(edit, '`find` is no whole value of an attribute', showUnits(text, ranges))
  const own = text.slice(attribute.start, attribute.end)
  const replaced = text.slice(attribute.start, start) + alternative.replace + text.slice(end, attribute.end)
  const isHtml = element.type === 'RegularElement'
  if (!isOneValue(own) || !isOneValue(replaced) || (isHtml && isSpecial(name)))
    return elementUnit(element, alternative)
  return {
    start: attribute.start,
    end: attribute.end,
    what: { kind: 'attribute', name, isClass: isHtml && name === 'class' },
    alternatives: [alternative],
  }
}
