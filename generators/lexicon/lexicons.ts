import { de } from './de.js'
import { en } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'
import { it } from './it.js'
import type { Language } from './language.js'
import type { Lexicon } from './lexicon.js'
import { nl } from './nl.js'
import { pl } from './pl.js'
import { pt } from './pt.js'
import { tr } from './tr.js'

const LEXICONS: Readonly<Record<Language, Lexicon>> = { en, de, fr, es, pt, it, nl, pl, tr }

export const lexiconOf = (language: Language): Lexicon => LEXICONS[language]
export const ALL_LEXICONS: readonly Lexicon[] = Object.values(LEXICONS)
