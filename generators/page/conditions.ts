import { UnsupportedEditError } from '../../variants/dialect.js'
import {
  childOf,
  everyNode,
  expressionOf,
  isNode,
  listOf,
  programOf,
  type SourceNode,
  syntaxOf,
  textOf,
} from '../../variants/script/syntax.js'
import type { Attribute, PageTree } from './tree.js'

/** Conditions of a page's code in a form that can be compared: `!form.name`, without white space. */
export type Condition = string

/** The code of a page, as far as it decides whether a form is sent. */
export interface Decisions {
  /** what a variable holds, as the conditions under which it is true or not */
  valueOf(name: string, isTrue: boolean): readonly Condition[] | null
  /** the conditions under which the code of a handler says what is missing, and does no more */
  toldBy(handler: string): readonly Condition[]
}

/** Says something to the visitor: an alert, a toast, or a state or a field that shows an error. */
const TELLS =
  /\balert\(|\btoast\b|snackbar|notif|\bSwal\b|\b(message|notification)\.(error|warning|warn)\(|\bset\w{0,40}?(Err|Message|Msg|Status|Alert|Warning|Touched|Attempted|Feedback|Notice)\w{0,40}\(\s*(?!["'`]{2}|null|undefined|false|\{\s*\}|\))|\b\w{0,40}?(err(or)?s?|message|alert|warning)\w{0,40}(\.\w{1,40}){0,4}\s*=\s*(?!["'`]{2}|null|undefined|false)|scrollIntoView|\.focus\(|reportValidity/i
/** Longer conditions are not read. */
const MAX_CODE = 500

/** The text of an attribute's code: `loading` of `disabled={loading}` and `:disabled="loading"`. */
export const codeOf = ({ text }: PageTree, { start, end }: Attribute): string | null =>
  /^[^=\s]+\s*=\s*(?:\{([\s\S]*)\}|"([^"]*)"|'([^']*)')$/
    .exec(text.slice(start, end))
    ?.slice(1)
    .find((one) => one !== undefined)
    ?.trim() ?? null

/** The parts of `a || b`, as they are written. `null` for code that cannot be read. */
export function partsOf(code: string): { source: string; conditions: Condition[] }[] | null {
  const read = code.length > MAX_CODE ? null : expressionIn(code)
  return read === null
    ? null
    : either(read).map((node) => ({
        source: code.slice(node.start, node.end),
        conditions: conditionsOf(node, true, code),
      }))
}

function expressionIn(code: string): SourceNode | null {
  try {
    return expressionOf(code, { typescript: true, jsx: true })
  } catch (error) {
    if (!(error instanceof UnsupportedEditError)) throw error
    return null
  }
}

function either(node: SourceNode): SourceNode[] {
  const one = unwrapped(node)
  const [left, right] = [childOf(one, 'left'), childOf(one, 'right')]
  return one.type === 'LogicalExpression' &&
    textOf(one, 'operator') === '||' &&
    left !== undefined &&
    right !== undefined
    ? [...either(left), ...either(right)]
    : [node]
}

/** Without parentheses, `Boolean(…)`, `computed(() => …)` and `useMemo(() => …)`. */
function unwrapped(node: SourceNode): SourceNode {
  const [first] = listOf(node, 'arguments')
  const called =
    textOf(childOf(node, 'callee'), 'name') ?? textOf(childOf(childOf(node, 'callee'), 'property'), 'name')
  const inner =
    node.type === 'ParenthesizedExpression'
      ? childOf(node, 'expression')
      : node.type === 'CallExpression' && called === 'Boolean'
        ? first
        : node.type === 'CallExpression' && /^(computed|useMemo)$/.test(called ?? '')
          ? childOf(first, 'body')
          : undefined
  return inner === undefined || inner.type === 'BlockStatement' ? node : unwrapped(inner)
}

/** The conditions, one of which has to hold for an expression to be true, or not to be. */
function conditionsOf(expression: SourceNode, isTrue: boolean, code: string): Condition[] {
  const node = unwrapped(expression)
  const [left, right] = [childOf(node, 'left'), childOf(node, 'right')]
  const argument = childOf(node, 'argument')
  if (node.type === 'UnaryExpression' && textOf(node, 'operator') === '!' && argument !== undefined)
    return conditionsOf(argument, !isTrue, code)
  if (
    node.type === 'LogicalExpression' &&
    textOf(node, 'operator') === (isTrue ? '||' : '&&') &&
    left !== undefined &&
    right !== undefined
  )
    return [...conditionsOf(left, isTrue, code), ...conditionsOf(right, isTrue, code)]
  const key = code
    .slice(node.start, node.end)
    .replace(/\s+|\.value\b/g, '')
    .replaceAll('?.', '.')
  return [isTrue ? key : `!${key}`]
}

interface Part {
  code: string
  program: SourceNode
}

/** The scripts of a page. Empty if one of them cannot be read. */
function scriptsOf({ path, text, dialect }: PageTree): Part[] {
  const parts =
    dialect === 'jsx'
      ? [{ code: text, syntax: syntaxOf(path) }]
      : [...text.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/gi)].map(([, code = '']) => ({
          code,
          syntax: { typescript: true, jsx: false },
        }))
  try {
    return parts.map(({ code, syntax }) => ({ code, program: programOf(code, syntax) }))
  } catch (error) {
    if (!(error instanceof UnsupportedEditError)) throw error
    return []
  }
}

export function decisionsOf(page: PageTree): Decisions {
  const functions = new Map<string, { body: SourceNode; code: string }>()
  const values = new Map<string, { value: SourceNode; code: string }>()
  for (const { code, program } of scriptsOf(page))
    for (const { node } of everyNode(program)) {
      const name =
        textOf(childOf(node, 'id') ?? childOf(node, 'key'), 'name') ?? textOf(childOf(node, 'left'), 'name')
      if (name === undefined) continue
      const isAssigned = node.type === 'VariableDeclarator' || node.type === 'AssignmentExpression'
      const init = isAssigned ? (childOf(node, 'init') ?? childOf(node, 'right')) : node
      const called = /^(React\.)?useCallback\(/.test(code.slice(init?.start, init?.end))
      const body = childOf(called ? listOf(init, 'arguments')[0] : init, 'body')
      if (body?.type === 'BlockStatement') functions.set(name, { body, code })
      else if (isAssigned && init !== undefined) values.set(name, { value: init, code })
    }
  return {
    valueOf(name, isTrue) {
      const found = values.get(name)
      return found === undefined ? null : conditionsOf(found.value, isTrue, found.code)
    },
    toldBy(handler) {
      const inline = expressionIn(handler)
      const own = childOf(inline ?? undefined, 'body')
      if (own?.type === 'BlockStatement') return guardsIn(own, handler)
      // `send`, `send()`, `() => send(event)`, `() => void send()`
      const name =
        /^(?:(?:async\s{0,9})?\(?[\w\s:.<>]{0,80}\)?\s{0,9}=>\s{0,9})?(?:void\s+|await\s+)?([\w$]{1,80})(?:\([\w\s,.$]{0,80}\))?$/.exec(
          handler,
        )?.[1]
      const found = functions.get(name ?? '')
      return found === undefined ? [] : guardsIn(found.body, found.code)
    },
  }
}

/** The conditions under which a function says something and ends, before it does anything else. */
function guardsIn(body: SourceNode, code: string): Condition[] {
  const statements = listOf(body, 'body').flatMap((one) =>
    one.type === 'TryStatement' ? listOf(childOf(one, 'block'), 'body') : [one],
  )
  return statements.flatMap((one) => {
    const [test, then] = [childOf(one, 'test'), childOf(one, 'consequent')]
    if (one.type !== 'IfStatement' || !isNode(then) || test === undefined) return []
    const said = code.slice(then.start, then.end)
    return /\breturn\b/.test(said) && TELLS.test(said) ? conditionsOf(test, true, code) : []
  })
}
