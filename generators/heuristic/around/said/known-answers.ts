import type { Facts } from '../../facts.js'
import type { KnownAnswer, Site } from '../../idea.js'
import type { Answers } from '../../statements.js'
import { answerTimeIn, figureOfAnswer } from '../../words/answers.js'
import type { Language } from '../../words/language.js'
import type { Names } from '../names.js'
import type { Parts } from '../parts.js'
import type { KeyedText } from './keyed-texts.js'

/** A key's text that names how soon those are answered who write. */
type KeyedFigure = KeyedText & { figure: string }

function figureIn(text: KeyedText): KeyedFigure[] {
  const figure = figureOfAnswer(text.value, text.language)
  return figure === null ? [] : [{ ...text, figure }]
}

/** The answer that a key's text is as a whole. */
function answerOf({ path, call, value, language }: KeyedFigure): KnownAnswer[] {
  const one = answerTimeIn(value, language)
  return one === null || one.source !== value.trim()
    ? []
    : [{ ...one, path, to: null, language, keyed: call }]
}

/** How soon those are answered who write. */
export class KnownAnswers {
  readonly #names: Names
  readonly #parts: Parts
  /** what files say of it */
  readonly #said: { path: string; language: Language | null; answers: Answers }[] = []

  constructor(names: Names, parts: Parts) {
    this.#names = names
    this.#parts = parts
  }

  add(path: string, language: Language | null, { answers }: Pick<Facts, 'answers'>): void {
    if (answers.figures.length > 0) this.#said.push({ path, language, answers })
  }

  /** How soon, where the site says that in one way, and the parts of pages beside which it is said. */
  known(texts: readonly KeyedText[]): Pick<Site, 'answers' | 'answersBeside'> {
    const keyed = texts.flatMap(figureIn)
    const figures = new Set([
      ...this.#said.flatMap(({ answers }) => answers.figures),
      ...keyed.map(({ figure }) => figure),
    ])
    if (figures.size === 0) return { answers: [], answersBeside: {} }
    return {
      answers: figures.size > 1 ? [] : this.#linked([...this.#stated(), ...keyed.flatMap(answerOf)]),
      answersBeside: this.#parts.saidBeside([...this.#said, ...keyed].map(({ path }) => path)),
    }
  }

  #stated(): KnownAnswer[] {
    return this.#said.flatMap(({ path, language, answers: { stated, to } }) =>
      language === null ? [] : stated.map((one) => ({ ...one, path, to, language })),
    )
  }

  /** Those of pages that something leads to. */
  #linked(answers: readonly KnownAnswer[]): KnownAnswer[] {
    return answers.filter((one) => this.#names.isLinked(one.path)).sort((a, b) => (a.path < b.path ? -1 : 1))
  }
}
