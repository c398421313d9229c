import { childOf, childrenOf, isNode, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'

/** Nodes of scripts, by their types. */
export const IS_FUNCTION =
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|(Object|Class|ClassPrivate)Method)$/
export const STATEMENT = /(Statement|Declaration)$|^(SwitchCase|CatchClause|StaticBlock)$/
export const MARKUP = /^JSX(Element|Fragment)$/
export const MEMBER = /^(Optional)?MemberExpression$/
const CALL = /^(Optional)?CallExpression$/
const WRAPPER = /^(ParenthesizedExpression|ChainExpression|TS(As|Satisfies|NonNull)Expression)$/
const COMPARES = /^([=!]==?|[<>]=?)$/

/** The children in these fields. */
export const fields = (node: SourceNode, names: readonly string[]): SourceNode[] =>
  names.flatMap((name) => childOf(node, name) ?? [])

/** The expression inside of parentheses and types. */
export function unwrapped(node: SourceNode): SourceNode {
  const inner = WRAPPER.test(node.type) ? childOf(node, 'expression') : undefined
  return inner === undefined ? node : unwrapped(inner)
}

/** The function that a call calls; undefined for other code. */
export const calleeOf = (node: SourceNode): SourceNode | undefined =>
  CALL.test(node.type) ? childOf(node, 'callee') : undefined

/** The name of a member: `b` of `a.b`. Empty for other code. */
export const memberName = (node: SourceNode | undefined): string =>
  textOf(childOf(node, 'property'), 'name') ?? ''

export const isWrapper = ({ type }: SourceNode): boolean =>
  WRAPPER.test(type) && type !== 'TSNonNullExpression'

/** Whether code only compares. */
export const isJudgement = ({ type, operator }: SourceNode): boolean =>
  type === 'BinaryExpression'
    ? COMPARES.test(String(operator))
    : type === 'UnaryExpression' && operator === '!'

/** The sign of a text, number or flag in an outline; `null` for other nodes. */
export function literalMark(node: SourceNode): string | null {
  const { type, value } = node
  if (type === 'TemplateElement') return ''
  if (type === 'TemplateLiteral' && listOf(node, 'expressions').length === 0) return "''"
  if (!/^(String|Numeric|Boolean)?Literal$/.test(type) || isNode(node.regex) || 'regex' in node) return null
  if (typeof value === 'string') return "''"
  return typeof value === 'number' ? '0' : typeof value === 'boolean' ? 'true' : null
}

/** The names that a parameter brings in. */
export const namesIn = (node: SourceNode): string[] =>
  node.type === 'Identifier' ? [String(node.name)] : childrenOf(node).flatMap((child) => namesIn(child.node))

/** A list and the function that is called for each of its items, and only returns a value. */
export interface ListCall {
  list: SourceNode
  method: string
  params: readonly SourceNode[]
  body: SourceNode
}

/** Methods that only lists have, and those of them that change nothing and call a function for each item. */
export const OF_LISTS = /^(map|filter|some|every|find|findIndex|forEach|reduce|flatMap)$/
const EACH = /^(map|filter|some|every)$/

export function listCallOf(node: SourceNode): ListCall | null {
  const called = calleeOf(node)
  const callee = called === undefined ? undefined : unwrapped(called)
  const list = callee !== undefined && MEMBER.test(callee.type) ? childOf(callee, 'object') : undefined
  const method = memberName(callee)
  const [each, ...more] = listOf(node, 'arguments')
  if (list === undefined || callee?.computed === true || !EACH.test(method) || each === undefined) return null
  const body = more.length === 0 ? resultOf(each) : null
  return body === null ? null : { list, method, params: listOf(each, 'params'), body }
}

/** The call of `filter` in `list.filter(…).map(…)`; `null` for other code. */
export function filteredList(node: SourceNode): ListCall | null {
  const called = calleeOf(node)
  const callee = called === undefined ? undefined : unwrapped(called)
  const object = callee?.computed === true ? undefined : childOf(callee, 'object')
  const inner = object === undefined || memberName(callee) !== 'map' ? null : listCallOf(unwrapped(object))
  return inner?.method === 'filter' ? inner : null
}

/** `item`, or `{ title, price: cost }` without defaults, which would be code that runs. */
const isPlainParameter = (node: SourceNode): boolean =>
  node.type === 'Identifier' ||
  (node.type === 'ObjectPattern' &&
    listOf(node, 'properties').every(
      (one) =>
        one.type === 'ObjectProperty' &&
        one.computed !== true &&
        childOf(one, 'value')?.type === 'Identifier',
    ))

/** The only expression of a function of one or two parameters, `null` if it does more than to return it. */
function resultOf(node: SourceNode): SourceNode | null {
  const isFunction = /^(ArrowFunction|Function)Expression$/.test(node.type)
  const params = listOf(node, 'params')
  const isPlain = params.length <= 2 && params.every(isPlainParameter)
  if (!isFunction || !isPlain || node.async === true || node.generator === true) return null
  const body = childOf(node, 'body')
  if (body?.type !== 'BlockStatement') return body ?? null
  const [only, ...more] = [...listOf(body, 'directives'), ...listOf(body, 'body')]
  return more.length === 0 && only?.type === 'ReturnStatement' ? (childOf(only, 'argument') ?? null) : null
}
