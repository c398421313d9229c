import type { Goal, View } from '../../idea.js'
import { above, type Element, elementsIn, given, type Page, wordsIn } from '../../markup/tree.js'
import { hrefOf, isButton, isHeading, isLink, labelOf } from '../../surface.js'
import { goalOf } from '../evidence/repeat-beside.js'
import { isWayOn } from '../layout/sections.js'

/** What a page opens with, as far as its file says it. */
export interface Hero {
  title: Element
  /** what is shown together with the title */
  section: Element
  /** the line that says more than the title, where its words are plain */
  line: Element | null
  /** buttons and links that lead on, in the order of the file */
  ways: Element[]
  /** some ways on are pictures */
  hasPictures: boolean
  /** links above the title */
  above: Element[]
}

const ELSEWHERE =
  /(^|[/_.-])(admin|dashboard|account|settings|blog|posts?|docs?|legal|checkout|cart|error|404|not-?found|cookies?|consent|alert|auth|profile|emails?|storybook|examples?|demo)/i
const OPENS =
  /(^|[ /])(hero|banner|jumbotron|masthead|landing|landing page|home|home ?page|home view|header)( [\w ]*)?$/i
/** A header alone is a bar, unless it says a title and a line. */
const BAR = /(^|[/.-])header\.\w+$/i
const ROOT_PAGE =
  /^(?!.*(?:^|\/)app\/(?!(?:src|client|web|javascript|js|frontend|resources)\/)(?:[^/]+\/)+(?:routes|pages)\/).*?(^|\/)(app|routes|pages)\/((\([^/]*\)|\[\.*(?:locale|lang|lng|language|channel|country|countrycode|region)\])\/)*(page|\+page|_index|index|home|landing)\.\w+$/i
const ROOT_FILE = /^(([\w-]+\/){0,3})(index|home)\.html?$|(^|\/)src\/App\.([jt]sx|vue|svelte)$/

/** Whether a file is what visitors come to first, by its path: a start page, or the part that it opens with. */
export function opensSite(path: string): boolean {
  if (ELSEWHERE.test(path)) return false
  if (ROOT_PAGE.test(path) || ROOT_FILE.test(path)) return true
  const parts = path.replace(/\.\w+$/, '').split('/')
  const name = parts.at(-1) ?? ''
  const spoken = (name === 'index' ? (parts.at(-2) ?? '') : name)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[-_.]/g, ' ')
  return OPENS.test(spoken)
}

const PAGE_NAME =
  /(^|\/)(pages|views|screens|routes)\/(home|landing|index|main)(-?_?(page|view|screen))?(\/index)?\.\w+$|(^|\/)(landing-?page|home-?page|landing|home)\.(jsx?|tsx?|vue|svelte)$/i

/** Whether a file is the page that visitors come to first, and no part of one. */
export const isStartPage = (path: string): boolean =>
  !ELSEWHERE.test(path) && (ROOT_PAGE.test(path) || ROOT_FILE.test(path) || PAGE_NAME.test(path))

const FRAME = /^(nav|footer|aside|dialog|navbar|sidebar)$/i
/** More words than this are no opening any more. */
const MAX_WORDS = 600

/** Words as large as only a title is, where that is no heading. */
const LARGE = /(^|\s)((?:\w+:)?text-[5-9]xl|display-[1-4]|hero-title|hero__title|headline)(\s|$)/

const isTitle = (element: Element): boolean =>
  element.name === 'h1' ||
  (/^(h2|div|p|span)$/.test(element.name) &&
    LARGE.test(given(element, 'class') ?? '') &&
    !elementsIn(element).some(isHeading))

/** Whether an element stands around a page, or over it. */
export const isFramed = (element: Element): boolean => [...above(element)].some(({ tag }) => FRAME.test(tag))

/** The opening of a page; `null` where there is no title, or where other headings stand with it in everything that is around it. */
export function heroOf({ root, path }: Page): Hero | null {
  const title = elementsIn(root).find((one) => isTitle(one) && !isFramed(one) && wordsIn(one) !== '')
  if (title === undefined) return null
  let section = title
  for (const outer of above(title)) {
    if (outer.parent === null || /^(body|html|main|#code)$/.test(outer.tag)) break
    const inner = elementsIn(outer)
    if (wordsIn(outer).length > MAX_WORDS || inner.some(({ tag }) => FRAME.test(tag))) break
    if (inner.some((one) => one !== title && /^h[12]$/.test(one.name) && one.start > title.end)) break
    section = outer
  }
  const inner = elementsIn(section).filter((one) => one.start >= title.end)
  const before = elementsIn(section).filter((one) => one.end <= title.start)
  const ways = inner.filter(
    (one) =>
      (isWayOn(one) || isLink(one)) &&
      wordsIn(one) !== '' &&
      ![...above(one)].some((outer) => isWayOn(outer) || isLink(outer)) &&
      one.parent?.children.some(({ kind }) => kind === 'text') === false,
  )
  const line = inner.find(
    (one) =>
      /^(p|h[2-6]|div|span)$/.test(one.tag) &&
      labelOf(one)?.parent === one &&
      wordsIn(one).split(' ').length >= 4 &&
      ![one, ...above(one)].some((outer) => isButton(outer) || isLink(outer)),
  )
  const hasPictures = inner.some(
    (one) =>
      isLink(one) && wordsIn(one) === '' && elementsIn(one).some(({ name }) => /^(img|image)$/.test(name)),
  )
  const earlier = before.filter((one) => isLink(one) && wordsIn(one) !== '' && !isFramed(one))
  if (BAR.test(path) && line === undefined && ways.length === 0) return null
  return { title, section, line: line ?? null, ways, hasPictures, above: earlier }
}

/** What a visitor can do that the site is there for. */
interface Act {
  kind: 'sign up' | 'purchase' | 'book' | 'contact'
  href: string
  /** the site's own words for it; `null` where they only name the page */
  label: string | null
}

const ACTS: readonly { kind: Act['kind']; is: RegExp }[] = [
  {
    kind: 'sign up',
    is: /(^|[/#])(sign-?up|register|registration|join|join-?us|create-account|get-?started|registrieren|inscription|registro)(\.html?)?\/?$/i,
  },
  {
    kind: 'book',
    is: /(^|[/#])(book|booking|book-?(now|online)|book-(an?|your|my)-(?!demo)[\w-]+|schedule-(online|an?-[\w-]+)|reservations?|reserve|appointments?|termin|buchen|termin-?buch(en|ung)|online-?buchung|reservierung|reserver|rdv|rendez-?vous|prendre-(un-)?(rdv|rendez-?vous)|reservas?|reservar(-[\w-]+)?|agendar(-[\w-]+)?|(pedir-)?citas?)(\.html?)?\/?$/i,
  },
  {
    kind: 'purchase',
    is: /(^|[/#])(shop|store|products|buy|order|order-?now|catalog(ue)?|produkte|boutique|produits|productos|tienda)(\.html?)?\/?$/i,
  },
  {
    kind: 'contact',
    is: /(^|[/#])(contacts?|contact-?us|kontakt|contacto|get-?in-?touch|quote|(get-|request-)?(an?-)?(free-)?quote|devis|demande-(de-)?devis|devis-gratuit|request-?(a-)?demo|book-a-demo|demo-?request|anfrage|angebot-an(fordern|fragen)|presupuesto|cotizar|cotizacion|solicitar-(presupuesto|cotizacion))(\.html?)?\/?$/i,
  },
]

export const actOf = (href: string): Act['kind'] | null =>
  ACTS.find(({ is }) => is.test(href.replace(/[?].*$/, '')))?.kind ?? null

/** Words that say to do something, and so can stand on a button. */
const CALLS =
  /^(sign up|register|join|get|start|try|book|reserve|order|buy|shop|contact us|request|talk to|hire|schedule|create|jetzt|termin|kostenlos|prendre|réserver|demander|commencer|essayer|nous contacter|reservar|pedir|empezar|contáctanos)\b/i

/** What there is to do on the site, best first: by the links of the page, and of the rest where they are known. */
function actsOf({ page, site }: View): Act[] {
  const found = new Map<string, Act>()
  const add = (href: string, label: string): void => {
    const kind = actOf(href)
    if (kind === null || found.get(href)?.label != null) return
    found.set(href, { kind, href, label: CALLS.test(label) && label.split(' ').length <= 4 ? label : null })
  }
  for (const one of elementsIn(page.root)) {
    const href = given(one, 'href') ?? given(one, 'to')
    if (!isLink(one) || href === null || /^([a-z]+:|\/\/)/i.test(href)) continue
    // A place on the page has to be there.
    if (href.startsWith('#') && !elementsIn(page.root).some((other) => given(other, 'id') === href.slice(1)))
      continue
    add(href, labelOf(one)?.value ?? '')
  }
  for (const { href, label } of site?.links ?? []) add(href, label)
  // Places on the start page, as its navigation names them in another file.
  for (const { href, label } of site?.places ?? []) add(href, label)
  const rank = (act: Act): number => ACTS.findIndex(({ kind }) => kind === act.kind)
  return [...found.values()].sort((a, b) => rank(a) - rank(b))
}

/** Whether a way on asks for something already. */
export const isAct = (way: Element): boolean => {
  const href = hrefOf(way)
  return (
    (href !== null && (actOf(href) !== null || /log-?in|sign-?in|pricing|plans|mailto:|tel:/i.test(href))) ||
    /\b(sign up|register|join|start|started|try|buy|shop|order|book|reserv\w*|contact|get in touch|quote|estimat\w*|demo|download|install|subscribe|hire|donate|kaufen|bestellen|registrieren|anfragen|kontakt\w*|termin|spenden|acheter|commander|inscri\w*|contact\w*|réserv\w*|comprar|registr\w*)\b/i.test(
      wordsIn(way),
    )
  )
}

/** Words with which somebody asks, books or calls, in writing or not. */
const IN_TOUCH =
  /(?<!\p{L})(contact\w*|quotes?|enquir\w*|inquir\w*|estimat\w*|request\w*|book(ing)?|appointments?|schedule|consultation|call (us|me|now|back|today)|callback|get in touch|write (to )?us|message us|talk to|whats ?app|kontakt\w*|\p{L}*anfrag\w*|\p{L}*angebot\w*|anfordern|buchen|termin\w*|vereinbaren|anrufen|anruf|rückruf\w*|schreib\w*|beratung\w*|devis|demand(er|ez|e)|réserv\w*|rendez|rdv|appel\w*|écri\w*|contáct\w*|presupuest\w*|cotiza\w*|solicit\w*|reserv\w*|cita|llám\w*|llam\w*|escríb\w*|escrib\w*|consulta\w*)(?!\p{L})/iu
const REACHES = /^(tel|mailto|sms|callto):|wa\.me\/|whatsapp/i

/** Whether one gets in touch there: of two such ways each is wanted by some, who would rather write than call, or the other way round. */
export const getsInTouch = (way: Element): boolean => {
  const href = hrefOf(way) ?? ''
  return REACHES.test(href) || /^(book|contact)$/.test(actOf(href) ?? '') || IN_TOUCH.test(wordsIn(way))
}

const GOALS: Readonly<Record<Act['kind'], Goal>> = {
  'sign up': 'sign up',
  purchase: 'click',
  book: 'contact',
  contact: 'contact',
}

/** What a page wants: as its own main button says, or what there is to do on the site. */
export function goalOfPage(view: View): Goal {
  const own = goalOf(view)
  const [act] = own === 'click' ? actsOf(view) : []
  return act === undefined ? own : GOALS[act.kind]
}
