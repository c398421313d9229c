import type { Copy, KnownWay, Need, Site, View, Way } from '../../idea.js'
import {
  above,
  attribute,
  type Element,
  elementsIn,
  given,
  isInCode,
  type Page,
  wordsIn,
} from '../../markup/tree.js'
import { programOf } from '../../reach.js'
import { bare, hrefOf, isButton, isHeading, isLink, labelOf, OTHERS_SITES } from '../../surface.js'
import { VAGUE_LINK, VAGUE_START } from '../../words/phrases.js'
import { isForOthers } from '../evidence/deciding.js'
import { QUIET } from '../layout/sections.js'
import { actOf, heroOf, isStartPage, opensSite } from '../opening/hero.js'

const MAX_WAYS = 12

const pathOf = ({ href }: KnownWay): string => href.replace(/[?].*$/, '').replace(/(.)\/$/, '$1')

/** Ways to act by where they lead, what is said most often and loudest first. */
export function byWeight(ways: readonly KnownWay[]): KnownWay[][] {
  const byPlace = new Map<string, KnownWay[]>()
  for (const way of ways) byPlace.set(pathOf(way), [...(byPlace.get(pathOf(way)) ?? []), way])
  const weight = (all: readonly KnownWay[]): number =>
    all.reduce((sum, { isButton: isLoud, isFramed }) => sum + (isLoud ? (isFramed ? 4 : 2) : 1), 0)
  return [...byPlace.values()].sort((a, b) => weight(b) - weight(a))
}

/** Words that call to do what a site is there for. */
export const CALLS =
  /^(sign up|register|join|get (?!to know|inspired|help|support|my)|start|try(?! again)|book|reserve|order|buy|shop|request|schedule (an?|your|my)|hire|download|install|donate|contact (us|me|now)|check availability|get in touch|talk to|apply|enquire|create (an?|your)|become an?)\b|^(jetzt|kostenlos\w*|gratis|unverbindlich\w*|termin|online|angebot|platz|probe\w+|beratung\w*)\b.*(anfragen|buchen|bestellen|registrieren|starten|testen|vereinbaren|kaufen|reservieren|spenden|bewerben|kontaktieren|anmelden|sichern|anfordern|einholen)$|^(kontakt aufnehmen|(unverbindliche )?anfrage (senden|stellen)|konto erstellen|mitmachen|spenden|(tisch|zimmer|tickets?|kurs|wohnung|verfügbarkeit) \p{L}+en|(kontaktieren|schreiben) sie (uns|mich|mir))$|^(réserver|demander|commencer|essayer|nous contacter|me contacter|contactez|s['’]inscrire|créer (un|mon|votre)|commander|acheter|faire un don|prendre (un )?(rendez|rdv|contact)|prenez rendez|obtenir|je (m['’]inscris|réserve|donne))|^(reserv|pedir|pide|empezar|empieza|contáct|contactar|escríbe|compr[ae]|regístr|inscríbe|matricúl|cotiza|crear (una )?cuenta|solicit|agend|donar?\b|prueba|únete|únase)/iu

/** What is for those who are there already, only tells, or is another site's. */
const NO_ACT =
  /^$|^#?$|^(mailto|tel|sms|javascript|data):|log-?in|sign-?in|pricing|plans|dashboard|account(?!s?\/(new|create))|settings|profile|checkout|cart|docs?\b|documentation|blog|vercel\.com/i

/** Where a page begins. */
const BEGINNING = /^(\.?\/|\/?#(home|top|start|hero|inicio|accueil)|\.?\/?index\.html?)$/i

/** Where one writes to who runs the site, or books with them, in the window of another one. */
const WRITES = /^https:\/\/(wa\.me\/\+?\d{6}|api\.whatsapp\.com\/send\/?\?)/i
const BOOKS =
  /^https:\/\/([\w-]+\.)*(calendly|doctolib|planity|treatwell|booksy|fresha|simplybook|opentable|thefork|quandoo|resmio|shore|salonized|timify|eversports|setmore|acuityscheduling|squareup)\.[a-z]{2,3}\//i

export const leadsAside = (href: string): boolean =>
  /[{}\s]/.test(href) ||
  (!WRITES.test(href) &&
    !BOOKS.test(href) &&
    (NO_ACT.test(href) || BEGINNING.test(href) || OTHERS_SITES.test(href)))

/** With what somebody asks to be told later: what there is to do is not there yet. */
const WAITS =
  /\b(register|express)( my| your)? interest\b|\bnotif(y|ied|ications?)\b|wait-?\s?list|keep me (posted|informed|updated)|be the first|interesse (bekunden|anmelden)|warteliste|benachrichtig|vormerken|liste d['’]attente|(me|m['’])\s?(prévenir|avertir|notifier)|manifester (mon|votre) intérêt|lista de espera|avís[ae](me|nos|dme)|notif[ií]ca/i

const isCall = (label: string, href: string): boolean =>
  !WAITS.test(label) &&
  (CALLS.test(label) || (WRITES.test(href) && /whats ?app/i.test(label))) &&
  label.split(' ').length <= 5 &&
  label.length <= 40 &&
  !leadsAside(href)

/** What only names the way to write or to call, and is one where it stands on a button in the page. */
const NAMES_CONTACT = /^(kontakt|contact|contacto|contactar|me contacter|kontaktieren)$/i

/** Elements that stand around the pages of a site, and files that are called so. */
const FRAME = /^(nav|header|footer|aside|navbar|app-?header|site-?header)$/i
const FRAME_FILE = /(^|[/_.-])(site|app|main|page)?-?_?(header|nav\w*|top-?bar|menu|bar|footer|layout)[^/]*$/i
const FOOT = /footer/i

/** Not what a page opens with: that may stand in a header too. */
const isFrame = (one: Element): boolean =>
  FRAME.test(one.tag) && !(one.tag === 'header' && elementsIn(one).some(({ name }) => name === 'h1'))

/** What calls something up, is filled in, or is one of its kind. */
const OWN =
  /\s(on[A-Z]\w*|onclick|ref|id|key|form|slot|aria-(controls|expanded)|data-(bs-)?(toggle|target|dismiss))\s*=|@\w+[.\w]*=|\sv-[\w:-]+|\son:\w+|\s:[\w-]+=|\suse:|\sbind:|\{\.\.\./
/** What tells programs where it is pressed would say so of another place. */
const PLACED = /=["'{][^"'}]*(header|nav|footer|bottom|final|sidebar|menu)[^"'}]*["'}]/i

/** What tells programs which button it is would say so of another one. */
const TOLD =
  /\s+data-(testid|test-id|test|cy|track|tracking|gtm|event|analytics|ga|umami-event)(-[\w-]+)?=("[^"]*"|'[^']*')/g

/** What there is to do later, as a part says it that only tells of that. */
const SOON =
  /\b(coming soon|launching soon|demnächst|bald verfügbar|in kürze verfügbar|(bientôt|prochainement) disponible|arrive bientôt|próximamente|muy pronto)\b|(^|[.:!–—-] ?)bientôt\b/i
/** More words than this are more than one part. */
const MAX_OF_PART = 900

/** Whether the part that a way stands in tells of what is not there yet. */
function standsInTeaser(way: Element): boolean {
  for (const outer of above(way)) {
    const words = wordsIn(outer)
    const inner = elementsIn(outer)
    if (outer.parent === null || words.length > MAX_OF_PART || inner.some(({ name }) => name === 'h1')) break
    if (SOON.test(words)) return true
    if (inner.some(isHeading)) break
  }
  return false
}

/** The loud buttons of what a start page opens with. */
const openingWays = (page: Page): ReadonlySet<Element> => {
  const hero = opensSite(page.path) || isStartPage(page.path) ? heroOf(page) : null
  return new Set((hero?.ways ?? []).map(outermost).filter((way) => looksStrong(page, way)))
}

const isVague = (label: string): boolean =>
  [VAGUE_LINK, VAGUE_START].some((lists) => Object.values(lists).some((words) => words.has(bare(label))))

/** Whether the opening calls to what others on the page call to, in words that fit nothing else. */
const isOpeningCall = (page: Page, label: string, href: string): boolean =>
  !WAITS.test(label) &&
  !isVague(label) &&
  label.length <= 40 &&
  label.split(' ').length <= 5 &&
  elementsIn(page.root).some((one) => hrefOf(one) === href && isCall(labelOf(one)?.value ?? '', href))

export function waysOf(page: Page): Way[] {
  const found: Way[] = []
  const openings = openingWays(page)
  for (const one of elementsIn(page.root)) {
    if (found.length === MAX_WAYS) break
    const own = given(one, 'href') ?? given(one, 'to') ?? scrollsTo(page, one)
    if (own === null || !(isLink(one) || isButton(one))) continue
    const way = outermost(one)
    const label = labelOf(way)
    const href = hrefOf(way) ?? own
    const around = [...above(way)]
    const isFramed = around.some(isFrame) || FRAME_FILE.test(page.path)
    const isAlways = !isInCode(way) && ![way, ...around].some(hides)
    if (around.some(({ tag }) => FOOT.test(tag)) || FOOT.test(page.path)) continue
    if (!isFramed && isForSome(page, way)) continue
    if (label === null || label.quote !== null || label.key !== undefined) {
      // What it says is not told, and that it is in sight is.
      const isInSight = isFramed && isAlways && !leadsAside(href) && looksStrong(page, way)
      if (isInSight && way === one)
        found.push({
          href,
          label: '',
          isButton: true,
          isFramed,
          isAlways,
          followsText: false,
          isOpening: false,
          copy: null,
        })
      continue
    }
    const isContact =
      !isFramed && NAMES_CONTACT.test(label.value) && kindOf({ href }) === 'contact' && looksStrong(page, way)
    const isOpening = !isFramed && openings.has(way)
    const isAct =
      isCall(label.value, href) || isContact || (isOpening && isOpeningCall(page, label.value, href))
    if (
      !isAct ||
      (!isFramed && !isOpening && standsInTeaser(way)) ||
      (way !== one && found.some((other) => other.href === href && other.label === label.value))
    )
      continue
    found.push({
      href,
      label: label.value,
      isButton: looksStrong(page, way),
      isFramed,
      isAlways,
      followsText: followsText(way),
      isOpening,
      copy: copied(page, way),
    })
  }
  return found
}

/** What holds for nobody before the page has come, or for all who are no customers yet. */
const FOR_NEWCOMERS =
  /user|session|auth|sign|log(?:ged|in|out)|account|customer|guest|member|token|mounted|loading|hydrat|isClient|ready/i
const GOES_THROUGH = /\.(?:map|flatMap|forEach)\(|\bv-for\b|#each/

/** Whether a condition of code decides who sees it, for another reason than having signed in: of some places or things alone it may be true. */
const isForSome = ({ text }: Page, way: Element): boolean =>
  [way, ...above(way)].some(({ tag, start, children, attributes }) => {
    const [first] = children
    const asks =
      tag === '#code'
        ? text.slice(start, first?.start ?? start)
        : attributes
            .filter(({ name }) => /^v-(if|else-if|else|show)$/.test(name))
            .map((one) => text.slice(one.start, one.end))
            .join(' ')
    return asks.trim() !== '' && !GOES_THROUGH.test(asks) && !FOR_NEWCOMERS.test(asks)
  })

/** A link with the button that it stands in, or the other way round. */
export function outermost(one: Element): Element {
  let way = one
  for (const outer of above(one)) {
    if (!isLink(outer) && !isButton(outer)) break
    way = outer
  }
  return way
}

/** Hidden on some screens, or until something is pressed. */
const hides = (element: Element): boolean =>
  /(^|\s)([\w-]+:)?(hidden|d-none|collapse|offcanvas\S*|navbar-collapse|mobile\S*|dropdown\S*|drawer\S*|invisible)(\s|$)/i.test(
    given(element, 'class') ?? '',
  ) || /sheet|drawer|dialog|modal|menu|dropdown|popover|collapse|disclosure/i.test(element.tag)

const classesOf = (element: Element): string =>
  [element, ...elementsIn(element)].map((one) => given(one, 'class') ?? '').join(' ')

/** Whether it looks like the main button: by its kind, or by the colour behind it. */
export function looksStrong(page: Page, way: Element): boolean {
  const own = page.text.slice(way.start, way.end)
  const classes = classesOf(way)
  const isFilled =
    /(^|\s)bg-(?!white|transparent|none|inherit|background|opacity|clip|light|muted|gray-[1-3]00|\w+-(?:50|100)\b)\S+/.test(
      classes,
    ) && /(^|\s)p[xy]?-/.test(classes)
  if (
    QUIET.test(own) ||
    /\bbg-(white|transparent)\b|btn-(white|text|sm)\b|variant=["'](unstyled|plain)/.test(own)
  )
    return false
  return isFilled || [way, ...elementsIn(way)].some(isButton)
}

/** Whether words stand right before it, or before what only holds it. */
function followsText(way: Element): boolean {
  const { parent } = way
  if (parent === null) return false
  const elements = parent.children.filter((one): one is Element => one.kind === 'element')
  const before = elements[elements.indexOf(way) - 1]
  return before !== undefined && /^(p|h[1-6])$/.test(before.tag)
}

/** Classes that speak of a place, and not of the thing. */
const OF_PLACE =
  /^(?:[\w-]+:)*(?:-?m[trblxy]?-\S+|hidden|flex-1|grow|flex-grow|shrink\S*|self-\S+|order-\S+|fixed|absolute|col-span-\S+|justify-self-\S+|ms-\S+|me-\S+)$/
const WIDE = /^(?:[\w-]+:)*(?:w-full|w-auto|block|inline-block|flex|inline-flex|inline)$/

/** What code moves the page to when a button is pressed. */
const SCROLLS =
  /^on:?click=\{\s*\(\)\s*=>\s*\{?\s*\w*scroll\w*\(\s*["'`]#?([a-z][\w-]*)["'`]\s*\)\s*;?\s*\}?\s*\}$/i
const scrolling = (page: Page, one: Element): { source: string; id: string } | null => {
  const own = one.attributes.find(({ name }) => /^on:?click$/i.test(name))
  const source = own === undefined ? '' : page.text.slice(own.start, own.end)
  const id = SCROLLS.exec(source)?.[1]
  return id === undefined ? null : { source, id }
}

function scrollsTo(page: Page, one: Element): string | null {
  const found = page.dialect === 'jsx' && isButton(one) ? scrolling(page, one) : null
  return found === null ? null : `#${found.id}`
}

/** A button that moves the page by code of its own file, as a link that does so without; `null` where it is none. */
function asLink(page: Page, way: Element, source: string): { source: string; needsChild: boolean } | null {
  const own = scrolling(page, way)
  if (own === null) return { source, needsChild: false }
  const at = source.indexOf(own.source)
  const bare = (source.slice(0, at).trimEnd() + source.slice(at + own.source.length)).replace(
    /\s+type=["']button["']/,
    '',
  )
  const link = `<a href="#${own.id}"`
  if (way.tag === 'button')
    return { source: bare.replace(/^<button/, link).replace(/<\/button>$/, '</a>'), needsChild: false }
  const parts = /^<Button((?:\s+[\w-]+=(?:"[^"]*"|'[^']*'))*)\s*>([\s\S]*)<\/Button>$/.exec(bare)
  return parts === null
    ? null
    : {
        source: `<Button asChild${(parts[1] ?? '').replace(/\s+/g, ' ')}>${link}>${parts[2]?.trim()}</a></Button>`,
        needsChild: true,
      }
}

/** Turned round for a band of colour: on a light ground it would not be seen. */
const FOR_DARK =
  /\s!?bg-(?:[a-z]+-foreground|background|card|white|(?:gray|slate|zinc|neutral|stone)-(?:50|100))(?:\/\d+)?\s/

/** A way on as it can stand somewhere else. */
export function copied(page: Page, way: Element): Copy | null {
  const written = scrolling(page, way)?.source
  const full = page.text.slice(way.start, way.end)
  const whole = written === undefined ? full : full.replace(written, '')
  const [opening = ''] = /^[^>]*>/.exec(whole) ?? []
  if (whole.length > 900 || OWN.test(whole) || PLACED.test(opening) || way.hasCode) return null
  if (isScoped(page, classesOf(way)) || FOR_DARK.test(` ${classesOf(way)} `)) return null
  const hasSpace = followsText(way) && /(^|\s)mt-([4-9]|1\d|auto|\[)/.test(given(way, 'class') ?? '')
  const linked = asLink(page, way, placeless(page, way, hasSpace).replace(TOLD, ''))
  if (linked === null) return null
  const { needsChild } = linked
  const source = innerPlaceless(way, linked.source)
  const needs =
    page.dialect === 'jsx' ? needsOf(page.text, source) : page.dialect === 'html' ? [] : globalIn(source)
  return needs === null ? null : { source, needs, hasSpace, needsChild }
}

/** Whether a component's own styles say how it looks: in another one they do not hold. */
const isScoped = ({ text, dialect }: Page, classes: string): boolean => {
  if (dialect !== 'vue' && dialect !== 'svelte') return false
  const styles = [...text.matchAll(/<style\b([^>]*)>([\s\S]*?)<\/style>/g)]
    .filter(([, own = '']) => dialect === 'svelte' || /scoped|module/.test(own))
    .map(([, , inner = '']) => inner)
    .join('\n')
  return classes.split(/\s+/).some((one) => one !== '' && styles.includes(`.${one}`))
}

const MARGIN = /(?:^|\s)(?:[\w-]+:)*-?m[trblxyse]?-\S+/g

/** A copy where it needs no space above it. */
export const withoutSpace = ({ source, hasSpace }: Copy): string =>
  hasSpace
    ? source.replace(
        /^(<[^>]*?\sclass(?:Name)?=")([^"]*)/,
        (_, before: string, classes: string) => before + classes.replace(MARGIN, '').trim(),
      )
    : source

/** Its source without what its classes say of the place that it has. */
function placeless({ text }: Page, way: Element, hasSpace: boolean): string {
  const own = attribute(way, 'class')?.own
  const classes = given(way, 'class')
  if (own == null || classes === null || !/(^|\s)(p[xy]?|m[trblxyse]?|text|bg|rounded)-/.test(classes))
    return text.slice(way.start, way.end)
  const all = classes.split(/\s+/).filter((one) => one !== '')
  const isOwnSize =
    all.some((one) => /^(btn|button|knopf|bouton|bot[oó]n)([-_]|$)/.test(one)) ||
    (/^[A-Z]/.test(way.tag) && !/Link$/.test(way.tag))
  const kept = all.filter(
    (one) => !(OF_PLACE.test(one) && !(hasSpace && /^mt-/.test(one))) && (isOwnSize || !WIDE.test(one)),
  )
  const shown = isOwnSize
    ? []
    : [all.some((one) => /(^|:)(inline-)?flex$/.test(one)) ? 'inline-flex' : 'inline-block']
  // As wide as its place it needs no space beside its words; as wide as these it does.
  const isFilled = all.some((one) => /^bg-/.test(one)) && all.some((one) => /^py-/.test(one))
  const space = !isOwnSize && isFilled && !all.some((one) => /^(p|px|pl|ps)-/.test(one)) ? ['px-8'] : []
  return (
    text.slice(way.start, own.start) + [...shown, ...kept, ...space].join(' ') + text.slice(own.end, way.end)
  )
}

/** The same for a button in a link, or a link in a button, which has the space around the two. */
const innerPlaceless = (way: Element, source: string): string =>
  elementsIn(way).some((one) => isButton(one) || isLink(one))
    ? source.replace(
        /^(<[^>]+>\s*<(?:a|button|[A-Z]\w*)\b[^>]*?\sclass(?:Name)?=")([^"]*)/,
        (_, before: string, classes: string) => before + classes.replace(MARGIN, '').trim(),
      )
    : source

const GLOBAL = /^(a|button|span|svg|path|i|b|strong|em|NuxtLink|RouterLink|router-link|nuxt-link)$/

/** Of a template that takes nothing from elsewhere: what stands in every one. */
const globalIn = (source: string): Need[] | null =>
  [...source.matchAll(/<([A-Za-z][\w.-]*)/g)].every(([, tag = '']) => GLOBAL.test(tag)) &&
  !/[{}]/.test(source)
    ? []
    : null

/** The names in a piece of JSX, with where its file takes them from; `null` where one is not told, or code does more than name a look. */
function needsOf(text: string, source: string): Need[] | null {
  const names = new Set<string>()
  for (const [, tag = ''] of source.matchAll(/<([A-Z]\w*)/g)) names.add(tag)
  let rest = source
  for (const [whole, inner = ''] of source.matchAll(/\{((?:[^{}]|\{[^{}]*\})*)\}/g)) {
    rest = rest.replace(whole, '')
    if (/^\s*(?:'[^'\\]*'|"[^"\\]*"|`[^`$\\]*`|\d+|true|false)\s*$/.test(inner)) continue
    const called = /^\s*(\w+)\(\s*(?:\{[\s\w:'",-]*\})?\s*\)\s*$/.exec(inner)?.[1]
    const bare = /^\s*([A-Z]\w*)\s*$/.exec(inner)?.[1]
    const name = called ?? bare
    if (name === undefined) return null
    names.add(name)
  }
  if (/[{}]/.test(rest)) return null
  const needs: Need[] = []
  for (const name of names) {
    const need = needOf(text, name)
    if (need === null) return null
    needs.push(need)
  }
  return needs
}

const IMPORTS = /\bimport\s+(?!type\b)([\w$]+)?\s*,?\s*(?:\{([^{}]*)\})?\s*from\s*["']([^"'\n]+)["']/g

/** Where a file takes a name from; `null` where it has it from itself, or under another name. */
export function needOf(text: string, name: string): Need | null {
  for (const [, alone, listed = '', from = ''] of text.matchAll(IMPORTS)) {
    if (alone === name) return { name, from, isDefault: true }
    if (listed.split(',').some((one) => one.trim() === name)) return { name, from, isDefault: false }
  }
  return null
}

/** Whether a way on is for what the site is there for. */
export const kindOf = ({ href }: Pick<Way, 'href'>): 'sign up' | 'purchase' | 'book' | 'contact' | null =>
  actOf(href) ?? (WRITES.test(href) ? 'contact' : BOOKS.test(href) ? 'book' : null)

/** An address that holds on the page as it stands in the other file. */
export const holdsHere = ({ path, href }: KnownWay, here: string): boolean =>
  /^(\/|#|https:)/.test(href) ||
  path.slice(0, path.lastIndexOf('/') + 1) === here.slice(0, here.lastIndexOf('/') + 1)

/** The ways to what the site wants most, by how often and how loudly it says so; none where they lead to a place that is not on the page. */
export function mainWays({ page, site }: View, start: string): readonly KnownWay[] {
  const program = programOf(page.path)
  const [all = []] = byWeight(
    (site?.ways ?? []).filter(
      ({ path, isFramed, ...way }) =>
        programOf(path) === program &&
        (isFramed || path === page.path || !isForOthers(path)) &&
        (isFramed || path === page.path || path === start || kindOf(way) !== null),
    ),
  )
  // What the opening says is what the site calls it.
  const best = [...all].sort((a, b) => Number(b.isOpening) - Number(a.isOpening))
  const href = best[0]?.href ?? ''
  const isOfStart = page.dialect !== 'html' && isStartPage(start)
  const isThere = (): boolean =>
    elementsIn(page.root).some((one) => `#${given(one, 'id')}` === href) ||
    (isOfStart && site?.places.some((one) => one.href.replace(/^\//, '') === href) === true)
  return !href.startsWith('#') || isThere() ? best : []
}

/** Of ways to one place the button that is best copied to a page: the one of the opening, or else what says the same as it. */
export function copyOf(
  ways: readonly KnownWay[],
  path: string,
  start: string,
  parts: Site['parts'],
): (KnownWay & { copy: Copy }) | null {
  const opening = ways.find(({ isOpening }) => isOpening)?.label
  const rank = (way: KnownWay): number =>
    (way.isOpening ? 16 : way.label === opening ? 8 : 0) +
    (way.path === path ? 4 : way.path === start ? 3 : 0) +
    (way.followsText ? 2 : 0) +
    (way.isFramed ? 0 : 1)
  // What is written for somebody beforehand is said on one page.
  const isWritten = ({ path: by, href }: KnownWay): boolean =>
    /[?&]text=/.test(href) && by !== path && !ways.some((other) => other.href === href && other.path !== by)
  const [first] = ways
    .filter((way) => holdsHere(way, path) && !isWritten(way))
    .flatMap((way) => (way.isButton && way.copy !== null ? [{ ...way, copy: way.copy }] : []))
    .filter(({ copy }) => !copy.needsChild || parts.button?.takesChild === true)
    .sort((a, b) => rank(b) - rank(a) || (a.path < b.path ? -1 : 1))
  return first ?? null
}
