import type { Language } from './language.js'
import { FOR, THINGS } from './says-what.js'

type ByLanguage<T> = Readonly<Record<Language, T>>

/** Words of praise, feelings and promises that fit any site. */
const FITS_ANY: ByLanguage<RegExp> = {
  en: /\b(quality|excellence|passion(ate)?|dreams?|creativity|potential|possibilit(y|ies)|journey|difference|tomorrow|imagination|inspir\w+|innovat\w+|extraordinary|(can|you) (count on|trust)|rely on|(made|done) with (care|love|passion|heart)|together|(starts?|begins?) (here|now|today)|next level|future|unleash|unlock|elevate|empower\w*|reimagin\w*|redefin\w*|trusted partner|limitless|matters|done right|in good hands|(professional|personal|smart|creative|complete|custom) (services?|solutions?)|for the love of|(best|perfect|ultimate|right|ideal) (solution|choice|partner|way|place)|one-stop|(grow|boost) your business|all you need|everything you need|take control)\b/i,
  de: /(qualität|leidenschaft|träume|kreativität|vertrauen|zukunft|gemeinsam|ihr (starker |zuverlässiger )?partner|partner für|innovati|erleben|mit (herz|liebe|sorgfalt)|tradition|einfach besser|lösungen|möglichkeiten|erfolg|inspiration|in guten händen)/iu,
  fr: /(qualité|passion|rêves?(?!\p{L})|créativité|confiance|avenir|ensemble|votre partenaire|avec (amour|soin)|tradition|innov|excellence|depuis toujours|savoir-faire|possibilités|potentiel|à votre service|différence|autrement|réinvent|solutions)/iu,
  es: /(calidad|pasión|sueños?(?!\p{L})|creatividad|confianza|futuro|juntos|(tu|su) (mejor )?(socio|aliado)|con (amor|cariño|cuidado|esmero)|tradición|innova|excelencia|desde siempre|posibilidades|potencial|diferencia|soluciones|a tu servicio)/iu,
}

/** A heading that only greets, with the name of the site. */
const GREETS =
  /^(?:welcome to|hello from|(?:herzlich )?willkommen (?:bei|auf|im|in|zu)(?: der| dem)?|bienvenue (?:sur|chez|à|au|dans)|bienvenid[oa]s? (?:a|al|en))\s+(.{2,40}?)[!.\s]*$/i

/** The name of the site in a heading that greets with it; `null` for other headings. */
export const greetedIn = (heading: string): string | null => GREETS.exec(heading)?.[1] ?? null

/** A heading that greets with nobody’s name. */
const GREETS_ALONE =
  /^(?:(?:a )?(?:warm )?welcome|hello|(?:ganz )?(?:herzlich|hallo und herzlich)?\s?willkommen|(?:soyez les? )?bienvenue?s?|bienvenid[oa]s?)(?: (?:to|on|bei|auf|im|in|zu|sur|chez|à|au|dans|a|al|en)(?: der| dem)? (?:our|my|this|unser\w*|meiner?|dieser|notre|mon|ce|nuestr[oa]|mi|este|esta)(?: \p{L}+){1,2})?[!.\s]*$/iu

/** Whether a heading greets, and says nothing else. */
export const greetsAlone = (heading: string): boolean => GREETS_ALONE.test(heading)

/** Whether a line is made of words that fit any site. */
export const fitsAny = (line: string, language: Language): boolean => FITS_ANY[language].test(line)

/** What is said of any change and any company, beside the words that fit any site. */
const BUZZ: ByLanguage<RegExp> = {
  en: /\b(connecting|opportunit(y|ies)|next-gen(eration)?|ecosystem|transform\w*)\b/i,
  de: /(neu gedacht|neu denken|digitale transformation|aus leidenschaft)/iu,
  fr: /(révélez|inoubliable|d['’]exception|nouvelle génération)/iu,
  es: /(inolvidable|nueva generación|transforma|sostenible)/iu,
}

/** Whether a heading says nothing at all: it greets nobody by name, or is made of words of any company. */
export const isHollow = (heading: string, language: Language): boolean =>
  GREETS_ALONE.test(heading) || isVagueBy(heading, language, [FITS_ANY, BUZZ])

/** A number, as figures or in words. */
export const COUNTS: ByLanguage<RegExp> = {
  en: /(?<![\p{L}\d])(\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|sixty|hundred|dozen)(?![\p{L}\d])/iu,
  de: /(?<![\p{L}\d])(\d[\d.,]*|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig|dreißig|hundert)(?![\p{L}\d])/iu,
  fr: /(?<![\p{L}\d])(\d[\d.,]*|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|quinze|vingt|trente|cent)(?![\p{L}\d])/iu,
  es: /(?<![\p{L}\d])(\d[\d.,]*|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|quince|veinte|treinta|cien)(?![\p{L}\d])/iu,
}

/** How long something takes, or when one has it. */
export const TIMES: ByLanguage<RegExp> = {
  en: /\b(same day|next day|within (an?|the|\d+|\w+) (hour|day|week|minute)s?|minutes?|hours?|overnight|weekdays?|weeks?)\b/i,
  de: /(am selben tag|am nächsten (tag|werktag|morgen)|innerhalb|minuten?(?!\p{L})|stunden?(?!\p{L})|werktags?|wochen?(?!\p{L}))/iu,
  fr: /(dans l['’]heure|le jour même|le lendemain|minutes?(?!\p{L})|heures?(?!\p{L})|semaines?(?!\p{L}))/iu,
  es: /(el mismo día|al día siguiente|minutos?(?!\p{L})|horas?(?!\p{L})|semanas?(?!\p{L}))/iu,
}

/** What something is made of. */
export const MADE_OF: ByLanguage<RegExp> = {
  en: /\b(linen|leather|cotton|wool|wood(en)?|oak|walnut|steel|silver|brass|paper|clay|ceramic|glass|sewn|hand-?\w+ed)\b/i,
  de: /(leinen|leder|baumwolle|wolle|holz|eiche|nussbaum|stahl|silber|messing|papier|ton(?!\p{L})|keramik|glas(?!\p{L})|handge\p{L}+)/iu,
  fr: /(lin(?!\p{L})|cuir|coton|laine|bois(?!\p{L})|chêne|noyer|acier|argent|laiton|papier|argile|céramique|verre(?!\p{L})|à la main)/iu,
  es: /(lino(?!\p{L})|cuero|algodón|lana|madera|roble|nogal|acero|plata|latón|papel|barro|cerámica|vidrio|a mano(?!\p{L}))/iu,
}

/** Things that every site has. */
const ANY_THING = /\b(services?|solutions?|servicios?)\b/gi

const MAX_WORDS = 9

/** A name in the middle of a heading says of whom, or where. In German all things are written so, and in titles most words. */
const names = (heading: string, language: Language): boolean =>
  language !== 'de' &&
  !/^(?:\p{Lu}\S*\s+(?:\p{Ll}{1,4}\s+)*)+\p{Lu}\S*$/u.test(heading) &&
  /\S\s\p{Lu}\p{Ll}+/u.test(heading)

/** Whether a heading fits any site, and tells neither what there is nor for whom nor how much of it. */
export const isVague = (heading: string, language: Language): boolean =>
  greetedIn(heading) !== null || isVagueBy(heading, language, [FITS_ANY])

function isVagueBy(heading: string, language: Language, praises: readonly ByLanguage<RegExp>[]): boolean {
  const words = heading.split(' ')
  if (words.length < 2 || words.length > MAX_WORDS || /[\d?:|]/.test(heading)) return false
  if (!praises.some((forms) => forms[language].test(heading)) || names(heading, language)) return false
  const rest = heading.replace(ANY_THING, '')
  return ![THINGS, FOR, COUNTS, TIMES].some((forms) => forms[language].test(rest))
}
