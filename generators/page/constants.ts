import type { CodeBlock } from '../../variants/component/helper-block.js'
import {
  childOf,
  everyNode,
  listOf,
  programOf,
  type SourceNode,
  textOf,
} from '../../variants/script/syntax.js'
import { propDefaultsOf } from './prop-defaults.js'
import { collapsed, elementAt, type PageElement, type SourceRange, type Text } from './tree.js'

export interface Constant extends SourceRange {
  value: string
  quote: '"' | "'"
  /** the object of a list that it is a property of */
  holder?: PageElement
  /** the module makes it once, when it is loaded */
  isLoadedOnce?: boolean
}

/** A plain string literal with its place, `null` for other nodes. */
export function stringAt(node: SourceNode | undefined, text: string, offset: number): Constant | null {
  const value = node?.type === 'StringLiteral' ? textOf(node, 'value') : undefined
  if (node === undefined || value === undefined) return null
  const quote = text[offset + node.start]
  return quote === '"' || quote === "'" ? { value, quote, ...placeAt(node, offset) } : null
}

/** One object of a list by its property names. A plain string has the empty name. */
export type Item = ReadonlyMap<string, Constant>

/** Looks up what a name in the code holds. */
export interface Constants {
  get(name: string): Constant | undefined
  /** the items of a constant list: `const features = [{ title: '…' }]` */
  list(name: string): readonly Item[] | undefined
}

/** The constants of a piece of code. */
export interface Read {
  strings: ReadonlyMap<string, Constant>
  lists: ReadonlyMap<string, readonly Item[]>
}

/** Reads the code when the first name is looked up, because most files look up none. */
export function constantsWhenAsked(read: (() => Read) | null): Constants {
  let known: Read | null = null
  const all = (): Read | null => {
    if (read !== null) known ??= read()
    return known
  }
  return { get: (name) => all()?.strings.get(name), list: (name) => all()?.lists.get(name) }
}

/** The names inside of a loop over a list: `item` and what is destructured from it are one of its objects. */
export function within(constants: Constants, item: Item, named: ListNames): Constants {
  return {
    list: constants.list,
    get: (name) => {
      if (named.item !== null && (name === named.item || name.startsWith(`${named.item}.`)))
        return item.get(name.slice(named.item.length + 1))
      const property = named.properties.get(name)
      return property === undefined ? constants.get(name) : item.get(property)
    },
  }
}

/** What a loop calls one object of its list, or the properties that it destructures. */
export interface ListNames {
  item: string | null
  properties: ReadonlyMap<string, string>
}

/** Reads them from the first parameter of the callback. */
export function listNamesOf(parameter: SourceNode | undefined): ListNames {
  const properties = new Map<string, string>()
  for (const property of listOf(parameter, 'properties')) {
    const key = textOf(childOf(property, 'key'), 'name')
    const own = textOf(childOf(property, 'value'), 'name')
    if (key !== undefined && own !== undefined) properties.set(own, key)
  }
  return { item: textOf(parameter, 'name') ?? null, properties }
}

/** Longer lists show more of the same. */
const MAX_ITEMS = 12

/**
 * Strings with a name that never have another value: `const title = '…'`, `copy.title` of a constant object,
 * and the default of a property. A name that is declared twice is left out.
 * @param isModule whether code outside of functions runs once when the file is loaded, and not for each use
 */
export function constantsOf(program: SourceNode, text: string, offset: number, isModule: boolean): Read {
  const found = new Map<string, Constant>()
  const lists = new Map<string, readonly Item[]>()
  const declared = new Map<string, number>()
  const loaded = new Set(isModule ? madeOnLoading(program) : [])
  const add = (name: string, node: SourceNode, isLoadedOnce: boolean): void => {
    if (node.type === 'ObjectExpression') {
      for (const property of listOf(node, 'properties')) {
        const key = textOf(childOf(property, 'key'), 'name')
        const value = unwrapped(childOf(property, 'value'))
        if (key !== undefined && value !== undefined && property.computed !== true)
          add(`${name}.${key}`, value, isLoadedOnce)
      }
      return
    }
    const string = stringAt(node, text, offset)
    if (string !== null) found.set(name, { ...string, isLoadedOnce })
  }
  for (const { node, parent } of everyNode(program)) {
    if (node.type === 'VariableDeclarator') {
      const name = textOf(childOf(node, 'id'), 'name')
      const init = unwrapped(childOf(node, 'init'))
      if (name === undefined) continue
      declared.set(name, (declared.get(name) ?? 0) + 1)
      if (init === undefined || textOf(parent ?? undefined, 'kind') !== 'const') continue
      add(name, init, loaded.has(node))
      if (init.type === 'ArrayExpression') {
        const items = itemsOf(init, text, offset)
        if (items.length > 0) lists.set(name, items)
      }
    } else if (node.type === 'AssignmentPattern') {
      const name = textOf(childOf(node, 'left'), 'name')
      const right = childOf(node, 'right')
      if (name === undefined || right === undefined) continue
      declared.set(name, (declared.get(name) ?? 0) + 1)
      add(name, right, false)
    }
  }
  for (const [name, { isVariable, ...constant }] of defaultsOf(program, text, offset))
    if (isVariable === true || !declared.has(name)) found.set(name, constant)
  const isSeveral = (name: string): boolean => (declared.get(name.split('.')[0] ?? '') ?? 0) > 1
  for (const name of found.keys()) if (isSeveral(name)) found.delete(name)
  for (const name of lists.keys()) if (isSeveral(name)) lists.delete(name)
  return { strings: found, lists }
}

/** The same for one script of a component. */
export const constantsIn = ({ start, end, syntax }: CodeBlock, text: string, isModule: boolean): Read =>
  constantsOf(programOf(text.slice(start, end), syntax), text, start, isModule)

/** Joins two scripts of a component. A name that is in both is left out. */
export function together(one: Read, other: Read): Read {
  const joined = <T>(mine: ReadonlyMap<string, T>, theirs: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...mine, ...theirs].filter(([name]) => !(mine.has(name) && theirs.has(name))))
  return { strings: joined(one.strings, other.strings), lists: joined(one.lists, other.lists) }
}

/** Declarations outside of all functions. */
const madeOnLoading = (program: SourceNode): SourceNode[] =>
  listOf(program, 'body').flatMap((one) =>
    listOf(one.type === 'ExportNamedDeclaration' ? childOf(one, 'declaration') : one, 'declarations'),
  )

interface Default extends Constant {
  isVariable: boolean
}

/** Defaults of a component's properties, by the names that its markup uses. */
export function defaultsOf(program: SourceNode, text: string, offset: number): Map<string, Default> {
  const found = new Map<string, Default>()
  for (const { name, value, isVariable = false } of propDefaultsOf(program)) {
    const string = stringAt(value, text, offset)
    if (string !== null) found.set(name, { ...string, isVariable })
  }
  return found
}

/** The objects of a list literal with their string properties. Empty if code computes any of them. */
export function itemsOf(list: SourceNode, text: string, offset: number): Item[] {
  const elements = listOf(list, 'elements').map((one) => unwrapped(one) ?? one)
  if (elements.length === 0 || elements.length > MAX_ITEMS) return []
  const whole = elementAt('#data', placeAt(list, offset), null)
  const items = elements.flatMap((one): Item[] => {
    const fields = new Map<string, Constant>()
    const holder = elementAt('#data', placeAt(one, offset), whole)
    const add = (name: string, node: SourceNode | undefined): void => {
      const string = stringAt(node, text, offset)
      if (string !== null) fields.set(name, { ...string, holder })
    }
    if (one.type === 'StringLiteral') add('', one)
    if (one.type !== 'ObjectExpression' && one.type !== 'StringLiteral') return []
    for (const property of listOf(one, 'properties')) {
      const key = childOf(property, 'key')
      const name = textOf(key, 'name') ?? textOf(key, 'value')
      if (name !== undefined && property.computed !== true) add(name, childOf(property, 'value'))
    }
    return [fields]
  })
  return items.length === elements.length ? items : []
}

const placeAt = ({ start, end }: SourceRange, offset: number): SourceRange => ({
  start: offset + start,
  end: offset + end,
})

const unwrapped = (node: SourceNode | undefined): SourceNode | undefined =>
  node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression'
    ? childOf(node, 'expression')
    : node

/** `title` or `copy.hero.title`, if the expression is nothing more. */
export function nameOf(node: SourceNode): string | null {
  if (node.type === 'Identifier') return textOf(node, 'name') ?? null
  const inner = childOf(node, 'object')
  if (node.type !== 'MemberExpression' || node.computed === true || inner === undefined) return null
  const object = nameOf(inner)
  const property = textOf(childOf(node, 'property'), 'name')
  return object === null || property === undefined ? null : `${object}.${property}`
}

/**
 * A constant as the text at a place that shows it. A constant of the module stays as it is: a choice there
 * would be made before anything is shown and, on a server, once for all visitors. Another text replaces its
 * name at the place instead.
 * @param place the whole expression, with its braces
 * @param quote how a text is written at that place
 */
export function shownAt(
  { value, quote: own, start, end, holder, isLoadedOnce }: Constant,
  name: string,
  place: SourceRange,
  quote: Text['quote'],
): SourceRange & Pick<Text, 'value' | 'quote' | 'holder' | 'takenBy'> {
  return isLoadedOnce === true
    ? { value: collapsed(value), quote, takenBy: name, start: place.start, end: place.end }
    : { value, quote: own, start, end, ...(holder === undefined ? {} : { holder }) }
}
