import { type Alternative, UnsupportedEditError } from '../dialect.js'
import { type FixedCalls, mayBeFixed } from './fixed-calls.js'
import { childOf, expressionOf, listOf, programOf, type SourceNode, type Syntax, textOf } from './syntax.js'

/**
 * Narrows an alternative that makes the same required call with one other argument to that argument. So
 * `find` can be `const [one, setOne] = useState('month')`, or its call, if `'month'` occurs several times.
 * Returns any other alternative unchanged.
 */
export function withinFixedCall(
  source: string,
  alternative: Alternative,
  syntax: Syntax,
  fixed: FixedCalls | undefined,
): Alternative {
  const find = source.slice(alternative.start, alternative.end)
  if (fixed === undefined || !mayBeFixed(find, fixed)) return alternative
  const [was, is] = [callOf(find, syntax), callOf(alternative.replace, syntax)]
  if (was === null || is === null || !fixed.name.test(calleeOf(was) ?? '')) return alternative
  const [before, after] = [listOf(was, 'arguments'), listOf(is, 'arguments')]
  const other = before.findIndex((one, index) => {
    const now = after[index]
    return now !== undefined && written(find, one) !== written(alternative.replace, now)
  })
  const [argument, instead] = [before[other], after[other]]
  if (argument === undefined || instead === undefined || before.length !== after.length) return alternative
  const replace = written(alternative.replace, instead)
  // Everything else is identical.
  if (find.slice(0, argument.start) + replace + find.slice(argument.end) !== alternative.replace)
    return alternative
  return {
    ...alternative,
    start: alternative.start + argument.start,
    end: alternative.start + argument.end,
    replace,
  }
}

/** A string with a name: `title = 'Offers'`, `title: 'Offers',`. */
const NAMED_STRING = /^([\w$]+\s*[=:]\s*)((["'])(?:(?!\3)[^\\\r\n])*\3)(\s*[,;]?)$/

/**
 * Narrows an alternative that gives a name another string to that string. So `find` can be `title =
 * 'Offers',` if the string occurs several times. Returns any other alternative unchanged.
 */
export function withinName(source: string, alternative: Alternative): Alternative {
  const [was, is] = [source.slice(alternative.start, alternative.end), alternative.replace].map((one) =>
    NAMED_STRING.exec(one),
  )
  const [, name = '', string = '', , end = ''] = was ?? []
  const [, sameName, instead, , sameEnd] = is ?? []
  if (was == null || instead === undefined || sameName !== name || sameEnd !== end) return alternative
  const start = alternative.start + name.length
  return { ...alternative, start, end: start + string.length, replace: instead }
}

const written = (text: string, { start, end }: SourceNode): string => text.slice(start, end)

const DECLARES = /^(?:const|let|var)\s/

/** The initial value of the only variable in a text. */
function madeIn(program: SourceNode): SourceNode | undefined {
  const [statement, ...more] = listOf(program, 'body')
  const [made, ...others] = listOf(statement, 'declarations')
  return more.length === 0 && others.length === 0 ? childOf(made, 'init') : undefined
}

/** The call in a text that is only a call, or a variable with one. */
function callOf(text: string, syntax: Syntax): SourceNode | null {
  try {
    const node = DECLARES.test(text) ? madeIn(programOf(text, syntax)) : expressionOf(text, syntax)
    const isWhole = node?.end === text.length && (node.start === 0 || DECLARES.test(text))
    return node?.type === 'CallExpression' && isWhole ? node : null
  } catch (error) {
    if (error instanceof UnsupportedEditError) return null
    throw error
  }
}

const calleeOf = (call: SourceNode): string | undefined => {
  const callee = childOf(call, 'callee')
  return textOf(callee, 'name') ?? textOf(childOf(callee, 'property'), 'name')
}
