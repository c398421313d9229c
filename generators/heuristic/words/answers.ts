import type { Language } from './language.js'

/** What a site says of how soon it answers whoever writes to it. */
export interface AnswerTime {
  /** the clause, as it can stand alone */
  says: string
  /** the same as its source has it */
  source: string
  /** how soon, as the source says it: `within 24 hours`, with what softens it where that stands beside it */
  within: string
  /** the same, written one way for all languages: `24h`, `1-2d` */
  figure: string
}

const COUNT = '(?:\\d{1,3}|one|two|three|an?|einem|einer|eines|zwei|drei|une?|deux|trois|una?|dos|tres)'
const WITHIN = new RegExp(
  `(?<![\\p{L}\\d])((?:within|in (?:under|less than)|innerhalb(?: von| der nächsten)?|binnen|in(?: weniger als)?|unter|sous|dans (?:les|un délai (?:maximum )?de)|en moins de|en (?:menos de|un plazo (?:máximo )?de)|en|antes de)\\s*(${COUNT})(?:\\s?(?:-|–|to|bis|à|a|ou|o)\\s?(${COUNT}))?[\\s-]?(?:(?:business|working|full) )?(h|hrs?|hours?|std|stunden?|heures?|horas?|days?|werktag\\w*|arbeitstag\\w*|tag(?:e[ns]?)?|jours?|días?)(?![\\p{L}])(?:\\s(?:ouvr\\p{L}+|hábil\\p{L}*|laborable\\p{L}*|max(?:imum)?))?(?: \\(?(?:an werktagen|werktags|on (?:business|working|week) ?days|en jours ouvrés)\\)?)?)`,
  'iu',
)
/** What keeps a promise from being more than it is. */
const SOFTLY =
  /(?:in der regel|meistens|meist|normalerweise|üblicherweise|usually|typically|generally|généralement|en général|habituellement|normalmente|generalmente|por lo general) $/iu

/** Who answers, and that somebody does. */
const ANSWERS: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:we|we['’]ll|i|i['’]ll|our (?:\w+ )?team)\b.{0,40}\b(?:respond|reply|repl(?:y|ies)|responds|answer|get back|gets back|be in touch|contact you|call you)\b|\byou(?: will|['’]ll) (?:hear|get an? (?:answer|reply|response))\b|^(?:reply|response|answer)\b/iu,
  de: /\b(?:wir|ich|unser (?:\p{L}+-?)?team) (?:antwort|beantwort|melde|ruf|kontaktier)\p{L}*|^(?:antwort|rückmeldung|rückruf)\b|\bsie (?:erhalten|bekommen|hören)\b.{0,60}(?:antwort|rückmeldung|von uns)/iu,
  fr: /\b(?:nous|on|notre équipe) (?:vous |te |y )?(?:répon\p{L}+|recontact\p{L}+|rappel\p{L}+|contact\p{L}+|revien\p{L}+|reven\p{L}+)|^(?:réponse|retour)\b/iu,
  es: /(?:^|\s)(?:(?:te|le|os|les) (?:respond\p{L}+|contest\p{L}+|contact\p{L}+|llama\p{L}+)|respondemos|responderemos|contestamos|nos (?:pondremos|ponemos) en contacto)|^respuesta\b/iu,
}

/** Where a clause begins that says it by itself. */
const BEGINS =
  /(?<=^|[–—,:;!-] |(?<![\p{L}])(?:and|und|et|y) )(?:we|we['’]ll|i['’]ll|our (?:\w+ )?team|you(?: will|['’]ll) (?:hear|get)|reply|response|answer|wir|ich|unser (?:\p{L}+-?)?team|sie (?:erhalten|bekommen|hören)|antwort|rückmeldung|rückruf|nous|on|notre équipe|réponse|retour|te|le|os|les|respondemos|responderemos|contestamos|nos pon\p{L}+|respuesta)(?![\p{L}])/giu

/** Not said to those who ask: they are customers, applicants, in need, or it holds under a condition. */
const OF_OTHERS =
  /notfall|notdienst|emergenc|urgen|dringend|support|ticket|bewerb|applica(?:nt|tion)|candidat|kandidat|refund|rembours|reembols|reklam|complain|réclam|reclam|erstatt|liefer|deliver|livr|envío|enviamos|versand|24\s?\/\s?7|24h?\s?\/\s?24|whatsapp|(?<!\p{L})chat(?!\p{L})|press|accessib|besoin d['’]aide|(?<!\p{L})(?:if|wenn|falls|sobald|si|unless|außer|sauf|excepto|not|nicht|pas|cannot|please|bitte|veuillez|por favor|must|müssen|garant\p{L}+|always|immer|toujours|siempre|strive|try|bemüh\p{L}+|essay\p{L}+|intent\p{L}+|efforçons|was|were|war|wurde\p{L}*)(?!\p{L})/iu

/** With what somebody answers holds for what was asked there. */
const BRINGS =
  /(?<!\p{L})(?:mit|with|avec|con|to|um|zur?|pour|para|for|und|and|et|y)(?!\p{L}) (?!ihnen|dir|euch|you|vous|contigo|usted)/iu
/** It tells that something has come, which holds once it is sent alone. */
const IS_SENT =
  /(?<!\p{L})(?:(?:have|we['’]ve|has|we|been|was) (?:\w+ )?(?:received|sent)|erhalten haben|haben .{0,40}(?:erhalten|bekommen)|eingegangen|avons (?:bien )?reçu|hemos recibido|recibimos)(?!\p{L})/iu
const MAX_WORDS = 14
const MAX_AFTER = 45

/** How soon one is answered, of a sentence that says nothing else; `null` where it does not say it, or says it of others. */
export function answerTimeIn(sentence: string, language: Language): AnswerTime | null {
  if (!WITHIN.test(sentence) || OF_OTHERS.test(sentence) || sentence.length > 240) return null
  const start = [...sentence.matchAll(BEGINS)].findLast(
    ({ index }) => WITHIN.test(sentence.slice(index)) && ANSWERS[language].test(sentence.slice(index)),
  )?.index
  if (start === undefined) return null
  const source = sentence.slice(start).trim()
  const found = WITHIN.exec(source)
  if (found === null || IS_SENT.test(source)) return null
  const [, within = '', least = '', most, unit = ''] = found
  const after = source.slice(found.index + within.length)
  if (
    source.split(/\s+/).length > MAX_WORDS ||
    after.length > MAX_AFTER ||
    BRINGS.test(after) ||
    /[?*†<>{}"“”„«»…:;|·•\d]/.test(after)
  )
    return null
  // Who is answered later gains nothing by knowing it.
  if (numberOf(most ?? least) > (IN_DAYS.test(unit) ? 3 : 72)) return null
  const before = SOFTLY.exec(source.slice(0, found.index))?.[0] ?? ''
  return {
    says: source.charAt(0).toUpperCase() + source.slice(1),
    source,
    within: before + within,
    figure: figureOf(found),
  }
}

/** Whether words say how soon somebody is answered, in whichever form. */
export const saysAnswerTime = (words: string, language: Language): boolean =>
  (WITHIN.test(words) || SHORT.test(words) || LOOSELY.test(words)) && SOMEHOW[language].test(words)

/** A time without a figure. */
const LOOSELY =
  /\b(?:(?:a )?few|(?:a )?couple of|einigen|wenigen|quelques|pocas|unas) (?:minutes|hours|minuten|stunden|heures|minutos|horas)\b|\b(?:the )?(?:same|next) (?:business |working )?day\b|(?:gleichen|selben|nächsten) (?:werk|arbeits)?tag\b|jour même|mismo día/iu

const SHORT = /(?<!\d)(?:24|48|72) ?(?:h|std|hours?|stunden|heures|horas)(?!\p{L})/iu

/** How soon those are answered who ask, by one sentence, written one way for all languages. */
export function figureOfAnswer(sentence: string, language: Language): string | null {
  if (sentence.length > 300 || !saysAnswerTime(sentence, language) || OF_OTHERS.test(sentence)) return null
  const found = WITHIN.exec(sentence)
  if (found !== null) return figureOf(found)
  const short = SHORT.exec(sentence)?.[0].match(/\d+/)?.[0]
  return short === undefined ? null : `${short}h`
}

function figureOf([, , least = '', most, unit = '']: RegExpExecArray): string {
  const end = most === undefined ? '' : `-${numberOf(most)}`
  return `${numberOf(least)}${end}${IN_DAYS.test(unit) ? 'd' : 'h'}`
}

const IN_DAYS = /^(?:d|werk|arbeits|tag|j)/iu

const SOMEHOW: Readonly<Record<Language, RegExp>> = {
  en: /respon[ds]|repl(?:y|ies)|answer|get back|in touch|contact you|call you|hear (?:back|from)/iu,
  de: /antwort|meld|rückruf|zurück|kontaktier/iu,
  fr: /répon|contact|rappel|revien|reven|retour/iu,
  es: /respon|respuesta|contest|contact|llama/iu,
}

/** Whether what is said with words of any kind depends on how it was softened: then how soon cannot stand without. */
export const isSoftened = ({ source, within }: AnswerTime): boolean =>
  !SOFTLY.test(`${within.replace(WITHIN, '')}`) &&
  /\b(in der regel|meist(?:ens)?|normalerweise|üblicherweise|usually|typically|generally|aim|généralement|en général|habituellement|normalmente|generalmente|por lo general)\b/iu.test(
    source,
  )

const NUMBERS: readonly RegExp[] = [
  /^(?:one|an?|ein\p{L}*|une?|una?)$/iu,
  /^(?:two|zwei|deux|dos)$/iu,
  /^(?:three|drei|trois|tres)$/iu,
]
const numberOf = (said: string): number =>
  /^\d/.test(said) ? Number(said) : NUMBERS.findIndex((one) => one.test(said)) + 1

/** Where a site says that it answers, and nothing of how soon. */
export const SOON: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:as soon as (?:possible|we can)|shortly)\b/iu,
  de: /(?<!\p{L})(?:so (?:schnell|bald|rasch) wie möglich|schnellstmöglich|baldmöglichst|umgehend|zeitnah|in kürze)(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:dans les (?:plus brefs|meilleurs) délais|dès que possible|au plus vite|rapidement|(?:très )?prochainement)(?!\p{L})/iu,
  es: /(?<!\p{L})(?:lo antes posible|a la (?:mayor|máxima) brevedad(?: posible)?|en breve|cuanto antes)(?!\p{L})/iu,
}

/** Whether a sentence says that somebody is answered soon. */
export const saysSoon = (words: string, language: Language): boolean =>
  SOON[language].test(words) && ANSWERS_SOON[language].test(words) && !OF_OTHERS.test(words)

const ANSWERS_SOON: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:we|we['’]ll|i['’]ll|our (?:\w+ )?team)\b.{0,40}\b(?:respond|reply|get back|be in touch|contact you)\b/iu,
  de: /\b(?:wir|ich)\b.{0,30}(?:antwort|meld)|(?:melden|antworten) (?:wir )?(?:uns|ihnen)|von uns.{0,40}(?:rückmeldung|antwort)/iu,
  fr: /\b(?:nous|on|notre équipe) (?:vous |te )?(?:répon|recontact|contact|revien)\p{L}*/iu,
  es: /(?<!\p{L})(?:(?:te|le|os|les) (?:respond|contest|contact)\p{L}*|nos pondremos en contacto|responderemos)/iu,
}
