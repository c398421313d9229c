import { isMark, MARK_NAME, MAY_BE } from './said.js'

/** That one of several things is the one that most choose, as data has it: `{ id: 'team', popular: true }`, `{ grams: 100, label: 'Most popular' }`. */
export interface Mark {
  property: string
  /** the words, as they stand in the file; `null` where it is only marked */
  says: string | null
  /** where the property stands */
  at: number
}

const MARKS = /\b([\w]+)\s*:\s*(?:(true)\b|(["'`])((?:(?!\3)[^\\\n]){4,40})\3)/g

/** @param code without remarks */
export const marksOf = (code: string): Mark[] =>
  (MAY_BE.test(code) ? [...code.matchAll(MARKS)] : []).flatMap((found): Mark[] => {
    const [, property = '', isTrue, , words = ''] = found
    if (isTrue !== undefined)
      return MARK_NAME.test(property) ? [{ property, says: null, at: found.index }] : []
    // By what it is told from others says nothing of it.
    return isMark(words) && !/^(id|key|value|slug|href|type|path|sort\w*)$/i.test(property)
      ? [{ property, says: words, at: found.index }]
      : []
  })
