import type { Edit } from '../../variants/port.js'
import { addedTexts } from '../page/visible-text.js'
import type { DropReason } from '../port.js'

export interface Objection {
  reason: Extract<DropReason, 'invented' | 'dark_pattern' | 'unsafe'>
  message: string
}

/** Claims that only the site can make: they have to stand in the file in some form already. */
const CLAIMS: readonly RegExp[] = [
  /\bguarant\w+|\bgarant\w+/i,
  /\bfree\b|\bkostenlos\w*|\bgratis\b|\bgratuit\w*/i,
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

/** An answer that belittles whoever gives it. */
const SHAMES =
  /\bno,? thanks?,? i\b|\bi (don['’]t want|hate|prefer not) (to )?\w+|\bnein,? (danke,? )?ich (will|möchte|verzichte)\b|\bnon,? (merci,? )?je (ne veux|préfère)\b|\bno,? (gracias,? )?(no quiero|prefiero)\b/i

/** Code that could run, fetch or send something; each piece may stand in a new text only as it stands in the file. */
const RUNS: readonly RegExp[] = [
  /<(?:script|iframe|object|embed|base|meta|style)\b[^>]*>/gi,
  // Components of frameworks are written with a capital.
  /<(?:[Ll][Ii][Nn][Kk]|[Ff][Oo][Rr][Mm])(?<!Link|Form)\b[^>]*>/g,
  /\son[a-z]+\s*=\s*(?:"[^"]*"|'[^']*'|\{[^}]*\}|[^\s>]+)/gi,
  /(?:javascript|vbscript|data):[^\s"'>]*/gi,
  /\bhttps?:\/\/[^\s"'<>)]+|(?<=(?:src|href|action)\s*=\s*["'])\/\/[^\s"']+/gi,
  /\b(?:dangerouslySetInnerHTML|v-html|v-on:\w+|srcdoc|formaction)\b[^>]*/gi,
  /\{@html[^}]*\}/gi,
  /\b(?:eval|fetch|import|require|atob|Function|XMLHttpRequest|sendBeacon|WebSocket)\s*\([^)]*\)?/g,
  /\b(?:document|window|globalThis|localStorage|sessionStorage|navigator|process)\.\w+/g,
]

/** What only sets a part's own state, in the way that the file sets it elsewhere, to a word that its code knows. */
function setsKnown(piece: string, known: string): boolean {
  const [, before = '', word = ''] =
    /^(on:?[A-Za-z]+=\{\(\) => (?:set[A-Z]\w*\(|\(?\w+ = )['"])([\w-]+)['"]\)?\}$/.exec(piece) ?? []
  return word !== '' && known.includes(before) && new RegExp(`=== ['"]${word}['"]`).test(known)
}

/** A known address with what tells who sent a visitor, as another known one has it. */
const isKnownAddress = (piece: string, known: string): boolean => {
  const [address = '', query, ...more] = piece.split('?')
  return (
    /^https?:/i.test(address) &&
    /^(utm_\w+=[\w-]+&?)+$/.test(query ?? '') &&
    more.length === 0 &&
    known.includes(address) &&
    known.includes(query ?? address)
  )
}

/** What people who do not see or point depend on. */
const READ_ALOUD: readonly RegExp[] = [
  /\balt\s*=\s*["'{][^"'}]/g,
  /\baria-(?:label|labelledby|describedby)\s*=/g,
  /<label\b/gi,
  // A list of Vue is no label.
  /(?<!-)\b(?:for|htmlFor)\s*=/g,
  /\brole\s*=/g,
  /\blang\s*=/g,
]
/** What is named by them: where it goes, its name goes with it. */
const NAMED =
  /<(?:input|select|textarea|button|a|img|\w*Input|\w*Select|\w*Textarea|\w*Field|[A-Z]\w*\.Control)\b/g
const HINDERS: readonly RegExp[] = [
  /\btabindex\s*=\s*["'{]*[1-9]/gi,
  /\bautofocus\b/gi,
  /\baria-hidden\s*=\s*["'{]*true/gi,
  /outline(?:-width)?\s*:\s*["']?(?:0|none)/gi,
  /\bdisplay\s*:\s*["']?none/gi,
]

/** Whether browsers fill in a form is no danger to anybody. */
const withoutAutofill = (text: string): string => text.replace(/\s+auto[cC]omplete=(?:"[^"]*"|'[^']*')/g, '')

/**
 * What speaks against showing an alternative, whoever wrote it, or `null`: figures and claims that `known` does not state, pressure, code that runs or
 * fetches, and what takes a page away from people who hear it or do not use a mouse. `known` is the file's text and whatever else is true.
 */
export function objectionTo(edits: readonly Edit[], known: string): Objection | null {
  for (const edit of edits) {
    for (const { text } of addedTexts(edit)) {
      const objection = objectionToWords(text, known)
      if (objection !== null) return objection
    }
    for (const piece of RUNS.flatMap((form) => edit.replace.match(form) ?? []))
      if (
        !setsKnown(piece.trim(), known) &&
        !isKnownAddress(piece, known) &&
        !withoutAutofill(known).includes(withoutAutofill(piece.trim()))
      )
        return { reason: 'unsafe', message: `it brings in “${piece.trim().slice(0, 60)}”` }
  }
  for (const variant of new Set(edits.map((edit) => edit.variant))) {
    const own = edits.filter((edit) => edit.variant === variant)
    const count = (form: RegExp, side: 'find' | 'replace'): number =>
      own.reduce((sum, edit) => sum + (edit[side].match(form)?.length ?? 0), 0)
    const gone = Math.max(0, count(NAMED, 'find') - count(NAMED, 'replace'))
    if (READ_ALOUD.some((form) => count(form, 'replace') < count(form, 'find') - gone))
      return { reason: 'unsafe', message: 'it takes away what screen readers read' }
    if (HINDERS.some((form) => count(form, 'replace') > count(form, 'find')))
      return { reason: 'unsafe', message: 'it hides something, or takes the focus' }
  }
  return null
}

/** How long code waits, at the end of a call that sets something after a time, is no figure that anybody reads. */
const DELAY = /(?<=\w\((?:true|false|\d*)\)\s*,\s*)\d+(?=\s*\)$)/

function objectionToWords(text: string, known: string): Objection | null {
  if (PRESSES.test(text) || SHAMES.test(text))
    return { reason: 'dark_pattern', message: `“${text.slice(0, 80)}” presses or shames` }
  const [first] = unstatedIn(text, known)
  if (first === undefined) return null
  return {
    reason: 'invented',
    message: `nothing in the file says ${/^\d/.test(first) ? first : `“${first}”`}`,
  }
}

/** The figures and claims of a text that `known` does not state. */
export function unstatedIn(text: string, known: string): string[] {
  const figures = (text.replace(DELAY, '').match(/\d+(?:[.,]\d+)*/g) ?? []).filter(
    (figure) => !new RegExp(`(?<![\\d.,])${figure.replace(/[.]/g, '\\.')}(?![\\d]|[.,]\\d)`).test(known),
  )
  const claims = CLAIMS.flatMap((form) => {
    const said = form.exec(text)?.[0]
    return said === undefined || form.test(known) ? [] : [said]
  })
  return [...figures, ...claims]
}
