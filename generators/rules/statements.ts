import { type Language, languageOf } from '../lexicon/language.js'
import { REASSURANCES } from '../lexicon/lexicon.js'
import { lexiconOf } from '../lexicon/lexicons.js'
import type { Statement } from './rule.js'

/** Text between two tags, without code, and text in quotes. */
const RUNS = />([^<>{}]{4,400})<|(["'`])((?:(?!\2)[^\\\n<>{}]){6,160})\2/g

/** The sentences of a file, one at a time, and in which language, read without parsing it. */
export function sentencesIn(
  text: string,
  locale: string | null,
): { sentences: string[]; language: Language | null } {
  const markup = text.replace(
    /<style\b[\s\S]*?<\/style>|<!--[\s\S]*?-->|\/\*[\s\S]*?\*\/|^\s*(import|\/\/)\b.*$/gm,
    '',
  )
  const runs = [...markup.matchAll(RUNS)].flatMap(([, shown, , said]) => {
    const run = (shown ?? said ?? '').replace(/\s+/g, ' ').trim()
    return /\p{L}/u.test(run) && (shown !== undefined || run.includes(' ')) ? [run] : []
  })
  const lang = /<html[^>]*\blang=["']([\w-]+)/i.exec(text)?.[1] ?? null
  return {
    sentences: runs.flatMap((run) => run.split(/(?<=[.!?])\s+/)),
    language: languageOf(runs.join(' '), lang, locale),
  }
}

/** A condition, a denial or a progress makes a promise another one. */
const LIMITS =
  /\bnot\b|n['’]t\b|\bunless\b|\bexcept\b|\bqualif\w+|\beligible\b|\bselected\b|\bunlock|\baway\b|\bearned\b|\bnicht\b|\baußer\b|\bnoch\b|\bsauf\b|\bsalvo\b|\bexcepto\b|\?|\$\{/i
const CONDITION =
  /^(on|for|over|above|with|within|from|when|if|at|ab|für|bei|innerhalb|in|à partir|dès|pour|sur|sous|desde|en|a partir|para|por)\b/i
const MAX_SENTENCE = 56

/** A button's own label asks for something and states nothing. */
const isAct = (sentence: string, language: Language): boolean =>
  Object.values(lexiconOf(language).purposes).some((named) => named.test(sentence.split(' ')[0] ?? ''))

/**
 * The promises of a file. The next sentence may hold the condition: "Free shipping", "On orders over $50".
 */
export function statementsIn(path: string, sentences: readonly string[], language: Language): Statement[] {
  const { reassurances } = lexiconOf(language)
  return sentences.flatMap((sentence, index) =>
    REASSURANCES.flatMap((kind): Statement[] => {
      const found = reassurances[kind].exec(sentence)
      if (found === null || LIMITS.test(sentence.replace(found[0], ''))) return []
      const after = sentence.slice(found.index + found[0].length).trim()
      // A sentence that is hardly more than the promise, or that limits it by a figure, is repeated whole.
      const isTold = found[0].length * 2 >= sentence.length || /\d/.test(after)
      const isWhole =
        sentence.length <= MAX_SENTENCE && found.index === 0 && isTold && !isAct(sentence, language)
      if (!isWhole && CONDITION.test(after)) return []
      const says = isWhole ? sentence.replace(/[.!,:;*†\s]+$/u, '') : found[0]
      return isWhole && after === '' && CONDITION.test(sentences[index + 1] ?? '')
        ? []
        : [{ kind, says, path, language }]
    }),
  )
}

/** Of a kind that is stated with different figures nothing is repeated. */
export function agreed(statements: readonly Statement[]): Statement[] {
  const figures = (says: string): string => (says.match(/\d+/g) ?? []).join(' ')
  return statements.filter((one) =>
    statements.every(
      (other) =>
        other.kind !== one.kind ||
        other.language !== one.language ||
        figures(other.says) === figures(one.says),
    ),
  )
}
