import { childOf, listOf, type SourceNode, textOf } from '../../../variants/script/syntax.js'
import { collapsed, type Place, type Taken, type Text, type Wording } from './tree.js'

/** More of one file is asked for by nobody. */
const MAX_TAKEN = 60

/** The text at a place where a page shows a constant of another file by its name: `title` or `copy.hero.title`; `undefined` where it is none, or not known. */
export type TakenAt = (
  expression: string,
  place: Place,
) => Pick<Text, 'value' | 'quote' | 'takenBy' | 'start' | 'end'> | undefined

/** @param read the page's own code, `null` where it has none: parsed when a name is asked for, and not before */
export function takenWhenAsked(read: (() => SourceNode) | null, words: Wording): TakenAt {
  let known: ReadonlyMap<string, Pick<Taken, 'name' | 'from'>> | null = null
  return (expression, { start, end }) => {
    if (read === null || !/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/.test(expression)) return undefined
    known ??= takenFrom(read())
    const from = known.get(expression.split('.')[0] ?? '')
    if (from === undefined) return undefined
    if (words.taken.length < MAX_TAKEN) words.taken.push({ expression, ...from })
    const value = collapsed(words.constant(expression) ?? '')
    return value === '' ? undefined : { value, quote: null, takenBy: expression, start, end }
  }
}

/** What a file takes from others of its own program, by the name that it has here. */
function takenFrom(program: SourceNode): ReadonlyMap<string, Pick<Taken, 'name' | 'from'>> {
  const found = new Map<string, Pick<Taken, 'name' | 'from'>>()
  for (const node of listOf(program, 'body')) {
    const from = node.type === 'ImportDeclaration' ? textOf(childOf(node, 'source'), 'value') : undefined
    if (from === undefined || !/^(\.{1,2}\/|[@~#$]\/|\$lib)/.test(from)) continue
    for (const one of listOf(node, 'specifiers')) {
      const local = textOf(childOf(one, 'local'), 'name')
      const name = textOf(childOf(one, 'imported'), 'name')
      if (local !== undefined && name !== undefined) found.set(local, { name, from })
    }
  }
  return found
}
