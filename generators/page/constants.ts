import type { CodeBlock } from '../../variants/component/helper-block.js'
import {
  childOf,
  everyNode,
  listOf,
  programOf,
  type SourceNode,
  textOf,
} from '../../variants/script/syntax.js'

/** A plain string literal, `undefined` for other nodes. */
export const literalOf = (node: SourceNode | undefined): string | undefined =>
  node?.type === 'StringLiteral' ? textOf(node, 'value') : undefined

/** One object of a list by its property names. A plain string has the empty name. */
export type Item = ReadonlyMap<string, string>

/** Looks up what a name in the code holds. */
export interface Constants {
  get(name: string): string | undefined
  /** the items of a constant list: `const features = [{ title: '…' }]` */
  list(name: string): readonly Item[] | undefined
}

/** The constants of a piece of code. */
export interface Read {
  strings: ReadonlyMap<string, string>
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

/** The name that a loop gives an object of its list, or the properties that it destructures. */
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
 * and defaults in a pattern. A name that is declared twice is left out.
 */
export function constantsOf(program: SourceNode): Read {
  const strings = new Map<string, string>()
  const lists = new Map<string, readonly Item[]>()
  const declared = new Map<string, number>()
  const add = (name: string, node: SourceNode): void => {
    for (const [key, value] of propertiesOf(node)) add(`${name}.${key}`, value)
    const string = literalOf(node)
    if (string !== undefined) strings.set(name, string)
  }
  for (const { node, parent } of everyNode(program)) {
    const isDefault = node.type === 'AssignmentPattern'
    if (!isDefault && node.type !== 'VariableDeclarator') continue
    const name = textOf(childOf(node, isDefault ? 'left' : 'id'), 'name')
    const value = unwrapped(childOf(node, isDefault ? 'right' : 'init'))
    if (name === undefined) continue
    declared.set(name, (declared.get(name) ?? 0) + 1)
    if (value === undefined || (!isDefault && textOf(parent ?? undefined, 'kind') !== 'const')) continue
    add(name, value)
    const items = value.type === 'ArrayExpression' ? itemsOf(value) : []
    if (items.length > 0) lists.set(name, items)
  }
  const isSeveral = (name: string): boolean => (declared.get(name.split('.')[0] ?? '') ?? 0) > 1
  for (const map of [strings, lists]) for (const name of map.keys()) if (isSeveral(name)) map.delete(name)
  return { strings, lists }
}

/** The same for one script of a component. */
export const constantsIn = ({ start, end, syntax }: CodeBlock, text: string): Read =>
  constantsOf(programOf(text.slice(start, end), syntax))

/** Joins two scripts of a component. A name that is in both is left out. */
export function together(one: Read, other: Read): Read {
  const joined = <T>(mine: ReadonlyMap<string, T>, theirs: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...mine, ...theirs].filter(([name]) => !(mine.has(name) && theirs.has(name))))
  return { strings: joined(one.strings, other.strings), lists: joined(one.lists, other.lists) }
}

/** The objects of a list literal with their string properties. Empty if code computes any of them. */
export function itemsOf(list: SourceNode): Item[] {
  const elements = listOf(list, 'elements').map((one) => unwrapped(one) ?? one)
  if (elements.length === 0 || elements.length > MAX_ITEMS) return []
  if (elements.some(({ type }) => type !== 'StringLiteral' && type !== 'ObjectExpression')) return []
  return elements.map((one) => {
    const fields: [string, SourceNode][] = one.type === 'StringLiteral' ? [['', one]] : propertiesOf(one)
    return new Map(
      fields.flatMap(([name, node]) => {
        const string = literalOf(node)
        return string === undefined ? [] : [[name, string] as const]
      }),
    )
  })
}

/** The properties of an object literal with plain names. */
const propertiesOf = (node: SourceNode): [string, SourceNode][] =>
  node.type !== 'ObjectExpression'
    ? []
    : listOf(node, 'properties').flatMap((property): [string, SourceNode][] => {
        const key = childOf(property, 'key')
        const name = textOf(key, 'name') ?? textOf(key, 'value')
        const value = unwrapped(childOf(property, 'value'))
        return name === undefined || value === undefined || property.computed === true ? [] : [[name, value]]
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
