import { escaped } from '../../../words.js'
import { above, type Element, given, has, type Page, wordsIn } from '../../markup/tree.js'
import { type Form, ownNamesOf } from '../../surface.js'
import { wordedPath } from '../../uses.js'
import { withoutRemarks } from '../choice/state.js'
import { labelElement } from './labels.js'

/** Records of people, one of them or a new one: staff fill these in. */
const OF_RECORDS =
  /(^|\/)(mitglieder|members?|customers?|kunden|kundinnen|clients?|users?|contacts|leads?|patients?|patienten|employees?|mitarbeiter|staff|persons?|personen|people|students?|teilnehmer|suppliers?|lieferanten|vendors?|membres|employ[ée]s|clientes|miembros|crm|records?)\/(.*\/)?(\[[^\]]+\]|_?new|neu|nouveau|nuevo|add|edit|create|anlegen|bearbeiten)(?=[/._-]|$)|(^|[/_.-])(edit|update|manage)[-_.]?(member|customer|client|contact|lead|patient|employee|user|person|record)s?(?=[/_.-]|$)/i
/** What stands where it is asked whether somebody is of those who run the site. */
const STAFF =
  /\b(?:is|can|has)_?(?:admin|staff|vorstand|employee|manager|mitarbeiter|superuser|editor|board)\w*|\brole\w*\s*===?\s*["'](?:admin|staff|vorstand|employee|manager|editor|owner|board)|\b(?:admin|staff|vorstand)Only\b/i
/** Whoever is not of them is shown something else, or sent away. */
const OTHERS_SENT_AWAY = new RegExp(`\\bif\\s*\\(\\s*!\\s*(?:[\\w$]+\\??\\.)*(?:${STAFF.source})`, 'i')
/** What only those write down who keep a record of somebody. */
const KEPT_OF_OTHERS =
  /^(status|member_?status|customer_?status|lead_?status|internal_?notes?|admin_?notes?|staff_?notes?|interne_?notizen|member_?since|mitglied_?seit|customer_?since)$/i
const KEPT_BY_LABEL =
  /^(status|interne (notizen?|bemerkung\w*)|internal notes?|notes internes|notas internas|mitglied seit|member since|customer since)$/i
const SAVES =
  /^(save|speichern|enregistrer|sauvegarder|guardar|update|aktualisieren|mettre à jour|actualizar|änderungen speichern)(?!\p{L})(?!.*(continue|weiter|pay|order|next))/iu

/** What holds what a form is about to send, or gives back what was turned down. */
const OF_FORM =
  /^\$?(\w*form\w*|values?|fields?|inputs?|state|formik|old|errors?|initial\w*|defaults?|search_?params|params|query|route|router|actionData|props|field|option|item)$/i
const OWN = String.raw`([\w$]+)(?:\??\.[\w$]+)*\??\.[\w$]+`
const FROM_RECORD = [
  // What a field begins with, and what it holds where nothing answers to its changes.
  new RegExp(String.raw`(?:\bdefaultValue|(?<![\w-]):value|\bv-bind:value)\s*=\s*["{]\s*${OWN}`),
  new RegExp(String.raw`\bvalue\s*=\s*"\{\{\s*${OWN}`),
]
const HELD = new RegExp(String.raw`(?<![\w:-])value\s*=\s*\{\s*${OWN}`)
const BOUND = new RegExp(String.raw`\b(?:bind:value\s*=\s*\{|v-model(?:\.\w+)*\s*=\s*["'])\s*${OWN}`)
/** State that begins with what is known of somebody: `{ phone: customer.phone }`. */
const BEGINS =
  /(?:useState(?:<[^()]*>)?\(\s*(?:\(\)\s*=>\s*\(?)?|\breactive(?:<[^()]*>)?\(|(?<![\w.])ref(?:<[^()]*>)?\(|\$state(?:<[^()]*>)?\(|\b(?:initial|default)Values\s*[:=]\s*|\bset[A-Z]\w*\()\s*\{([^{}]*)\}/g
const TAKEN = /(?<![\w$])([\w$]+)\s*:\s*([\w$]+)(?:\??\.[\w$]+)*\??\.\1(?![\w$])/g
const BEGINS_ALONE = new RegExp(String.raw`\buseState(?:<[^()]*>)?\(\s*${OWN}\s*(?:\?\?|\|\||\))`, 'g')

/**
 * Whether a form is for those who keep records of others, or to edit what is there: a field that goes from it takes away what has been written down. Visitors fill in other forms.
 */
export function isBackOffice(page: Page, form: Form): boolean {
  const { purpose, submit, fields } = form
  if (isForStaff(page, form) || isPrefilled(page, form)) return true
  if (purpose === 'sign up' || purpose === 'checkout') return false
  return (
    OF_RECORDS.test(wordedPath(page.path)) ||
    fields.some((field) => isKeptOfOthers(form, field)) ||
    (purpose === null && submit !== null && SAVES.test(wordsIn(submit).trim()))
  )
}

function isForStaff(page: Page, { element }: Form): boolean {
  const around = [...above(element)]
  const isAsked = around.some((one) => {
    const [first] = one.children
    const condition =
      one.tag === '#code'
        ? page.text.slice(one.start, first?.start ?? one.start)
        : (given(one, 'v-if') ?? given(one, 'v-show') ?? '')
    return STAFF.test(condition)
  })
  return isAsked || OTHERS_SENT_AWAY.test(withoutRemarks(page))
}

function isKeptOfOthers(form: Form, field: Element): boolean {
  const label = labelElement(form, field)
  const names = ['name', 'id'].map((one) => given(field, one) ?? '')
  const said = label === undefined ? (given(field, 'label') ?? '') : wordsIn(label)
  return (
    names.some((one) => KEPT_OF_OTHERS.test(one.replace(/([a-z])([A-Z])/g, '$1_$2'))) ||
    (KEPT_BY_LABEL.test(said.replace(/[*:\s]+$/, '').trim()) && !/marital|civil/.test(ownNamesOf(field)))
  )
}

/** Whether some field begins with the value of a record, and not with what is kept while the form is filled in. */
function isPrefilled(page: Page, { fields }: Form): boolean {
  const code = withoutRemarks(page)
  if (fields.some((field) => isFilledFrom(page, code, field))) return true
  const begun = [...code.matchAll(BEGINS)].flatMap(([, inner = '']) => [...inner.matchAll(TAKEN)])
  const names = new Set(fields.flatMap((field) => [given(field, 'name'), given(field, 'id')]))
  const asks = (name: string): boolean => names.has(name) || code.includes(`.${name}`)
  return (
    begun.some(([, name = '', root = '']) => asks(name) && !OF_FORM.test(root) && root !== 'e') ||
    [...code.matchAll(BEGINS_ALONE)].some(([, root = '']) => !OF_FORM.test(root))
  )
}

function isFilledFrom({ dialect, text }: Page, code: string, field: Element): boolean {
  const own = text.slice(field.start, field.end)
  const isControlled = /\bon(Change|Input|ValueChange)\b|\bon:?input\b/.test(own)
  const held = dialect === 'html' || isControlled || has(field, 'readonly') ? undefined : HELD.exec(own)?.[1]
  const bound = BOUND.exec(own)?.[1]
  const roots = [...FROM_RECORD.map((one) => one.exec(own)?.[1]), held]
  return (
    roots.some((root) => root !== undefined && !OF_FORM.test(root)) ||
    (bound !== undefined && !OF_FORM.test(bound) && isLoaded(code, bound))
  )
}

/** Whether what a field is bound to is handed in, or fetched: not what begins empty in the page itself. */
const isLoaded = (code: string, root: string): boolean => {
  const own = escaped(root)
  return new RegExp(
    `\\b(?:const|let|var)\\s+${own}\\b[^=\\n]*=\\s*(?:\\$derived|\\$state\\(\\s*(?:data|props)\\b|await\\b|use(?:Fetch|AsyncData|Query|Loader)\\w*|data\\.|props\\.|ref\\(\\s*(?:data|props|await)\\b|toRefs?\\b|storeToRefs\\b)|\\bexport\\s+let\\s+${own}\\b\\s*[;:\\n]|\\blet\\s*\\{[^}]*\\b${own}\\b[^}]*\\}[^=\\n]*=\\s*\\$props\\(`,
  ).test(code)
}
