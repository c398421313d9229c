import { type Change, reword } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  attribute,
  type Element,
  elementsIn,
  given,
  has,
  isWithin,
  type Page,
  type Text,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { anchorOf, type Form, isEmail, isPassword, namesOf } from '../../surface.js'
import type { Language } from '../../words/language.js'
import { OPTIONAL } from '../../words/phrases.js'
import { countOf, goalOfForm, theForm } from './called.js'
import { type Demands, demandsOn } from './demands.js'
import { labelElement } from './labels.js'
import { takesEmpty } from './takes-empty.js'
import { callsOf } from './unread.js'

const PHONE =
  /phone|\btel\b|telefon|t[eé]l[eé]phone|tel[eé]fono|\bmobile\b|\bhandy\b|\bm[oó]vil\b|\bcelular\b|\bportable\b|whats.?app/
/** A form by which somebody asks something, as it is called. */
const ASKS =
  /contact|kontakt|quote|quotation|devis|angebot|anfrage|cotiza|presupuesto|enquir|inquir|consulta|demande|message|nachricht|mensaje|get in touch|write to us|schreib|escr[ií]b|[ée]crivez/i
/** Somebody calls: the number is what the form is for. */
const CALLS =
  /\b(we|i)('ll| will| can)? (call|ring|text|phone)|call(ing)? you|call.?back|phone call|by (tele)?phone|over the phone|\bsms\b|text message|rückruf|zurückruf|rufen (wir|ich|sie)|anrufen|telefonisch|rappel|vous appel|par téléphone|(te|le|os|les) llam|llamada|llamaremos|por teléfono|telefónic/i
/** Where minutes count, somebody comes, something is brought, or a day is agreed upon, the number is needed. */
const NEEDS =
  /deliver|liefer|livraison|entrega|env[ií]o|appointment|\bbook|buchen|buchung|reserv|réserv|\btermin\b|rendez-?vous|\brdv\b|\bcitas?\b|checkout|kasse|\bcart\b|panier|carrito|careers?|\bjobs?\b|karriere|bewerb|candidat|empleo|apply|volunteer|\bdemo\b|démonstration|wholesale|dealer|visit|besichtigung|visite/i
/** Work for which minutes count, or for which somebody comes, whatever else the page says. */
const URGENT =
  /emergenc|urgen[ct]|notfall|notdienst|24\/7|breakdown|d[ée]pannage|plumb|locksmith|\bhvac\b|electrician|towing|sanitär|heizungs?(bau|notdienst|install)|schlüsseldienst|umzug|plombi|serruri|chauffagiste|déménage|fontaner|cerrajer|mudanza|\btaxi/i
const ADDRESS = /address|street|stra(ß|ss)e|adresse|direcci[oó]n|\bzip|postal|postcode|\bplz\b|code.?postal/
/** That nothing may be left out. */
const ALL =
  /\ball (the )?fields (are|is) (required|mandatory)|\balle felder (sind|müssen)|\btous les champs sont (obligatoires|requis)|\btodos los campos son (obligatorios|requeridos)/i
const EXCEPT: Readonly<Record<Language, string>> = {
  en: 'unless marked as optional',
  de: 'sofern nicht anders angegeben',
  fr: 'sauf mention contraire',
  es: 'salvo que se indique lo contrario',
}
/** The form itself opens a message. */
const WHATS_APP = /(?:open|assign|href\s*=|url\s*=)[^\n]{0,20}["'`]https:\/\/(?:wa\.me|api\.whatsapp\.com)\//
/** The site's own word for what may be left out. */
const OWN_WORD = /\((optional|optionnel|optionnelle|facultatif|facultative|opcional|freiwillig)\)/i
const MARKED =
  /\s*\((?:required|mandatory|obligatoire|requis|obligatorio|requerido|pflichtfeld|pflicht|erforderlich)\)|\s*\*/gi

/**
 * A telephone number that is insisted on beside an e-mail address, in a form by which one asks something: it may be left out. Its attribute, its star, what the page's code
 * checks and what the form says of all fields change together, or nothing does. Not where somebody is called, comes or delivers, nor where it is not known that the one who
 * receives it takes the form without.
 */
export function* phoneOptional(view: View): Generator<Idea> {
  for (const form of view.forms) yield* withoutPhone(view, form)
}

function* withoutPhone(view: View, form: Form): Generator<Idea> {
  const { page, language } = view
  const { fields, element } = form
  if (language === null || page.isTranslated === true || fields.length < 3 || fields.some(isPassword)) return
  const [phone, ...others] = fields.filter((one) => given(one, 'type') === 'tel' || PHONE.test(namesOf(one)))
  const email = fields.find((one) => isEmail(one) && one !== phone)
  if (phone === undefined || others.length > 0 || email === undefined || !isAsking(page, form)) return
  // Where one has to say where one lives, something is brought.
  if (
    fields.some(
      (one) => one !== email && ADDRESS.test(namesOf(one)) && insistedOn(page, one)?.isDemanded !== false,
    )
  )
    return
  const insisted = insistedOn(page, phone)
  if (insisted === null || !insisted.isDemanded || insistedOn(page, email)?.isDemanded !== true) return
  const names = callsOf(page, phone)
  if (!takesEmpty(view, form, names)) return
  const word = OWN_WORD.exec(wordsIn(page.root))?.[1]?.toLowerCase() ?? OPTIONAL[language]
  const marked = markedAs(page, form, phone, word)
  const rule = exceptIn(page, language)
  if (marked === null || rule === null) return
  yield {
    mechanism: 'friction',
    pattern: 'phone-optional',
    name: `Let the telephone number be left out of ${theForm(form, page.path)}`,
    anchor: anchorOf(element, `${countOf(form)} fields, telephone required`),
    topics: ['form', 'fields', 'phone', form.purpose ?? '', form.heading],
    arms: [
      {
        name: `Telephone (${word})`,
        changes: [...insisted.changes, ...marked.changes, ...rule],
        says: marked.says,
      },
    ],
    audience: `visitors who fill in ${theForm(form, page.path)}`,
    change: `not insisting on a telephone number beside the e-mail address, and saying “${marked.says}”,`,
    because: WHATS_APP.test(page.text)
      ? 'the message comes by WhatsApp, which shows the number by itself'
      : 'many would rather not be called, and the answer reaches them by e-mail (ask whoever answers how often they ring first)',
    goal: goalOfForm(form),
    // Many who are asked would rather ring than write.
    effect: 2,
    isOneEverywhere: true,
  }
}

/** Whether a form is there to ask something, and nothing near it needs a number. */
function isAsking(page: Page, form: Form): boolean {
  const { element, purpose, heading } = form
  const all = wordsIn(page.root)
  const shown = elementsIn(element).map((one) => given(one, 'placeholder') ?? '')
  const about = `${heading} ${page.path.replace(/.*\/(?=[^/]+\/[^/]+$)/, '')} ${wordsIn(element)} ${shown.join(' ')}`
  const spaced = about.replace(/([a-z])([A-Z])/g, '$1 $2')
  if (purpose !== 'contact' && (purpose !== null || !ASKS.test(spaced))) return false
  return !CALLS.test(`${all} ${shown.join(' ')}`) && !URGENT.test(`${all} ${spaced}`) && !NEEDS.test(spaced)
}

/** What insists on a field: its own attributes, and the page's code. */
function insistedOn(page: Page, field: Element): Demands | null {
  const demands = demandsOn(page, field)
  if (demands === null) return null
  const own = ['required', ':required', 'aria-required'].flatMap((name) => attribute(field, name) ?? [])
  // Where code decides it, it may be asked for only sometimes.
  if (
    own.some(
      ({ name, start, end }) =>
        !/^(?:aria-)?required(?:=(?:\{true\}|(["'])(?:|true|required)\1))?$/.test(
          page.text.slice(start, end),
        ) || name.startsWith(':'),
    )
  )
    return null
  const isRequired = has(field, 'required') && given(field, 'required') !== 'false'
  const taken = own.map(({ start, end }): Change => {
    const gap = /\s*$/.exec(page.text.slice(0, start))?.[0].length ?? 0
    return { start: start - gap, end, text: '', unit: field }
  })
  return { changes: [...taken, ...demands.changes], isDemanded: isRequired || demands.isDemanded }
}

/** What names the field, with the word in the place of its star. */
function markedAs(
  page: Page,
  form: Form,
  field: Element,
  word: string,
): { changes: Change[]; says: string } | null {
  const label = labelElement(form, field)
  if (label === undefined || !textsIn(label).some(({ value }) => /\p{L}/u.test(value))) {
    const name = ['label', 'placeholder'].find((one) => has(field, one))
    const own = name === undefined ? undefined : attribute(field, name)
    // An example names nothing.
    if (own?.own == null || own.value === null || /\d{2}/.test(own.value)) return null
    const says = worded(own.value, word)
    return says === null ? null : { changes: [{ ...own.own, text: says, unit: field }], says }
  }
  if (/required|pflicht|obligat/i.test(given(label, 'class') ?? '')) return null
  const texts = textsIn(label).filter((one) => !isWithin(one, field))
  const [first, star, ...more] = texts
  if (first === undefined || more.length > 0 || label.hasCode || first.key !== undefined) return null
  const says = worded(first.value, word)
  const change = says === null ? null : reword(page, first, says)
  if (says === null || change === null) return null
  if (star === undefined) return { changes: [change], says }
  const mark = starOf(star, label)
  if (mark === null) return null
  const gap = /\s*$/.exec(page.text.slice(first.end, mark.start))?.[0].length ?? 0
  const unit = { unit: label }
  return {
    changes: [
      { ...change, ...unit },
      { start: mark.start - gap, end: mark.end, text: '', ...unit },
    ],
    says,
  }
}

/** The element that holds a star and nothing else. */
const starOf = ({ value, parent }: Text, label: Element): Element | null =>
  /^\*$/.test(value) && parent !== label && parent.parent === label && wordsIn(parent) === value
    ? parent
    : null

/** `Phone * (10 digits)` as `Phone (10 digits, optional)`; `null` where nothing is left, or the word is there. */
function worded(value: string, word: string): string | null {
  if (OWN_WORD.test(value)) return null
  const bare = value.replace(MARKED, '').trim()
  if (!/\p{L}/u.test(bare) || bare.length > 60) return null
  if (/\)$/.test(bare)) return `${bare.slice(0, -1)}, ${word})`
  return /:$/.test(bare) ? `${bare.slice(0, -1).trim()} (${word}):` : `${bare} (${word})`
}

/** What is said of all fields, with the exception; `null` where it cannot be said. */
function exceptIn(page: Page, language: Language): Change[] | null {
  const all = textsIn(page.root).filter(({ value }) => ALL.test(value))
  const changes = all.map((one) => {
    const said = /^(.*?)([.!]?)$/s.exec(one.value)
    const isAlone = said !== null && ALL.test(said[1] ?? '') && !/[.!?]/.test(said[1] ?? '')
    return isAlone
      ? reword(
          page,
          one,
          `${said[1] ?? ''}${language === 'en' ? ' ' : ', '}${EXCEPT[language]}${said[2] ?? ''}`,
        )
      : null
  })
  return changes.some((one) => one === null) ? null : changes.flatMap((one) => one ?? [])
}
