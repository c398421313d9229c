import type { Edit } from '../../variants/port.js'
import { filledIn } from '../page/message-links.js'
import { addedTexts, isClassList, visibleTexts } from '../page/visible-text.js'
import type { DropReason } from '../port.js'

export interface Violation {
  reason: Extract<DropReason, 'invented' | 'dark_pattern' | 'unsafe'>
  message: string
}

/** Claims that only the site can make: the file has to make them already. */
const CLAIMS: readonly RegExp[] = [
  /\bguarant\w+|\bgarant\w+/i,
  /\bfree\b|\bkostenlos\w*|\bgr[aá]tis\b|\bgratuit\w*/i,
  /\bno credit card\b|\bkeine kreditkarte\b|\bsans carte\b|\bsin tarjeta\b/i,
  /\bcancel any ?time\b|\bjederzeit kündbar\b|\bsans engagement\b|\bsin (compromiso|permanencia)\b/i,
  /\bmoney[- ]back\b|\bgeld[- ]zurück\b|\bremboursé\w*|\bdevolución del dinero\b/i,
  /\b(trusted|used|loved|recommended|chosen) by\b|\bvertrauen\b|\bfont confiance\b|\bconfían\b/i,
  /\b(award|certified|official|patented|accredited)\b|\bausgezeichnet\w*|\bzertifiziert\w*|\bcertifi[eé]\w*|\bcertificad\w*/i,
  /\b(most popular|best[- ]?sell\w*|number one|world['’]s|leading)\b|\bbeliebtest\w*|\bmarktführe\w*|\bleader\b|\blíder\b/i,
  /\b(discount|sale|% off|deal)\b|\brabatt\w*|\bremise\b|\bdescuento\b/i,
  /\b(until|till|by|before) (tomorrow|tonight|midnight|(mon|tues|wednes|thurs|fri|satur|sun)day)\b|\b(ends|expires|closes) (today|tonight|tomorrow|soon)\b|\btoday only\b|\bbis (heute|morgen|mitternacht|(mon|diens|donners|frei|sams|sonn)tag|mittwoch)\b|\bnur heute\b|\bjusqu['’](à|au|en) (demain|ce soir|minuit|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\b|\bhasta (el )?(hoy|mañana|medianoche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)\b/i,
  /\b(secure|encrypted|safe)\b|\bverschlüsselt\w*|\bsicher\b|\bsécuris\w*|\bsegur[oa]\b/i,
]

const PRESSES =
  /\b(hurry|last chance|act (now|fast)|selling (out )?fast|almost gone|don['’]t miss( out)?|before it['’]s (gone|too late)|only \d+ left|limited[- ]time)\b|\b(beeil\w*|letzte chance|nur noch \d+|schnell sein)\b|\b(dépêchez|dernière chance|plus que \d+)\b|\b(date prisa|última oportunidad|s[oó]lo quedan?)\b/i

/** An answer that shames the visitor who chooses it. */
const SHAMES =
  /\bno,? thanks?,? i\b|\bi (don['’]t want|hate|prefer not) (to )?\w+|\bnein,? (danke,? )?ich (will|möchte|verzichte)\b|\bnon,? (merci,? )?je (ne veux|préfère)\b|\bno,? (gracias,? )?(no quiero|prefiero)\b/i

/** At most this many figures and claims are named. */
const MAX_NAMED = 5

/** The delay at the end of a timer's call is not a figure that visitors read. */
const DELAY = /(?<=\w\((?:true|false|\d*)\)\s*,\s*)\d+(?=\s*\)$)/

/** The new words of edits that press, or that state what is not known. */
export function violationInWords(edits: readonly Edit[], known: string): Violation | null {
  const isClasses = ({ find }: Edit): boolean => visibleTexts(find).some(({ text }) => isClassList(text))
  const wordsOf = (edit: Edit): string[] => [
    ...addedTexts(edit)
      .map(({ text }) => text)
      .filter((text) => !(isClassList(text) && isClasses(edit))),
    ...filledIn(edit.replace).filter((words) => !filledIn(edit.find).includes(words)),
  ]
  // Words that stand in the same place already are not the variant's.
  const presses = (text: string, before: string): boolean =>
    [PRESSES, SHAMES].some((form) => form.test(text) && !form.test(before.replace(/\s+/g, ' ')))
  const said = edits.map((edit) => ({ words: wordsOf(edit), before: edit.find }))
  const pressing = said.flatMap(({ words, before }) => words.filter((text) => presses(text, before)))
  const unstated = [...new Set(said.flatMap(({ words }) => words.flatMap((text) => unstatedIn(text, known))))]
  if (pressing.length + unstated.length === 0) return null
  const named = unstated.map((one) => (/^\d/.test(one) ? one : `“${one}”`))
  const messages = [
    ...pressing.map((text) => `“${text.slice(0, 80)}” presses or shames`),
    ...(named.length === 0
      ? []
      : [`neither the file nor a text of another one says ${named.slice(0, MAX_NAMED).join(', ')}`]),
  ]
  return { reason: pressing.length > 0 ? 'dark_pattern' : 'invented', message: messages.join('; ') }
}

const FIGURE = /\d+(?:[.,]\d+)*/g

/** A figure by its value: `9,000` and `9.000` are 9000, `15.00` is 15. */
export const valueOfFigure = (figure: string): string =>
  figure
    .replace(/(?<=\d)[.,]0{1,2}$/, '')
    .replace(/^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*(?=$|(?!\1)[.,]\d+$)/, (one) => one.replace(/[.,]/g, ''))
    .replace(',', '.')

/** Figures and claims of a text that `known` does not state. */
export function unstatedIn(text: string, known: string): string[] {
  const stated = new Set(known.match(FIGURE)?.map(valueOfFigure))
  const figures = (text.replace(DELAY, '').match(FIGURE) ?? []).filter(
    (figure) => !stated.has(valueOfFigure(figure)),
  )
  const claims = CLAIMS.flatMap((form) => {
    const said = form.exec(text)?.[0]
    return said === undefined || form.test(known) ? [] : [said]
  })
  return [...figures, ...claims]
}
