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
  for (const { node } of everyNode(program)) {
    const name = textOf(childOf(node, 'id'), 'name')
    if (name !== undefined && /^(VariableDeclarator|FunctionDeclaration)$/.test(node.type))
      declared.set(name, node)
  }
  return effectsIn(program, of).flatMap((effect): MovingEffect[] => {
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

/** A wait that an effect begins, though nothing is loaded meanwhile. */
export interface FixedWait {
  call: SourceRange
  delay: SourceRange
  milliseconds: number
}

const LOADS =
  /\b(fetch|await|axios|import|Promise|addEventListener|load[A-Z]\w*|onload|get[A-Z]\w*)\b|\.then\(/
const ENDS =
  /^\s*(set(Is|Page|Show|App)?(Loading|Splash|Intro|Preloader|Loader)\w*\(false\)|set(Is)?(Loaded|Ready)\w*\(true\)|document\.body\.\w+[\w.]*\s*=\s*["'][^"']*["'])\s*$/
/** The same in a component that is a screen for loading. */
const ENDS_SCREEN = /^\s*set\w*(Visible|Show)\w*\(false\)\s*$/
export const IS_LOADER = /(load(er|ing)|splash|intro|preload)[^/]*$/i

/** The waits of a React file without a reason in its code: `setTimeout(() => setLoading(false), 1000)`. */
export function fixedWaitsOf({ path, text, dialect }: PageTree): FixedWait[] {
  if (dialect !== 'jsx' || !text.includes('setTimeout')) return []
  const of = ({ start, end }: SourceRange): string => text.slice(start, end)
  const effects = effectsIn(programOf(text, syntaxOf(path)), of).filter((one) => !LOADS.test(of(one)))
  return effects.flatMap((effect) =>
    callsIn(effect, 'setTimeout').flatMap((call): FixedWait[] => {
      const [callback, delay] = listOf(call, 'arguments')
      const body = childOf(callback, 'body')
      const milliseconds = numberOf(delay)
      if (body === undefined || delay === undefined || milliseconds === null) return []
      const done = body.type === 'BlockStatement' ? listOf(body, 'body') : [body]
      const isEnd = (one: SourceNode): boolean => {
        const code = of(one).replace(/;$/, '')
        return ENDS.test(code) || (IS_LOADER.test(path) && ENDS_SCREEN.test(code))
      }
      return done.every(isEnd) ? [{ call, delay, milliseconds }] : []
    }),
  )
}

/** `next` of `() => next()` and of `() => { next() }`. */
const calledIn = (code: string): string | undefined => /=>\s*\{?\s*(\w+)\(\);?\s*\}?$/.exec(code)?.[1]

const numberOf = (node: SourceNode | undefined): number | null =>
  node?.type === 'NumericLiteral' && typeof node.value === 'number' ? node.value : null

const callsIn = (code: SourceNode, wanted: string): SourceNode[] =>
  [...everyNode(code)].flatMap(({ node }) => {
    const callee = childOf(node, 'callee')
    const name = textOf(callee, 'name') ?? textOf(childOf(callee, 'property'), 'name')
    return node.type === 'CallExpression' && name === wanted ? [node] : []
  })

const timersIn = (effect: SourceNode): SourceNode[] => callsIn(effect, 'setInterval')

/** The functions that `useEffect` is given. */
const effectsIn = (program: SourceNode, of: (node: SourceNode) => string): SourceNode[] =>
  callsIn(program, 'useEffect').flatMap((call) => {
    const [effect] = listOf(call, 'arguments')
    return effect === undefined || !/^(React\.)?useEffect/.test(of(call)) ? [] : [effect]
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
