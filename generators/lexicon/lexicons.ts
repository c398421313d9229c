import { de } from './de.js'
import { en } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'
import type { Language } from './language.js'
import { DEAD_ENDS, type Lexicon, PURPOSES } from './lexicon.js'
import { pt } from './pt.js'

const LEXICONS: Readonly<Record<Language, Lexicon>> = { en, de, fr, es, pt }

export const lexiconOf = (language: Language): Lexicon => LEXICONS[language]
export const ALL_LEXICONS: readonly Lexicon[] = Object.values(LEXICONS)

/** The same label in another language, if the lexicons have it. */
export function sameLabelIn(label: string, from: Language, to: Language): string | null {
  const own = LEXICONS[from]
  for (const purpose of PURPOSES)
    for (const form of ['label', 'link'] as const)
      if (own.purposes[purpose][form] === label) return LEXICONS[to].purposes[purpose][form] ?? null
  for (const end of DEAD_ENDS) if (own.deadEnds[end].label === label) return LEXICONS[to].deadEnds[end].label
  return null
}
