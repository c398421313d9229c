import { KIND, type VueNode, type VueProperty, vueComponentOf } from '../../variants/vue/component.js'
import { setOf } from '../lexicon/words.js'
import {
  type Constants,
  constantsIn,
  constantsWhenAsked,
  type Item,
  type ListNames,
  together,
  within,
} from './constants.js'
import {
  type Attribute,
  addEither,
  addSaid,
  addShown,
  addText,
  elementAt,
  type KeyedTexts,
  type PageElement,
  type PageTree,
} from './tree.js'

const UNREAD = setOf('script style svg code pre textarea i18n-t title')

/** Elements that a component's template shows, `null` if it has none that can be read. */
export function vuePage(path: string, text: string, words: KeyedTexts): PageTree | null {
  const { template, setup, blocks } = vueComponentOf(text)
  if (template === null) return null
  const options = blocks.find((one) => one !== setup)
  // The template sees no names of a script without setup.
  const constants = constantsWhenAsked(
    setup === null
      ? null
      : () => {
          const own = constantsIn(setup, text)
          return options === undefined ? own : together(constantsIn(options, text), own)
        },
  )
  const root = elementAt('', { start: 0, end: text.length }, null)
  walk(template, root, { text, constants, words })
  return { path, text, dialect: 'vue', root, lang: null }
}

interface Source {
  text: string
  constants: Constants
  words: KeyedTexts
}

function walk(node: VueNode, parent: PageElement, source: Source): void {
  const { text, constants } = source
  for (const child of node.children ?? []) {
    const place = { start: child.loc.start.offset, end: child.loc.end.offset }
    if (child.type === KIND.text) {
      // Entities stay as they are written: a text with one is not changed.
      addText(parent, text.slice(place.start, place.end), text, place)
    } else if (child.type === KIND.interpolation) {
      const said = text.slice(place.start + 2, place.end - 2).trim()
      const shown = keyedIn(said, source) ?? constants.get(said)
      if (shown !== undefined || !addEither(parent, text, place)) addSaid(parent, shown, place)
    } else if (child.type === KIND.element) {
      const repeated = repeatedBy(child, constants)
      if (repeated !== null) {
        const code = elementAt('#code', place, parent)
        parent.children.push(code)
        const { items, names } = repeated
        const once = { ...child, props: child.props?.filter(({ name }) => name !== 'for') ?? [] }
        for (const item of items)
          walk({ ...node, children: [once] }, code, {
            ...source,
            constants: { ...constants, ...within(constants, item, names) },
          })
        continue
      }
      const conditional = child.props?.some(
        ({ name, type }) => type === KIND.directive && /^(if|else|else-if|for)$/.test(name),
      )
      let holder = parent
      if (conditional === true) {
        holder = elementAt('#code', place, parent)
        parent.children.push(holder)
      }
      const element = elementAt(child.tag === 'template' ? '' : (child.tag ?? ''), place, holder)
      for (const property of child.props ?? []) element.attributes.push(attributeOf(property, source))
      const isFilled = ({ type, name }: VueProperty) =>
        type !== KIND.attribute && (name === 'text' || name === 'html')
      if (child.props?.some(isFilled) === true) element.hasCode = true
      holder.children.push(element)
      addShown(element)
      if (!UNREAD.has(element.tag)) walk(child, element, source)
    }
  }
}

/** An attribute or a directive of an element. */
function attributeOf(property: VueProperty, source: Source): Attribute {
  const { text } = source
  const at = { start: property.loc.start.offset, end: property.loc.end.offset }
  if (property.type === KIND.attribute) {
    const own = property.value?.loc
    const quotes = own !== undefined && /["']/.test(text[own.start.offset] ?? '') ? 1 : 0
    return {
      ...at,
      name: property.name.toLowerCase(),
      value: property.value?.content ?? '',
      own: own === undefined ? null : { start: own.start.offset + quotes, end: own.end.offset - quotes },
    }
  }
  const code = text.slice(at.start, at.end)
  const name = /^(?::|v-bind:)([\w-]+)/.exec(code)?.[1]
  const said = property.name === 'bind' ? property.exp?.loc.source?.trim() : undefined
  const bound = said === undefined ? undefined : (source.constants.get(said) ?? keyedIn(said, source))
  return {
    ...at,
    name: (bound === undefined ? name : name?.toLowerCase()) ?? code,
    value: bound ?? null,
    own: null,
  }
}

/** `v-for="feature in features"` of a known list. */
function repeatedBy(
  node: VueNode,
  constants: Constants,
): { items: readonly Item[]; names: ListNames } | null {
  const loop = node.props?.find(({ name, type }) => type === KIND.directive && name === 'for')
  const said = /^\(?\s*([\w$]+)\s*(?:,\s*[\w$]+\s*)?\)?\s+(?:in|of)\s+([\w$.]+)$/.exec(
    loop?.exp?.loc.source?.trim() ?? '',
  )
  const items = said === null ? undefined : constants.list(said[2] ?? '')
  return items === undefined ? null : { items, names: { item: said?.[1] ?? null, properties: new Map() } }
}

/** The text of `$t('key')`, `undefined` for other code or an unknown key. */
function keyedIn(code: string, { words }: Source): string | undefined {
  const [, , key] = /^(?:\$?t|i18n\.t)\(\s*(['"])([\w.-]+)\1\s*\)$/.exec(code) ?? []
  if (key === undefined) return undefined
  words.asked = true
  return words.of(key)
}
