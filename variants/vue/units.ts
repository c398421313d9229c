import { isBooleanAttribute } from '../component/boolean-attributes.js'
import { type Alternative, showUnits, type Unit, UnsupportedEditError } from '../dialect.js'
import type { TextRange } from '../mask.js'
import { trimmed } from '../script/units.js'
import { core } from '../text.js'
import { KIND, type VueNode, type VueProperty } from './component.js'

export type VueUnit =
  | { kind: 'element'; inPre: boolean }
  | { kind: 'text'; inPre: boolean }
  | { kind: 'attribute'; name: string }
  /** the expression of a bound attribute, and its quote */
  | { kind: 'bound'; quote: string }

/** URLs that the build resolves only in static attributes. */
const ASSETS: Readonly<Record<string, readonly string[]>> = {
  video: ['src', 'poster'],
  source: ['src', 'srcset'],
  img: ['src', 'srcset'],
  image: ['xlink:href', 'href'],
  use: ['xlink:href', 'href'],
}
const COMPILED = new Set(['ref', 'key', 'slot', 'slot-scope', 'is', 'scope'])

/** The nodes from the template to the smallest one that contains the range. */
function templatePath(template: VueNode, { start, end }: TextRange): VueNode[] {
  const path: VueNode[] = []
  let node: VueNode | undefined = template
  while (node !== undefined) {
    path.push(node)
    node = node.children?.find(({ loc }) => loc.start.offset <= start && loc.end.offset >= end)
  }
  return path
}

/** Units around a range of the template, innermost first. */
export const unitsNear = (text: string, template: VueNode, range: TextRange): string[] =>
  showUnits(
    text,
    templatePath(template, range)
      .reverse()
      .filter(({ type }) => type === KIND.element)
      .flatMap(rangesIn),
  )

/** Whether an attribute differs from a bound one of the same text, or cannot stand beside the bound one. */
const isSpecial = ({ tag = '', props = [] }: VueNode, name: string): boolean =>
  name === 'style' ||
  (isBooleanAttribute(name) && /^[a-z][a-z0-9]*$/.test(tag)) ||
  props.some(
    ({ type, name: directive, arg }) =>
      type === KIND.directive && directive === 'bind' && isContent(arg) && arg.content === name,
  )

const isContent = (value: unknown): value is { content: unknown } =>
  typeof value === 'object' && value !== null && 'content' in value

export function unitOf(text: string, template: VueNode, alternative: Alternative): Unit<VueUnit> {
  const path = templatePath(template, alternative)
  refusePlaces(text, path, alternative)
  refuseWatched(text, path, alternative)
  const last = path.at(-1)
  const inPre = path.some(({ tag }) => tag === 'pre')
  if (last === undefined || last === template)
    throw new UnsupportedEditError(alternative.edit, 'it is not an element, text or value of the template')
  const { start, end } = { start: last.loc.start.offset, end: last.loc.end.offset }
  if (last.type === KIND.text) {
    const own = core(text, start, end)
    const inner = trimmed(text, alternative)
    if (own.start === inner.start && own.end === inner.end) {
      const parent = path.at(-2)
      if (parent?.tag === 'title') return elementUnit(parent, alternative, inPre)
      return { ...own, what: { kind: 'text', inPre }, alternatives: [inner] }
    }
    throw new UnsupportedEditError(
      alternative.edit,
      '`find` is a part of a text: take all of it up to the next tag or brace',
      [...showUnits(text, [own])],
    )
  }
  if (last.type === KIND.comment)
    throw new UnsupportedEditError(alternative.edit, '`find` is inside a comment, which is not shown')
  const whole = path.find(
    ({ type, loc }) =>
      type === KIND.element && loc.start.offset === alternative.start && loc.end.offset === alternative.end,
  )
  if (whole !== undefined) {
    refuseChain(text, path, whole, alternative)
    return elementUnit(whole, alternative, inPre)
  }
  for (const property of last.props ?? []) {
    const unit = propertyUnit(text, last, property, alternative, inPre)
    if (unit?.what.kind === 'element') refuseChain(text, path, last, alternative)
    if (unit !== null) return unit
  }
  throw new UnsupportedEditError(
    alternative.edit,
    `\`find\` is no whole element, text of an element (up to the next tag or brace) or value of an attribute${last.tag === undefined ? '' : `; it lies inside of <${last.tag}>`}`,
    showUnits(text, rangesIn(last)),
  )
}

const elementUnit = (node: VueNode, alternative: Alternative, inPre: boolean): Unit<VueUnit> => ({
  start: node.loc.start.offset,
  end: node.loc.end.offset,
  what: { kind: 'element', inPre },
  alternatives: [alternative],
})

function propertyUnit(
  text: string,
  element: VueNode,
  property: VueProperty,
  alternative: Alternative,
  inPre: boolean,
): Unit<VueUnit> | null {
  const { edit } = alternative
  const [start, end] = [property.loc.start.offset, property.loc.end.offset]
  if (alternative.start < start || alternative.end > end) return null
  const is = (from: number, to: number): boolean => alternative.start === from && alternative.end === to
  if (property.type === KIND.attribute) {
    if (property.value === undefined)
      throw new UnsupportedEditError(edit, `the attribute ${property.name} has no value`)
    const [from, to] = [property.value.loc.start.offset, property.value.loc.end.offset]
    // A bound attribute in its place, or another one: the element is chosen.
    if (is(start, end) && nameOf(alternative.replace) !== property.name)
      return elementUnit(element, alternative, inPre)
    const quoted = /["']/.test(text[from] ?? '')
    if (!is(start, end) && !is(from, to) && !(quoted && is(from + 1, to - 1)))
      throw new UnsupportedEditError(
        edit,
        '`find` is no whole value of an attribute',
        showUnits(text, [
          { start: quoted ? from + 1 : from, end: quoted ? to - 1 : to },
          { start, end },
        ]),
      )
    if (COMPILED.has(property.name))
      throw new UnsupportedEditError(edit, `${property.name} is read when the component is built`)
    const isAddress = ASSETS[element.tag ?? '']?.includes(property.name) === true
    const isResolved = (address: string): boolean => /^["']?([.~@#]|\/(?!\/))/.test(address)
    if (isAddress && (isResolved(property.value.content) || isResolved(alternative.replace)))
      return elementUnit(element, alternative, inPre)
    if (isSpecial(element, property.name)) return elementUnit(element, alternative, inPre)
    return { start, end, what: { kind: 'attribute', name: property.name }, alternatives: [alternative] }
  }
  const expression = property.exp?.loc
  const isWhole = is(start, end)
  if (isWhole && /^(if|show)$/.test(property.name)) return elementUnit(element, alternative, inPre)
  if (property.name !== 'bind' || expression === undefined || property.arg === undefined)
    throw new UnsupportedEditError(
      edit,
      'of what stands in directives only v-if, v-show and bound attributes as a whole, or the value of a bound attribute, can have alternatives',
      [...showUnits(text, rangesIn(element))],
    )
  const [from, to] = [expression.start.offset, expression.end.offset]
  const quote = text[from - 1] ?? ''
  const own = isWhole
    ? boundValueOf(alternative.replace, property, text)
    : is(from - 1, to + 1)
      ? quotedValueOf(alternative.replace)
      : alternative.replace
  // An attribute that is not bound in its place holds words: the element is chosen.
  if (isWhole && own === null) return elementUnit(element, alternative, inPre)
  if (own === null || !(isWhole || is(from, to) || is(from - 1, to + 1)))
    throw new UnsupportedEditError(
      edit,
      '`find` is no whole value of an attribute',
      showUnits(text, [{ start: from, end: to }]),
    )
  if (quote !== '"' && quote !== "'")
    throw new UnsupportedEditError(edit, 'the value of a bound attribute needs quotes')
  if (/^\s*[^\s'"`{[(]+(?:\s+[\p{L}\d]+)+\s*[.!?]?\s*$/u.test(own))
    throw new UnsupportedEditError(
      edit,
      `the value of a bound attribute is code: a text in it has quotes of its own, as ${quote}${quote === '"' ? `'${own.trim()}'` : `"${own.trim()}"`}${quote}`,
    )
  const inner = { ...alternative, start: from, end: to, replace: own }
  return { start: from, end: to, what: { kind: 'bound', quote }, alternatives: [inner] }
}

/** The name of an attribute as it is written, with its colon. */
const nameOf = (attribute: string): string | undefined => /^\s*([^\s=]+)\s*=/.exec(attribute)?.[1]

const quotedValueOf = (value: string): string | null => /^(["'])([\s\S]*)\1$/.exec(value.trim())?.[2] ?? null

/** The code of `:title="code"`, `null` if the text is not the same bound attribute. */
function boundValueOf(attribute: string, property: VueProperty, text: string): string | null {
  const name = nameOf(text.slice(property.loc.start.offset, property.loc.end.offset))
  const value = attribute.slice(attribute.indexOf('=') + 1)
  return name !== undefined && nameOf(attribute) === name ? quotedValueOf(value) : null
}

const isLink = ({ type, name }: VueProperty, form: RegExp): boolean =>
  type === KIND.directive && form.test(name)

/** A choice around one element of `v-if`, `v-else-if`, `v-else` would part it from the others. */
function refuseChain(text: string, path: readonly VueNode[], element: VueNode, { edit }: Alternative): void {
  const { props = [] } = element
  const siblings =
    path[path.indexOf(element) - 1]?.children?.filter(({ type }) => type === KIND.element) ?? []
  const next = siblings[siblings.indexOf(element) + 1]
  const isFirst =
    props.some((one) => isLink(one, /^if$/)) && next?.props?.some((one) => isLink(one, /^else/)) === true
  if (!isFirst && !props.some((one) => isLink(one, /^else/))) return
  throw new UnsupportedEditError(
    edit,
    'it is one of several elements of v-if and v-else, which have to stand beside each other: take what is inside of it, or the element around all of them',
    showUnits(text, (element.children ?? []).flatMap(rangesWithin)),
  )
}

/** Elements that look at their direct children: a `<template v-if>` there is not what stood there before. */
const WATCHES_CHILDREN = /transition|keep-?alive/i
/** Elements whose content is the source of a translation. */
const TRANSLATES = /^(i18n|i18n-t|i18nt|trans|translate)$/i

/** Refuses what changes for visitors of the control too, and names the element around it. */
function refuseWatched(text: string, path: readonly VueNode[], { edit, start, end }: Alternative): void {
  const at = path.findIndex(({ loc }) => loc.start.offset >= start && loc.end.offset <= end)
  const whole = path[at]
  const above = path.slice(0, at < 0 ? undefined : at).filter(({ type }) => type === KIND.element)
  const translated = above.find(
    ({ tag = '', props = [] }) => TRANSLATES.test(tag) || props.some(isTranslation),
  )
  if (translated !== undefined)
    throw new UnsupportedEditError(
      edit,
      'its source is the key of its translation: take the whole element',
      showUnits(text, [rangeOf(translated)]),
    )
  if (whole?.type !== KIND.element) return
  const outer = above.findLastIndex(({ tag }) => tag !== 'template')
  if (WATCHES_CHILDREN.test(above[outer]?.tag ?? '')) {
    let around = outer
    while (WATCHES_CHILDREN.test(above[around - 1]?.tag ?? '')) around -= 1
    const holder = above[around]
    throw new UnsupportedEditError(
      edit,
      `<${above[outer]?.tag}> watches its children, which a choice between them would change: take all of it, or what is inside of a child`,
      showUnits(text, [...(holder === undefined ? [] : [rangeOf(holder)]), ...rangesWithin(whole)]),
    )
  }
  const isRoot = above.length === 0
  if (isRoot && (whole.props ?? []).some(({ type, name }) => type === KIND.directive && name === 'if'))
    throw new UnsupportedEditError(
      edit,
      'it is the root of its component and has v-if: a choice around it would take the attributes away that it inherits',
      showUnits(text, (whole.children ?? []).flatMap(rangesWithin)),
    )
}

const isTranslation = ({ type, name }: VueProperty): boolean =>
  type === KIND.directive && (name === 't' || name === 'translate')

const rangeOf = ({ loc }: VueNode): TextRange => ({
  start: loc.start.offset,
  end: loc.end.offset,
})

/** The same for the elements inside of it, too. */
const rangesWithin = (element: VueNode): TextRange[] =>
  [element, ...(element.children ?? [])].flatMap((one) =>
    one === element ? rangesIn(one) : rangesWithin(one),
  )

function rangesIn(element: VueNode): { start: number; end: number }[] {
  const nodes = [
    ...(element.children ?? []).filter(({ type }) => type === KIND.text),
    ...(element.props ?? [])
      .filter(({ type }) => type === KIND.attribute)
      .flatMap(({ value }) => value ?? []),
    ...(element.type === KIND.element ? [element] : []),
  ]
  return nodes.map(({ loc }) => ({ start: loc.start.offset, end: loc.end.offset }))
}

/** Refuses places where code would be shown as text, and other experiments' places. */
function refusePlaces(text: string, path: readonly VueNode[], { edit }: Alternative): void {
  for (const node of path) {
    if (node.type !== KIND.element) continue
    const children = node.children?.[0]?.loc.start.offset ?? node.loc.end.offset
    const tag = text.slice(node.loc.start.offset, children)
    if (/\sv-pre(?=[\s=>/])/.test(tag))
      throw new UnsupportedEditError(edit, 'it is inside of v-pre, where nothing is worked out')
    if (node.tag === 'textarea' && path.at(-1) !== node)
      throw new UnsupportedEditError(edit, 'it is the text of a <textarea>: take the whole element')
  }
}
