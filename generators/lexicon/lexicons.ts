import { de } from './de.js'
import { en } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'
import type { Language } from './language.js'
import type { Lexicon } from './lexicon.js'
import { pt } from './pt.js'

const LEXICONS: Readonly<Record<Language, Lexicon>> = { en, de, fr, es, pt }

export const lexiconOf = (language: Language): Lexicon => LEXICONS[language]
export const ALL_LEXICONS: readonly Lexicon[] = Object.values(LEXICONS)
