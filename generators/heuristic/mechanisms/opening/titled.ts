import { stemOf, wordsOf } from '../../../words.js'
import type { View } from '../../idea.js'
import { programOf } from '../../reach.js'
import type { Language } from '../../words/language.js'
import { FOR, NO_STATEMENT, THINGS } from '../../words/says-what.js'
import { COUNTS, TIMES } from '../../words/vague.js'
import { titledIn } from './described.js'
import { AROUND_ALL, descriptionOf, type Line, mayHead } from './lines.js'

type ByLanguage = Readonly<Record<Language, RegExp>>

/** What a title of a window names beside the things that any line can. */
const WARES: ByLanguage = {
  en: /\b(vegetables?|fruit|bread|cheese|lessons?|classes|workshops?|holidays?|boats?|bikes?|plumb\w+|joinery|carpentry|roofing|heating|rostering|rosters?)\b/i,
  de: /(planung|gemüse|obst|brot|käse|unterricht|werkstatt|tischlerei|schreinerei|abrechnung|fahrräder)(?!\p{L})/iu,
  fr: /(?<!\p{L})(légumes|fruits|pains?|fromages?|ateliers?|plomberie|menuiserie|vélos)(?!\p{L})/iu,
  es: /(?<!\p{L})(verduras?|frutas?|pan|quesos?|talleres|clases|fontanería|carpintería|bicicletas)(?!\p{L})/iu,
}

/** Where: a name after a word for that. */
const PLACE: ByLanguage = {
  en: /\b(in|near|around|across|from|off) (the |north |south |east |west |central )*\p{Lu}\p{Ll}/u,
  de: /(?<!\p{L})(in|aus|bei|nahe|rund um|zwischen) (der |den |dem )?\p{Lu}\p{Ll}/u,
  fr: /(?<!\p{L})(à|au|aux|dans|en|près de|autour de|de|du) (la |le |les |l['’])?\p{Lu}\p{Ll}/u,
  es: /(?<!\p{L})(en|de|del|cerca de) (la |el |los |las )?\p{Lu}\p{Ll}/u,
}

/** How often, or at what time of the day. */
const OFTEN: ByLanguage = {
  en: /\b(every|each) (day|week|month|morning|evening|(mon|tues|wednes|thurs|fri|satur|sun)day)\b|\b(evening|weekend|weekly|daily)\b/i,
  de: /(jeden? (tag|woche|monat|morgen|abend)|wöchentlich|täglich|(am|an) (abend|wochenende))/iu,
  fr: /((tous les|toutes les) (jours|semaines)|chaque (jour|semaine|mois)|du soir|le week-?end)(?!\p{L})/iu,
  es: /(cada (día|semana|mes)|todos los días|por la (tarde|noche))(?!\p{L})/iu,
}

/** What is written for search engines, or names a page or who made it. */
const FOR_ENGINES =
  /\b(best|top|cheap|affordable|near me|official|free|online|quality|premium|expert\w*|professional\w*|günstig\w*|kostenlos\w*|professionell\w*|offiziell\w*|pas cher|officiel\w*|gratuit\w*|barat\w*|oficial|gratis|profesional\w*|home ?page|website|site|start ?seite|accueil|inicio|open[- ]source|ai|next\.?js|react|vue|svelte|nuxt)\b/i
/** A page, and not who runs it. */
const NAMES_PAGE =
  /^(home( ?page)?|welcome|start(seite)?|index|landing( page)?|accueil|bienvenue|inicio|about.*|blog|docs|documentation)$/i

const SEPARATOR = /\s+[-–—|·•]\s+|:\s+/

/** A list ends with “and”, of what a sentence needs; without that it is one of words that are searched for. */
const isKeywords = (says: string): boolean =>
  says.includes(',') &&
  !(/,[^,]+ (and|or|und|oder|et|ou|y|o) [^,]+$/i.test(says) && says.split(',').length <= 3)

/** Most of its longer words begin with a capital, as titles for search engines do. German writes all things so. */
const isCapitalised = (says: string, language: Language): boolean => {
  const [, ...rest] = says.split(/[\s,]+/).filter((word) => word.length > 3)
  return language !== 'de' && rest.filter((word) => /^\p{Lu}/u.test(word)).length * 2 > rest.length
}

/** Whether a line names a thing, and beside it a place, an audience or an amount. */
function namesBoth(says: string, language: Language): boolean {
  const isThing = [THINGS, WARES].some((forms) => forms[language].test(says))
  const words = says.split(' ').length
  return (
    isThing &&
    words <= 12 &&
    (words >= 4 || (words === 3 && PLACE[language].test(says))) &&
    [FOR, PLACE, COUNTS, TIMES, OFTEN].some((forms) => forms[language].test(says)) &&
    mayHead(says, { least: 3 }) &&
    !SEPARATOR.test(says) &&
    !NO_STATEMENT.test(says) &&
    !FOR_ENGINES.test(says) &&
    !isKeywords(says) &&
    !isCapitalised(says, language)
  )
}

/** What stands beside the name in the title of a window, with a capital. */
function besideName(title: string, language: Language): string | null {
  const parts = title.trim().split(SEPARATOR)
  const [one = '', other = '', ...more] = parts
  if (more.length > 0 || other === '' || /[&{}\\<>]/.test(title)) return null
  const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
  const found = [
    [one, other],
    [other, one],
  ].filter(
    ([name = '', says = '']) =>
      name.split(' ').length <= 4 &&
      // Of three words a title is a name.
      says.split(' ').length >= 4 &&
      /^\p{Lu}/u.test(name) &&
      !NAMES_PAGE.test(name) &&
      namesBoth(capital(says), language) &&
      // What names who runs it has the name twice.
      !says.toLowerCase().includes(name.toLowerCase()),
  )
  return found.length === 1 ? capital(found[0]?.[1] ?? '') : null
}

const kindsIn = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => word.length > 4)
    .map((word) => stemOf(word).slice(0, 6))

/** How many longer words of one text stand in another one too. */
export const sharedWords = (one: string, other: string): number => {
  const known = new Set(kindsIn(other))
  return kindsIn(one).filter((word) => known.has(word)).length
}

/** What a site is called in the bar of the window: by the page, by what is around all pages, or by what is set up for all. */
function titleOf({ page, site, language }: View): { title: string; path: string } | null {
  const own = titledIn(page.text)
  if (own !== '') return { title: own, path: page.path }
  if (page.dialect === 'html') return null
  const around = site?.pages.filter(
    ({ path, titled, language: spoken }) =>
      titled !== null &&
      (AROUND_ALL.test(path) || /(^|\/)nuxt\.config\.\w+$/.test(path)) &&
      programOf(path) === programOf(page.path) &&
      (spoken === null || spoken === language),
  )
  const [only, ...more] = around ?? []
  return only?.titled == null || more.length > 0 ? null : { title: only.titled, path: only.path }
}

/**
 * What a site says of itself where no visitor looks, in the bar of the window or to search engines, where that names what there is, and where, for whom or how often.
 * Not where the heading speaks of the same thing, nor where those texts say again what stands below.
 */
export function headlineOf(
  view: View,
  own: string,
  below: readonly string[],
  language: Language,
): Line | null {
  const titled = titleOf(view)
  const described = descriptionOf(view)
  const about = `${titled?.title ?? ''} ${described?.says ?? ''}`
  if (sharedWords(own, about) > 0) return null
  const beside = titled === null ? null : besideName(titled.title, language)
  const lines: Line[] = [
    ...(titled === null || beside === null
      ? []
      : [
          {
            says: beside,
            text: null,
            evidence: titled.path === view.page.path ? null : { path: titled.path, says: titled.title },
          },
        ]),
    ...(described !== null && namesBoth(described.says, language) ? [described] : []),
  ]
  return lines.find(({ says }) => !below.some((one) => sharedWords(says, one) > 0)) ?? null
}
