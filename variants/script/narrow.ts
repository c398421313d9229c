import { type Alternative, UnsupportedEditError } from '../dialect.js'
import { type FixedCalls, mayBeFixed } from './fixed-calls.js'
import { childOf, expressionOf, listOf, programOf, type SourceNode, type Syntax, textOf } from './syntax.js'

/**
 * An alternative that makes the same call with one other argument, where the call has to be made in every variant: what is chosen is that argument. So `find` can be
 * the whole of `const [one, setOne] = useState('month')`, or its call, where `'month'` alone stands several times. Any other alternative is left as it is.
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
  // All else of the two is the same, to the letter.
  if (find.slice(0, argument.start) + replace + find.slice(argument.end) !== alternative.replace)
    return alternative
  return {
    ...alternative,
    start: alternative.start + argument.start,
    end: alternative.start + argument.end,
    replace,
  }
}

/** A string that has a name: `title = 'Offers'`, `title: 'Offers',`. */
const NAMED_STRING = /^([\w$]+\s*[=:]\s*)((["'])(?:(?!\3)[^\\\r\n])*\3)(\s*[,;]?)$/

/**
 * An alternative that gives a name another string: what is chosen is that string. So `find` can be `title = 'Offers',` where the string alone stands several times. Any
 * other alternative is left as it is.
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

/** What the one variable of a text is made of. */
function madeIn(program: SourceNode): SourceNode | undefined {
  const [statement, ...more] = listOf(program, 'body')
  const [made, ...others] = listOf(statement, 'declarations')
  return more.length === 0 && others.length === 0 ? childOf(made, 'init') : undefined
}

/** The call that a text is, or a variable is made by, and nothing more. */
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
