import { core } from '../../variants/text.js'
import {
  above,
  attribute,
  besides,
  collapsed,
  type Element,
  elementsIn,
  given,
  has,
  type Page,
  type Text,
  textsIn,
  wordsIn,
} from './markup/tree.js'
import { isStub } from './stub.js'
import { wordedPath } from './uses.js'
import type { Purpose } from './words/phrases.js'

export const isHeading = (element: Element): boolean => /^(h[1-6]|heading|title)$/.test(element.name)

export const isLink = (element: Element): boolean =>
  /^(a|link|navlink|router-link|routerlink|nuxtlink|nuxt-link)$/.test(element.name) &&
  (has(element, 'href') || has(element, 'to') || has(element, ':to'))

/** Where one comes to by what is pressed: by its own link, the one that it stands in, or the one that stands in it. */
export const hrefOf = (way: Element): string | null => {
  const link = [way, ...above(way), ...elementsIn(way)].find(isLink)
  return link === undefined ? null : (given(link, 'href') ?? given(link, 'to'))
}

/** Sites of others on which every site has a page. */
export const OTHERS_SITES =
  /github|gitlab|discord|slack|twitter|x\.com|linkedin|facebook|instagram|youtube|tiktok|wa\.me|t\.me|npmjs/i

/** An element's own styles, as its attribute says them. */
export const styled = (
  { dialect }: Pick<Page, 'dialect'>,
  styles: Readonly<Record<string, string>>,
): string => {
  const all = Object.entries(styles)
  if (all.length === 0) return ''
  return dialect === 'jsx'
    ? ` style={{ ${all.map(([name, value]) => `${name}: '${value}'`).join(', ')} }}`
    : ` style="${all.map(([name, value]) => `${name.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}: ${value}`).join('; ')}"`
}

/** The attribute that holds classes. */
export const classWord = ({ dialect }: Pick<Page, 'dialect'>): string =>
  dialect === 'jsx' ? 'className' : 'class'

/** Classes of buttons, as people call them in their language. */
const LOOKS_PRESSED = /(^|[\s_-])(btn|button|cta|knopf|schaltfl(ae|ä)che|bouton|bot[oó]n)($|[\s_-])/i

/** What looks like a button: by tag, role or class. */
export function isButton(element: Element): boolean {
  const tag = element.name
  if (/^(?!(radio|toggle|icon|close|menu|tab|accordion|popover|dropdown))[a-z-]*(button|btn)$/.test(tag))
    return !/^(popover|listbox|menu|disclosure|tabs?|accordion|radio)\./i.test(element.tag)
  if (tag === 'input') return /^(submit|button)$/.test(given(element, 'type') ?? '')
  return (
    isLink(element) &&
    (LOOKS_PRESSED.test(given(element, 'class') ?? '') || given(element, 'role') === 'button')
  )
}

/** What a button says while it works, as `Saving…`. */
const WORKING = /(…|\.{3})$/

/** The only words of an element, where code adds none; icons, empty elements and what it says while it works do not count. */
export function labelOf(element: Element): Text | null {
  const all = textsIn(element)
  const [only, ...more] = all.length < 2 ? all : all.filter(({ value }) => !WORKING.test(value))
  if (only === undefined || more.length > 0 || element.hasCode) return null
  for (const inner of elementsIn(element)) if (inner.hasCode) return null
  return only
}

/** What a button says, and not what it says while it works: `''` where code gives all the rest. */
export const saidOn = (element: Element): string => {
  const texts = textsIn(element)
  const all = texts.filter(({ value }) => !WORKING.test(value))
  return all.length === 0 && texts.length === 0
    ? wordsIn(element)
    : collapsed(all.map(({ value }) => value).join(' '))
}

export const bare = (text: string): string =>
  collapsed(text)
    .toLowerCase()
    .replace(/^[¡¿←‹«\s]+|[\s!.…:→›»]+$/gu, '')

const FIELD =
  /^(?!(check|radio|file|hidden|switch|range|slider|color|upload|base))([a-z]*input|[a-z]*textfield|formfield|textarea|[a-z]*textarea|select|v-text-field|el-input|text-input)$/
/** `Form.Control` and its like, which are fields by the form that they are a part of. */
const CONTROL = /^[a-z]*form\.(control|select|textarea)$/i

/** A form library's field, or the site's own, which renders what it is told to; one with something in it only lays that out. */
const isBareField = ({ name, children, attributes }: Element): boolean =>
  /^(field|feld|champ|campo)$/.test(name) &&
  children.length === 0 &&
  attributes.some((one) => one.name === 'name')

export const isField = (element: Element): boolean => {
  const tag = element.name
  return (
    (FIELD.test(tag) || CONTROL.test(element.tag) || isBareField(element)) &&
    !/^(hidden|submit|button|reset|image|checkbox|radio|range|color|file)$/.test(
      given(element, 'type') ?? 'text',
    )
  )
}

export interface Form {
  element: Element
  fields: Element[]
  purpose: Purpose | null
  /** the one button that sends it, where that can be told */
  submit: Element | null
  heading: string
  /** it sends nothing yet, on a site that is a kit: whoever takes it makes it send */
  isDead: boolean
}

/** What only programs fill in, and people never see: it is never touched. */
export const isTrap = (field: Element): boolean =>
  given(field, 'tabindex') === '-1' ||
  TRAP.test(namesOf(field)) ||
  // What people are asked for is theirs to have filled in.
  (/^(off|new-password|nope|false)$/.test(given(field, 'autocomplete') ?? '') &&
    /\b(website|homepage|url|fax)\b/.test(namesOf(field).replace(/[-_]/g, ' '))) ||
  [field, ...above(field)].some(
    (one) =>
      /^(|true)$/.test(given(one, 'aria-hidden') ?? 'false') ||
      given(one, 'hidden') === '' ||
      /(^|\s)(hidden|invisible|opacity-0|sr-only|visually-hidden|screen-reader-text|d-none|honey\S*|-(left|top|right)-\[?\d{3,}\S*|-(left|top)-(full|96)|(left|top|right)-\[-\d{3,}\S*)(\s|$)/i.test(
        given(one, 'class') ?? '',
      ) ||
      /display:\s*['"]?none|opacity:\s*['"]?0(?![.\d])|(left|top|right):\s*['"]?-\d{3,}/i.test(
        given(one, 'style') ?? '',
      ),
  )

const TRAP = /honey|_gotcha|bot-?field|\bhp\b|\bhp_|_hp\b|\bwebsite_url\b|leave.{0,12}(empty|blank)/i

const isForm = (element: Element): boolean => /^(v-?|el-|b-|u)?form$/.test(element.name)

/**
 * The forms of a page; of a component that is but the fields of one, the element around them. What sends nothing is none that somebody fills in, but in a kit, where nothing
 * does yet.
 */
export function formsOf(page: Page, { isKit = false, isIdle = false } = {}): Form[] {
  const forms = [...elementsIn(page.root)]
    .filter(isForm)
    .filter((element) => ![...above(element)].some(isForm))
  if (forms.length > 0)
    return forms
      .map((element) => ({
        element,
        isDead: leadsNowhere(element, page) || (isIdle && mayBeIdle(element, page)),
      }))
      .filter(({ isDead }) => isKit || !isDead)
      .map(({ element, isDead }) => ({ ...formOf(element, page), isDead }))
  const fields = [...elementsIn(page.root)].filter(isField)
  const [first] = fields
  const around = first === undefined ? [] : [...above(first)]
  const holder = around.find((one) => fields.every((field) => [...above(field)].includes(one)))
  return fields.length < 4 || holder === undefined ? [] : [{ ...formOf(holder, page), isDead: false }]
}

/** Whether nothing is sent: all that looks like its button is a link, or by its address, and no code takes its place. */
const leadsNowhere = (form: Element, page: Page): boolean =>
  (page.dialect === 'html' && sendsByLinks(form)) ||
  isStub(page, form) ||
  STANDS_IN.test(given(form, 'action') ?? '') ||
  // Whoever has no program for mail on that device writes nothing.
  /^mailto:/i.test(given(form, 'action') ?? '') ||
  (page.dialect !== 'html' && isDead(form)) ||
  (/^#?$/.test(given(form, 'action') ?? '/') &&
    !form.attributes.some(({ name }) => /submit|^(use:|bind:|ref$|v-|x-|hx-|data-)/.test(name)) &&
    !(page.dialect === 'html' && /<script/i.test(page.text)))

/** What stands in a form's own attribute and only keeps it where it is. */
const STAYS =
  /^\s*(?:(?:(?:event|e)\.preventDefault\(\)|alert\([^()]*\)|this\.reset\(\)|return false)\s*;?\s*)+$/

/** What a server fills in before it shows a page, which takes at the same address what is sent. */
const BY_SERVER = /\{\{|\{%|<\?|<%/

/** Whether a form of HTML has nothing by which it is sent but a script, if there is one that does. */
const mayBeIdle = (form: Element, page: Page): boolean =>
  page.dialect === 'html' &&
  !/^post$/i.test(given(form, 'method') ?? '') &&
  !BY_SERVER.test(page.text.slice(form.start, form.end)) &&
  /^#?$/.test(given(form, 'action') ?? '') &&
  !form.attributes.some(
    ({ name, value }) =>
      /submit|^(use:|x-|hx-|data-|netlify$)/.test(name) && !(name === 'onsubmit' && STAYS.test(value ?? '')),
  ) &&
  !elementsIn(form).some((one) =>
    one.attributes.some(({ name }) => /^(formaction|onclick|hx-.*|x-.*)$/.test(name)),
  )

/** The forms of a page that nothing sends where none of its scripts does; `areAll`: it has no others. `null` where it has none. */
export function idleForms(page: Page): { areAll: boolean } | null {
  const forms = elementsIn(page.root).filter(isForm)
  const idle = forms.filter((one) => mayBeIdle(one, page) && !leadsNowhere(one, page))
  return idle.length === 0
    ? null
    : { areAll: forms.every((one) => idle.includes(one) || leadsNowhere(one, page)) }
}

/** Whether what is filled in on a page is taken by anybody: `dead` where all its forms send nothing; `null` where it has none. */
export function formsAre(page: Page): 'live' | 'dead' | null {
  const forms = elementsIn(page.root).filter(isForm)
  if (forms.length === 0) return isStillToCome(page) || IS_DEMO.test(page.text) ? 'dead' : null
  return forms.every((form) => leadsNowhere(form, page)) ? 'dead' : 'live'
}

/** What a page says whose purpose is still to come. */
const STILL_TO_COME =
  /(?<!\p{L})(?:(?:pending|awaiting) (?:launch|approval)|integration pending|under construction|page (?:is )?coming soon|bookings? (?:is |are )?coming soon|(?:noch )?im aufbau|in kürze verfügbar|en (?:cours de )?construction|bientôt disponible|próximamente disponible|en construcción)(?!\p{L})/iu
/** Few pages have a word of it. */
const MAY_BE_TO_COME = /pending|awaiting|construc|coming soon|aufbau|in kürze|bientôt|próximamente/i
/** A page that says more has something to show. */
const MAX_OF_NOTHING = 1_500

/** What is bought there is bought by nobody, as the page says when it is pressed. */
const IS_DEMO = /alert\([^)]*\bdemo|\bdemo-(?:modus|phase)\b|\bin demo mode\b/i

/** Whether nothing can be done on a page yet, as it says itself. */
const isStillToCome = ({ root, text }: Page): boolean => {
  if (!MAY_BE_TO_COME.test(text)) return false
  const words = wordsIn(root)
  return (
    words.length <= MAX_OF_NOTHING &&
    STILL_TO_COME.test(words) &&
    !elementsIn(root).some((one) => isField(one) || one.name === 'iframe')
  )
}

/** Whether some form of a page sends nothing: in a kit it counts. */
export const hasDeadForm = (page: Page): boolean =>
  elementsIn(page.root).some((one) => isForm(one) && leadsNowhere(one, page))

/** Nobody takes what is sent, and nothing in it has a name or a place in the code. */
const isDead = (form: Element): boolean =>
  /^form$/i.test(form.tag) &&
  form.attributes.every(({ name }) =>
    /^(class|id|style|novalidate|autocomplete|aria-.*|role|key)$/.test(name),
  ) &&
  !elementsIn(form).some(
    (one) =>
      /^[A-Z]|-/.test(one.tag) ||
      one.attributes.some(({ name }) =>
        /^(name|v-model.*|bind:.*|on.+|@.+|:.+|ref|use:.*|formaction|x-.*|hx-.*)$/.test(name),
      ) ||
      one.hasCode,
  )

/** An address at which a service takes forms, and that has still to be given. */
const STANDS_IN = /\b(your|replace|xxx+|placeholder|todo)\b|YOUR[_-]|REPLACE[_-]|<[A-Z_]+>/i

function sendsByLinks(form: Element): boolean {
  const buttons = elementsIn(form).filter(isButton)
  return (
    buttons.length > 0 && buttons.every((one) => isLink(one) && /^[\w/.-]+$/.test(given(one, 'href') ?? ''))
  )
}

function formOf(element: Element, page: Page): Omit<Form, 'isDead'> {
  const inner = [...elementsIn(element)]
  const all = inner.filter((one) => isField(one) && !isTrap(one))
  // What lays a field out may be called as one.
  const fields = all.filter((one) => !all.some((other) => one.start < other.start && other.end <= one.end))
  const buttons = inner.filter(isButton)
  const submits = buttons.filter((one) => given(one, 'type') === 'submit')
  const own = submits.length > 0 ? submits : buttons.filter((one) => one.name !== 'a' && !has(one, 'type'))
  const heading = headingNear(element)
  const purpose = purposeOf(fields, element, `${heading} ${page.path}`, page.path.toLowerCase())
  return {
    element,
    fields,
    heading,
    submit: own.length === 1 ? (own[0] ?? null) : null,
    purpose: purpose === 'sign up' && isForInvited(page) ? null : purpose,
  }
}

/** Where those come who were asked to: by the folders and names of files. */
const INVITED_PATH =
  /(^|[/_.-])(invit\w*|einlad\w*|accept(-?\w*invit\w*)?|aceptar|accepter|annehmen|(my-?|your-?)?tenants?|\w*portal|join-?(the-?|your-?|a-?)?team)(?=[/_.-]|$)|\[\w*(token|invit\w*)\]/i
/** What is said to them, by whoever asked them. */
const INVITED =
  /\b(you(['’]ve| have| were| are|['’]re)?( just)?( been)? invited|invited (you|by|to)|invit(e|ation) (link|code|only|token|is|has|expired|not found|required)|(accept|accepting|invalid|valid|checking|by|this) (an? |the |your |this )?invit(e|ation)|join your (team|organi[sz]ation|company|workspace))\b|(?<!\p{L})(eingeladen|einladungs(?:link|code|token)s?|einladung (?:annehmen|ist|wurde|ungültig|abgelaufen)|(?:diese|per|auf) einladung|(?:cette|par|sur|accepter (?:l['’]|votre |cette )) ?invitation|invitation (?:expirée|invalide|acceptée)|invitée?s? (?:à|par)|rejoindre (?:votre|l['’]) ?(?:équipe|organisation)|(?:aceptar|acepta|esta|por) (?:la |tu |esta )?invitación|invitación (?:aceptada|caducada|no válida|es para|ha)|(?:te|le|has sido|fuiste) (?:han |están |ha )?invita(?:d[oa]|ndo)|únete a tu (?:equipo|organización))(?!\p{L})/iu
/** The sign by which one is known who was asked to come, as the address has it. */
const READS_TOKEN =
  /(?:params?|query|searchParams)\??(?:\.value)?(?:\.get\(\s*["'`]|\??\.|\[["'`])(?:token|inviteToken|invitationToken|invitation)\b|\{\s*(?:token|inviteToken|invitationToken)\s*\}\s*=\s*(?:useParams|await params|params|use\(params)/i

/** Whether a page is for people who were invited: they come anyway, and are asked by somebody else who pays. */
export const isForInvited = ({ path, text, root }: Pick<Page, 'path' | 'text' | 'root'>): boolean =>
  INVITED_PATH.test(wordedPath(path)) || INVITED.test(wordsIn(root)) || READS_TOKEN.test(text)

/** What a field is about, by all that names it. */
export const namesOf = (field: Element): string =>
  `${ownNamesOf(field)} ${given(field, 'autocomplete') ?? ''}`.toLowerCase()

/** The same without what browsers fill in, which is near to what is asked for, and may be something else. */
export const ownNamesOf = (field: Element): string =>
  ['name', 'id', 'placeholder', 'type', 'aria-label', 'label']
    .map((name) => given(field, name) ?? '')
    // A group of a component library names the field that is in it.
    .concat(field.parent === null ? '' : (given(field.parent, 'controlid') ?? ''))
    .join(' ')
    .toLowerCase()

export const isEmail = (field: Element): boolean => /e-?mail|courriel|correo/.test(namesOf(field))
export const isPassword = (field: Element): boolean =>
  given(field, 'type') === 'password' ||
  // Code may show what is typed.
  (given(field, 'type') === null && /passwor[dt]|contraseña|mot de passe/.test(namesOf(field)))

/** An account that is made for somebody else. */
const OTHERS =
  /(add|create|new|edit|invite)( an?| the)?( new)? (user|employee|member|staff|colleague|admin)\b|(mitarbeiter|benutzer|nutzer)(in)? (anlegen|hinzufügen|erstellen)|(ajouter|créer) une? (employé|utilisateur|membre)|(agregar|añadir|crear|nuevo)( un)? (empleado|usuario)/

/** What a form is for, by its fields first; words around it only decide between two that have the same fields. */
function purposeOf(fields: readonly Element[], form: Element, around: string, path: string): Purpose | null {
  const names = fields.map(namesOf)
  const said =
    `${around} ${wordsIn(form)} ${given(form, 'id') ?? ''} ${given(form, 'class') ?? ''}`.toLowerCase()
  const passwords = fields.filter(isPassword).length
  const emails = fields.filter(isEmail).length
  const any = (what: RegExp): boolean => names.some((name) => what.test(name))
  const signsUp = /sign[ -]?up|regist|create.{0,12}account|konto (erstellen|anlegen)|inscri|créer|crear/.test(
    said,
  )
  const resets = /forgot|reset|vergessen|zurücksetzen|oubli|réinitial|olvid|restablec/.test(
    around.toLowerCase(),
  )
  if (any(/card.?(number|num)|cvc|cvv|cc-number|kartennummer/)) return 'checkout'
  // Whoever makes accounts for others has no need to be won.
  if (passwords > 0 && /(^|[/_.-])(admin|backoffice|internal|staff)[/_.-]/.test(path)) return null
  if (passwords > 0 && OTHERS.test(said)) return null
  // An account may be made on the way; what one came for is to pay.
  if (passwords > 0 && /(^|[/_.-])(checkout|kasse|caisse|pago)(?=[/_.-])/.test(path)) return 'checkout'
  if (passwords > 0) {
    const told = fields.map((field) => given(field, 'autocomplete') ?? '')
    const asksOld = told.includes('current-password')
    const asksNew = told.includes('new-password')
    const named = fields.map((field) =>
      `${given(field, 'name') ?? ''} ${given(field, 'id') ?? ''}`.toLowerCase(),
    )
    if ((asksOld && asksNew) || named.some((name) => /current|old.?pass|new.?pass|aktuelles/.test(name))) {
      // Of a form with much else in it they are a part, and its button sends the rest.
      if (fields.length > passwords + 2) return null
      return asksNew && passwords === 1 && !asksOld ? null : 'profile'
    }
    if (asksNew) return resets ? null : emails > 0 || signsUp ? 'sign up' : null
    if (
      !asksOld &&
      (passwords > 1 ||
        (signsUp &&
          (fields.length > passwords + 1 ||
            !/sign[ -]?in|log[ -]?in|anmeld|connexion|connecter|iniciar/.test(around.toLowerCase()))))
    )
      return resets ? null : signsUp || emails > 0 ? 'sign up' : null
    if (fields.length <= 2 && (emails > 0 || any(/user|login|name|benutzer|utilisateur|usuario/)))
      return 'sign in'
    return null
  }
  if (fields.some((field) => given(field, 'type') === 'search') || any(/\bsearch\b|suche|recherche|buscar/))
    return 'search'
  if (
    fields.some((field) => field.name === 'textarea') &&
    emails > 0 &&
    (any(/message|nachricht|mensaje|question|demande|anfrage|inquiry|enquiry/) ||
      // A comment below an article is for everybody, and no message.
      (any(/comment/) && /contact|kontakt/.test(`${around} ${path}`.toLowerCase())))
  )
    return 'contact'
  if (
    fields.length >= 4 &&
    any(/address|street|straße|strasse|adresse|dirección/) &&
    any(/postal|zip|plz|postleitzahl|code.?postal|city|stadt|ville|ciudad/) &&
    /checkout|delivery|kasse|versand|liefer|livraison|envío/.test(said + path)
  )
    return 'checkout'
  if (emails > 0 && fields.length === 1) {
    if (resets) return 'reset'
    if (/newsletter|subscri|abonn|updates|suscri|boletín/.test(said)) return 'subscribe'
  }
  return null
}

/** What a form is called by itself: a heading or legend in it, its name for those who hear it, or the heading right above it. */
export function ownHeading(element: Element): string {
  const inner = elementsIn(element).find((one) => /^(h[1-6]|legend)$/.test(one.tag))
  if (inner !== undefined) return wordsIn(inner)
  const name = given(element, 'aria-label')
  if (name !== null) return name
  const row = besides(element)
  const before = row[row.indexOf(element) - 1]
  return before !== undefined && /^h[1-6]$/.test(before.tag) ? wordsIn(before) : ''
}

/** The words of the last heading before an element, as far out as its section goes. */
export function headingNear(element: Element): string {
  let inner: Element = element
  for (const outer of above(element)) {
    const before = outer.children.slice(0, outer.children.indexOf(inner)).reverse()
    for (const one of before) {
      if (one.kind !== 'element') continue
      const heading = isHeading(one) ? one : [...elementsIn(one)].reverse().find(isHeading)
      if (heading !== undefined) return wordsIn(heading)
    }
    inner = outer
  }
  const own = [...elementsIn(element)].find(isHeading)
  return own === undefined ? '' : wordsIn(own)
}

const PRICE = /(?:[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|EUR|USD|GBP|CHF))/

export interface Plan {
  element: Element
  name: Element
  buttons: Element[]
  price: number | null
}

const plansOfPages = new WeakMap<Page, { parent: Element; plans: Plan[] }[]>()

/** Elements beside each other that each have a name, a price and a button. Found once for each page. */
export function plansOf(page: Page): { parent: Element; plans: Plan[] }[] {
  const known = plansOfPages.get(page) ?? rowsOfPlans(page)
  plansOfPages.set(page, known)
  return known
}

function rowsOfPlans(page: Page): { parent: Element; plans: Plan[] }[] {
  const found: { parent: Element; plans: Plan[] }[] = []
  if (!PRICE.test(wordsIn(page.root))) return found
  for (const parent of elementsIn(page.root)) {
    const children = parent.children.filter((one): one is Element => one.kind === 'element')
    const plans = children.flatMap((element): Plan[] => {
      const inner = [...elementsIn(element)]
      const words = wordsIn(element)
      const name =
        inner.find(isHeading) ??
        inner.find(
          (one) =>
            /(^|[\s_-])(plan|name|title)($|[\s_-])/i.test(given(one, 'class') ?? '') && labelOf(one) !== null,
        )
      const buttons = inner.filter(isButton)
      if (name === undefined || buttons.length === 0 || buttons.length > 2) return []
      const price = PRICE.test(words)
        ? Number(
            /\d+(?:[.,]\d{1,2})?/.exec(PRICE.exec(words)?.[0] ?? words)?.[0].replace(',', '.') ?? Number.NaN,
          )
        : Number.NaN
      return [{ element, name, buttons, price: Number.isFinite(price) ? price : null }]
    })
    if (
      plans.length >= 2 &&
      plans.length <= 5 &&
      plans.filter(({ price }) => price !== null).length >= 2 &&
      plans.length >= children.length - 1
    )
      found.push({ parent, plans })
  }
  // Of nested ones the innermost is the row of plans.
  return found.filter(
    ({ parent }) =>
      !found.some((other) => other.parent !== parent && [...above(other.parent)].includes(parent)),
  )
}

/** A place's name in its file: the element and its words, so that it is another place when the words are. */
export function anchorOf(element: Element, words: string = wordsIn(element)): string {
  const id = given(element, 'id') ?? given(element, 'name')
  const own = words === '' ? (given(element, 'placeholder') ?? '') : words
  const said = own.length > 60 ? `${own.slice(0, 59)}…` : own
  return `${element.tag.toLowerCase() || 'section'}${id === null || id === '' ? '' : `#${id}`}${said === '' ? '' : ` "${said}"`}`
}

/** How the line of an element is indented, to put another one below it. */
export function lineBreakBefore(page: Page, element: Element): string {
  const start = page.text.lastIndexOf('\n', element.start - 1) + 1
  const lead = page.text.slice(start, element.start)
  if (!/^[ \t]*$/.test(lead)) return ''
  const lineEnd = page.text.includes('\r\n') ? '\r\n' : '\n'
  return lineEnd + lead
}

export const sourceOf = (page: Page, element: { start: number; end: number }): string => {
  const { start, end } = core(page.text, element.start, element.end)
  return page.text.slice(start, end)
}

export const siblingButtons = (element: Element): Element[] => besides(element).filter(isButton)

export const classOf = (element: Element): string | null => {
  const own = attribute(element, 'class')
  return own === undefined || own.own === null ? null : own.value
}

/** The beginning of a text that is too long, to where a word ends. */
export const cutAt = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).replace(/[\s,;:]*\S*$/u, '')}…` : text
