import { UnsupportedEditError } from '../dialect.js'
import type { TextRange } from '../mask.js'
import { contextOf } from './context.js'
import { refuseStaticCode } from './static-code.js'
import {
  childOf,
  childrenOf,
  everyNode,
  listOf,
  type PathStep,
  pathTo,
  type SourceNode,
  textOf,
} from './syntax.js'

/**
 * The place at which a value is chosen when it is shown. A module is loaded once: on a server, a choice at
 * that time would be the same for all visitors, and in a browser it would count visitors who never see the
 * value.
 */
export type LateChoice =
  /** in its place, which runs whenever the value is shown */
  | { kind: 'here' }
  /** `title: '…'` becomes `get title() { return … }` */
  | { kind: 'getter'; property: SourceNode; value: SourceNode }
  /** the default of a component's property becomes a function */
  | { kind: 'factory'; value: SourceNode }
  /** the constant keeps the control's value, and each use chooses */
  | { kind: 'uses'; name: string; value: SourceNode; uses: readonly Use[] }
  /** only when the module is loaded; `uses` are expressions that show the constant */
  | { kind: 'early'; uses: readonly TextRange[] }

interface Use extends TextRange {
  readonly what: { readonly kind: 'expression' | 'operand' }
}

interface Place {
  /** the path of the file in the repository */
  readonly file: string
  readonly isModule: boolean
  /** the other parts of a component, which may use names of the code */
  readonly elsewhere: string
}

/** More uses of a constant would make the code hard to read. */
const MAX_USES = 4
/** A longer value is not repeated for an alternative. */
const MAX_REPEATED = 300

export function lateChoiceOf(source: string, program: SourceNode, unit: TextRange, place: Place): LateChoice {
  const path = pathTo(program, unit.start, unit.end)
  const factory = defaultIn(path, unit)
  if (factory !== undefined) return { kind: 'factory', value: factory }
  if (!place.isModule) return { kind: 'here' }
  if (runsLate(path, unit))
    return isCalledOnLoading(program, path) ? { kind: 'early', uses: [] } : { kind: 'here' }
  const holder = holderIn(path)
  if (holder === undefined) return { kind: 'here' }
  const name = holder.declarator === undefined ? undefined : textOf(childOf(holder.declarator, 'id'), 'name')
  const references = name === undefined ? [] : referencesTo(program, name)
  if (references !== null && !(place.file.endsWith('.vue') && holder.declarator === undefined)) {
    const getter = getterIn(path, holder.at, unit)
    if (getter !== undefined && isReadLate(program, references, getter.property)) return getter
    if (holder.declarator !== undefined && name !== undefined && !holder.isShared) {
      const value = childOf(holder.declarator, 'init')
      const uses = usesOf(source, references, value, place)
      if (value !== undefined && uses !== undefined) return { kind: 'uses', name, value, uses }
    }
  }
  if (holder.isEffect) return { kind: 'here' }
  return { kind: 'early', uses: (references ?? []).map(({ node }) => node) }
}

const FUNCTION = /Function|(Object|Class|ClassPrivate)Method/
const FIELD = /^Class(Private|Accessor)?Property$/

/** Whether the code runs in a function that waits for its call, or when an object is made. */
const runsLate = (path: readonly PathStep[], { start, end }: TextRange): boolean =>
  path.some(
    ({ node }, index) =>
      ((FUNCTION.test(node.type) && !runsAtOnce(path, index)) ||
        (FIELD.test(node.type) && node.static !== true)) &&
      (node.start < start || node.end > end),
  )

const AT_ONCE = /^(map|flatMap|filter|reduce|forEach|from|fromEntries|some|every|find|sort)$/

/** Whether a function is called where it stands: `(() => …)()`, or `list.map((one) => …)`. */
function runsAtOnce(path: readonly PathStep[], index: number): boolean {
  const around = path.slice(0, index).findLast(({ node }) => node.type !== 'ParenthesizedExpression')?.node
  if (around?.type !== 'CallExpression') return false
  const callee = childOf(around, 'callee')
  const { start } = path[index]?.node ?? around
  if (callee !== undefined && callee.start <= start && start < callee.end) return true
  return AT_ONCE.test(textOf(childOf(callee, 'property'), 'name') ?? '')
}

/** Whether the module calls the function around the code when it is loaded: `const list = make()`. */
function isCalledOnLoading(program: SourceNode, path: readonly PathStep[]): boolean {
  const at = path.findIndex(({ node }) => FUNCTION.test(node.type))
  const made = [path[at]?.node, path[at - 1]?.node].map((node) => textOf(childOf(node, 'id'), 'name'))
  const name = made.find((one) => one !== undefined)
  if (at < 0 || at > 4 || name === undefined) return false
  return (referencesTo(program, name) ?? []).some(
    (one) =>
      one.path[1]?.node.type !== 'ExpressionStatement' &&
      one.path.at(-2)?.node.type === 'CallExpression' &&
      one.path.at(-1)?.field === 'callee' &&
      !runsLate(one.path, one.node),
  )
}

interface Holder {
  /** the step that holds the value */
  at: number
  declarator?: SourceNode
  /** whether other files may read it, or code may set it, so that not all its uses are known */
  isShared: boolean
  /** an assignment that shows something at once, as `document.title = '…'` does */
  isEffect: boolean
}

/** The constant or object that keeps the value. Undefined if a statement uses it at once. */
function holderIn(path: readonly PathStep[]): Holder | undefined {
  const isExported = path[1]?.node.type === 'ExportNamedDeclaration'
  const first = isExported ? 2 : 1
  const [statement, next] = [path[first]?.node, path[first + 1]?.node]
  if (statement?.type === 'VariableDeclaration' && next?.type === 'VariableDeclarator')
    return {
      at: first + 1,
      declarator: next,
      isShared: isExported || statement.kind !== 'const',
      isEffect: false,
    }
  if (statement?.type === 'ExportDefaultDeclaration') return { at: first, isShared: true, isEffect: false }
  if (statement?.type === 'ClassDeclaration') return { at: first, isShared: true, isEffect: false }
  if (statement?.type !== 'ExpressionStatement' || next?.type !== 'AssignmentExpression') return undefined
  let root = childOf(next, 'left')
  while (childOf(root, 'object') !== undefined) root = childOf(root, 'object')
  const isEffect = /^(document|window|globalThis|self|location)$/.test(textOf(root, 'name') ?? '')
  return { at: first + 1, isShared: true, isEffect }
}

/** Code that makes an object and keeps it as it is, so that its getters stay getters. */
const TRANSPARENT =
  /^((Object|Array|Parenthesized|TSAs|TSSatisfies|TypeCast|ArrowFunction)Expression|ObjectProperty|BlockStatement|ReturnStatement)$/
const KEEPS = /^(freeze|map|flatMap|from)$/

function isTransparent(node: SourceNode): boolean {
  const method = textOf(childOf(childOf(node, 'callee'), 'property'), 'name') ?? ''
  return TRANSPARENT.test(node.type) || (node.type === 'CallExpression' && KEEPS.test(method))
}

function getterIn(
  path: readonly PathStep[],
  holder: number,
  unit: TextRange,
): Extract<LateChoice, { kind: 'getter' }> | undefined {
  const at = path.findLastIndex(
    ({ node }, index) =>
      node.type === 'ObjectProperty' && path[index + 1]?.field === 'value' && node.start < unit.start,
  )
  const property = path[at]?.node
  const value = path[at + 1]?.node
  const between = path.slice(holder + 1, Math.max(0, at))
  if (property === undefined || value === undefined || !between.every(({ node }) => isTransparent(node)))
    return undefined
  const name = textOf(childOf(property, 'key'), 'name')
  if (property.computed === true || property.shorthand === true || name === '__proto__' || !isText(value))
    return undefined
  return { kind: 'getter', property, value }
}

const TEXT =
  /^((String|Numeric|Boolean|Null|Template)Literal|TemplateElement|Identifier|(Binary|Logical|Conditional|Unary|Member|Parenthesized|TSAs|TSSatisfies|TSNonNull)Expression|JSX(?!Spread)\w+)$/

/** Whether making the value again gives the same: texts, numbers and elements, without calls. */
const isText = (node: SourceNode): boolean =>
  TEXT.test(node.type) &&
  childrenOf(node).every(
    ({ node: child }) => /^TS\w*(Type|Keyword|Reference)$/.test(child.type) || isText(child),
  )

interface Reference {
  readonly node: SourceNode
  readonly path: readonly PathStep[]
}

const NO_REFERENCE: Readonly<Record<string, readonly string[]>> = {
  property: ['MemberExpression', 'OptionalMemberExpression', 'JSXMemberExpression'],
  key: [
    'ObjectProperty',
    'ObjectMethod',
    'ClassMethod',
    'ClassProperty',
    'TSPropertySignature',
    'TSMethodSignature',
  ],
  name: ['JSXAttribute'],
  imported: ['ImportSpecifier'],
  exported: ['ExportSpecifier'],
  label: ['LabeledStatement', 'BreakStatement', 'ContinueStatement'],
}

/** The uses of a module's constant. `null` if the name may also mean something else. */
function referencesTo(program: SourceNode, name: string): Reference[] | null {
  const found: Reference[] = []
  let declared = 0
  for (const { node, parent, field } of everyNode(program)) {
    if (!/^(JSX)?Identifier$/.test(node.type) || textOf(node, 'name') !== name || parent === null) continue
    if (NO_REFERENCE[field]?.includes(parent.type) && parent.computed !== true && parent.shorthand !== true)
      continue
    const path = pathTo(program, node.start, node.end)
    if (isBinding(path, field, parent)) declared += 1
    else found.push({ node, path })
  }
  return declared === 1 ? found : null
}

const isBinding = (path: readonly PathStep[], field: string, parent: SourceNode): boolean =>
  field === 'id' ||
  field === 'params' ||
  (field === 'local' && parent.type !== 'ExportSpecifier') ||
  field === 'param' ||
  (field === 'left' && parent.type === 'AssignmentPattern') ||
  /^(RestElement|ArrayPattern|TSParameterProperty)$/.test(parent.type) ||
  path.some(({ node }, index) => node.type === 'ObjectPattern' && path[index + 1]?.node === parent)

/**
 * Whether a property is read only when the value is shown, and never set: neither copied nor taken apart when
 * the module is loaded.
 */
function isReadLate(program: SourceNode, references: readonly Reference[], property: SourceNode): boolean {
  const key = childOf(property, 'key')
  const name = textOf(key, 'name') ?? textOf(key, 'value')
  for (const { node, parent, field } of everyNode(program)) {
    if (node.type !== 'MemberExpression' || textOf(childOf(node, 'property'), 'name') !== name) continue
    const isSet = field === 'left' && parent?.type === 'AssignmentExpression'
    if (isSet || parent?.type === 'UpdateExpression') return false
  }
  return references.every(({ node, path }) => {
    const parent = path.at(-2)?.node.type ?? ''
    return runsLate(path, node) || /^(Export\w+|ObjectProperty|ArrayExpression|TSTypeQuery)$/.test(parent)
  })
}

/** The uses at which the constant can be chosen. Undefined if there is another use, or none. */
function usesOf(
  source: string,
  references: readonly Reference[],
  value: SourceNode | undefined,
  { elsewhere, file }: Place,
): Use[] | undefined {
  const [name] = references
  if (value === undefined || name === undefined || references.length > MAX_USES) return undefined
  if (value.end - value.start > MAX_REPEATED) return undefined
  if (
    new RegExp(`(?<![\\w$.])${textOf(name.node, 'name')?.replace(/\$/g, '\\$&')}(?![\\w$])`).test(elsewhere)
  )
    return undefined
  const isOnlyText = isText(value)
  const isList = value.type === 'ArrayExpression' && listOf(value, 'elements').every(isText)
  const uses = references.map(({ node, path }): Use | undefined => {
    const context = contextOf(path)
    if (!runsLate(path, node) || (context !== 'bare' && context !== 'parentheses')) return undefined
    if (!isOnlyText && !(isList && isLoop(path))) return undefined
    return isStatic(source, path, node, file)
      ? undefined
      : { start: node.start, end: node.end, what: { kind: context === 'bare' ? 'expression' : 'operand' } }
  })
  return uses.every((use) => use !== undefined) ? uses : undefined
}

/** `NAME.map(…)`: the list itself goes nowhere, so it may be another one each time. */
function isLoop(path: readonly PathStep[]): boolean {
  const [call, member] = [path.at(-3)?.node, path.at(-2)?.node]
  const method = textOf(childOf(member, 'property'), 'name') ?? ''
  return (
    call?.type === 'CallExpression' && /^(map|forEach|join|filter|flatMap|some|every|slice)$/.test(method)
  )
}

function isStatic(
  source: string,
  path: readonly PathStep[],
  { start, end }: TextRange,
  file: string,
): boolean {
  try {
    refuseStaticCode(source, path, { edit: 0, variant: '', replace: '', start, end }, file)
    return false
  } catch (error) {
    if (error instanceof UnsupportedEditError) return true
    throw error
  }
}

/** The default of a component's property in Vue, which the compiler moves out of the component. */
function defaultIn(path: readonly PathStep[], unit: TextRange): SourceNode | undefined {
  const at = path.findIndex(({ node }) => node.start === unit.start && node.end === unit.end)
  const value = path[at]?.node
  const nodes = path.slice(0, at).map(({ node }) => node)
  const [call, object] = [nodes.at(-3), nodes.at(-2)]
  if (value === undefined || !isText(value) || nodes.at(-1)?.type !== 'ObjectProperty') return undefined
  const calls = (node: SourceNode | undefined, name: string): boolean =>
    node?.type === 'CallExpression' && textOf(childOf(node, 'callee'), 'name') === name
  if (calls(call, 'withDefaults') && listOf(call, 'arguments')[1] === object) return value
  if (textOf(childOf(nodes.at(-1), 'key'), 'name') !== 'default') return undefined
  const [outer, owner] = [nodes.at(-5), nodes.at(-3)]
  if (owner?.type !== 'ObjectProperty') return undefined
  const isProps = outer?.type === 'ObjectProperty' && textOf(childOf(outer, 'key'), 'name') === 'props'
  return isProps || calls(outer, 'defineProps') ? value : undefined
}
