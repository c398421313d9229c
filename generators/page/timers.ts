import {
  childOf,
  everyNode,
  listOf,
  programOf,
  type SourceNode,
  syntaxOf,
  textOf,
} from '../../variants/script/syntax.js'
import type { PageTree, SourceRange } from './tree.js'

/** An effect of a component that does nothing but show the next of several things again and again. */
export interface MovingEffect {
  /** the range of its function */
  effect: SourceRange
  /** what sets or moves the thing that is shown: `setCurrent`, `scrollRef` */
  movers: readonly string[]
  milliseconds: number
}

const MOVES_ON = /\+\s*1\b|%\s*[\w(]|scroll(To|By)\(/
const MOVER = /\b(set(?!Timeout|Interval)[A-Z]\w*)(?=\()|\b(\w*[rR]ef)\.current\b/g

/** The effects of a React file that move something on: `useEffect(() => { setInterval(next, 5000) … })`. */
export function movingEffectsOf({ path, text, dialect }: PageTree): MovingEffect[] {
  // A second timer may start the first one again.
  if (dialect !== 'jsx' || text.split('setInterval(').length !== 2) return []
  const program = programOf(text, syntaxOf(path))
  const of = ({ start, end }: SourceRange): string => text.slice(start, end)
  const declared = new Map<string, SourceNode>()
  const effects: SourceNode[] = []
  for (const { node } of everyNode(program)) {
    const name = textOf(childOf(node, 'id'), 'name')
    if (name !== undefined && /^(VariableDeclarator|FunctionDeclaration)$/.test(node.type))
      declared.set(name, node)
    const callee = childOf(node, 'callee')
    if (node.type === 'CallExpression' && callee !== undefined && /^(React\.)?useEffect$/.test(of(callee)))
      effects.push(...listOf(node, 'arguments').slice(0, 1))
  }
  return effects.flatMap((effect): MovingEffect[] => {
    const timers = timersIn(effect)
    const [timer] = timers
    if (timer === undefined || timers.length > 1 || !hasNothingElse(effect)) return []
    const [callback, delay] = listOf(timer, 'arguments')
    if (callback === undefined || delay === undefined) return []
    const written = declared.get(of(callback)) ?? declared.get(calledIn(of(callback)) ?? '')
    const code = `${of(callback)} ${written === undefined ? '' : of(written)}`
    const movers = [...code.matchAll(MOVER)].map(([, setter, ref]) => setter ?? ref ?? '')
    const constant = declared.get(of(delay))
    const milliseconds = numberOf(constant === undefined ? delay : childOf(constant, 'init'))
    return MOVES_ON.test(code) && movers.length > 0 && milliseconds !== null
      ? [{ effect: { start: effect.start, end: effect.end }, movers, milliseconds }]
      : []
  })
}

/** `next` of `() => next()` and of `() => { next() }`. */
const calledIn = (code: string): string | undefined => /=>\s*\{?\s*(\w+)\(\);?\s*\}?$/.exec(code)?.[1]

const numberOf = (node: SourceNode | undefined): number | null =>
  node?.type === 'NumericLiteral' && typeof node.value === 'number' ? node.value : null

const timersIn = (effect: SourceNode): SourceNode[] =>
  [...everyNode(effect)].flatMap(({ node }) => {
    const callee = childOf(node, 'callee')
    const name = textOf(callee, 'name') ?? textOf(childOf(callee, 'property'), 'name')
    return node.type === 'CallExpression' && name === 'setInterval' ? [node] : []
  })

/** Whether an effect starts its timer and ends it, and leaves early under conditions, but does no more. */
function hasNothingElse(effect: SourceNode): boolean {
  const body = childOf(effect, 'body')
  if (!/Function/.test(effect.type) || body?.type !== 'BlockStatement') return false
  return listOf(body, 'body').every((statement) => {
    if (statement.type === 'IfStatement') {
      const inner = childOf(statement, 'consequent')
      const only = inner?.type === 'BlockStatement' ? listOf(inner, 'body') : [inner]
      return only.every((one) => one?.type === 'ReturnStatement') && statement.alternate === null
    }
    return statement.type === 'ReturnStatement' || timersIn(statement).length === 1
  })
}

/** The functions that move the same thing, and those that call them, to which arrows and dots are bound. */
export function namesThatMove({ path, text }: PageTree, movers: readonly string[]): Set<string> {
  const names = new Set(movers)
  const functions = [...everyNode(programOf(text, syntaxOf(path)))].flatMap(({ node }) => {
    const name = textOf(childOf(node, 'id'), 'name')
    const init = node.type === 'FunctionDeclaration' ? node : childOf(node, 'init')
    const isFunction =
      init !== undefined &&
      (/Function/.test(init.type) || /^(React\.)?useCallback\(/.test(text.slice(init.start, init.end)))
    return name === undefined || !isFunction ? [] : [{ name, code: text.slice(init.start, init.end) }]
  })
  for (let round = 0; round < 2; round++)
    // A component is no function of its own.
    for (const { name, code } of functions)
      if (!/^[A-Z]/.test(name) && [...names].some((one) => isNamedIn(one, code))) names.add(name)
  return names
}

export const isNamedIn = (name: string, code: string): boolean =>
  new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(code)
