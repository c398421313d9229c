import type { Idea, Site, Start, View } from '../../idea.js'
import { above, attribute, type Element, elementsIn, given, type Page, wordsIn } from '../../markup/tree.js'
import { programOf } from '../../reach.js'
import { anchorOf, bare, isLink, labelOf } from '../../surface.js'

const MAX_STARTS = 12

/** Labels with which newcomers begin, whole. */
export const STARTS =
  /^(get started|sign ?up|register|create (an |your |my )?(free )?account|(start|try|begin)\b[\w -]{0,20}\b(free|trial)\b|start (now|today|here)|free trial|try (it )?now|join (now|today))( (for )?free| now| today| here)?$|^(jetzt )?((kostenlos|gratis|unverbindlich)( jetzt)? )?(starten|testen|registrieren|ausprobieren|loslegen)$|^konto (erstellen|anlegen)$|^(essayer|commencer|démarrer|s['’]inscrire|je m['’]inscris|créer (un|mon|votre) compte)( gratuit(ement)?| maintenant)?$|^(démarrer|commencer) (mon|votre|l['’]) ?essai( gratuit)?$|^(empezar|comenzar|probar|pruébalo|registrarse|regístrate|crear (una |mi |tu )?cuenta)( gratis| ahora)?$/iu

/** The same on the way to a program that has a site of its own. */
const BEGINS = /^start [\w -]{2,30}$/i

/** Promises that what comes next asks for no money. */
const IS_FREE =
  /\b(free|trial|sign ?up|register|account|kostenlos|gratis|testen|registrieren|konto|gratuit\w*|essai|essayer|compte|cuenta|prueba|probar)\b|inscri|regístr/iu

const SIGN_UP =
  /(^|[/?&=_-])(sign-?up|register|registration|create-?account|registrieren|inscription|registro|crear-?cuenta)(?=$|[/?&#=.])/i
const SIGN_IN = /(^|\/)(log-?in|sign-?in|anmelden|connexion|iniciar-sesion)(\.html?)?\/?$/i
const PRICES = /(^|\/)(pricing|prices|plans|preise|tarife|tarifs|precios)(\.html?)?\/?$/i

/** Files that tell how something is done, or that are sent. */
const TOLD = /(^|[/_.-])(docs?|documentation|e?-?mails?|newsletters?|examples?|demo)([/_.-]|$)/i

/** What tells who sent a visitor, and leads nowhere else. */
const TRACKED = /(?<=[?&])(utm_\w+|ref|source)=[^&#]*&?/gi
const untracked = (href: string): string => href.replace(/#.*$/, '').replace(TRACKED, '').replace(/[?&]$/, '')

/** One address, however files write it. */
const keyOf = (href: string): string =>
  untracked(href)
    .replace(/^\.?\//, '')
    .replace(/\/(?=$|\?)/, '')
    .toLowerCase()

const linksOf = function* (
  page: Page,
  isWanted: (href: string) => boolean,
): Generator<{ element: Element; href: string; label: string }> {
  for (const element of elementsIn(page.root)) {
    if (!isLink(element)) continue
    const href = given(element, 'href') ?? given(element, 'to')
    const label = href !== null && isWanted(href) ? labelOf(element) : null
    if (href !== null && label !== null && label.value.length <= 50)
      yield { element, href, label: label.value }
  }
}

/** Where labels for newcomers lead, as one file has them. */
export function startsOf(page: Page): Start[] {
  if (TOLD.test(page.path)) return []
  const found: Start[] = []
  for (const { href, label } of linksOf(page, (to) => SIGN_UP.test(untracked(to))))
    if (STARTS.test(bare(label)) && found.length < MAX_STARTS) found.push({ href: untracked(href), label })
  return found
}

interface Common extends Start {
  path: string
  others: { path: string; says: string }[]
}

/** Where most labels for newcomers lead; `null` where fewer than two files say so, or others lead to another place as often. */
function commonOf({ starts }: Site, path: string): Common | null {
  const byKey = new Map<string, Site['starts'][number][]>()
  for (const one of starts)
    if (programOf(one.path) === programOf(path) && one.path !== path)
      byKey.set(keyOf(one.href), [...(byKey.get(keyOf(one.href)) ?? []), one])
  const [best = [], next = []] = [...byKey.values()].sort((a, b) => b.length - a.length)
  const [first] = best
  const files = new Set(best.map((one) => one.path))
  if (first === undefined || files.size < 2 || next.length * 2 > best.length) return null
  const others = [...files].slice(0, 2).map((file) => ({
    path: file,
    says: best.find((one) => one.path === file)?.label ?? '',
  }))
  return { ...first, others }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
const originOf = (href: string): string => /^https?:\/\/[^/?#]+/i.exec(href)?.[0].toLowerCase() ?? ''

const DOOR = /^https?:\/\/[^/?#]+\/?$/i

/** Whether an address, by itself, could be a stop. */
function mayBeStop(href: string): boolean {
  const own = untracked(href)
  return DOOR.test(own) || SIGN_IN.test(own) || PRICES.test(own)
}

/** What kind of stop an address is for newcomers; `null`: it is none. */
function stopOf(href: string, label: string): string | null {
  const own = untracked(href)
  if (/[?&]/.test(own) || href.includes('#')) return null
  const isStart = STARTS.test(bare(label))
  const path = own.slice(originOf(own).length)
  if (DOOR.test(own)) return isStart || BEGINS.test(bare(label)) ? 'the front door of the program' : null
  if (!isStart) return null
  if (SIGN_IN.test(path)) return 'the page of those who have an account'
  return PRICES.test(path) && IS_FREE.test(bare(label)) ? 'the prices' : null
}

/** The address that others lead to, as it is written in this file; `null` where it cannot be. */
function asHere(page: Page, own: string, common: Common): string | null {
  const [path = '', query] = common.href.split('?')
  const tracked = own.match(TRACKED)?.join('').replace(/&$/, '') ?? ''
  if (keyOf(own) === keyOf(path) && query !== undefined) return `${untracked(own)}?${query}`
  if (originOf(common.href) !== '' || common.href.startsWith('/'))
    return tracked === '' || originOf(common.href) === ''
      ? common.href
      : `${common.href}${query === undefined ? '?' : '&'}${tracked}`
  return folderOf(page.path) === folderOf(common.path) ? common.href : null
}

/** Whether a page may have a label for newcomers that leads to a stop on the way. */
export const mayStop = ({ page }: View): boolean =>
  [...linksOf(page, mayBeStop)].some(({ href, label }) => stopOf(href, label) !== null)

/**
 * A label for newcomers that leads to a stop on the way (prices, a sign-in, the front door of the program), where the same labels of at least two other files lead to the page on
 * which one signs up: it leads there too. Writes no text. Not where two such places are led to about as often, nor on pages on which one signs in.
 */
export function* startsElsewhere({ page, site }: View): Generator<Idea> {
  if (site === null || TOLD.test(page.path) || SIGN_IN.test(page.path.replace(/\.\w+$/, ''))) return
  const all = [...linksOf(page, mayBeStop)].flatMap(({ element, href, label }) => {
    const own = attribute(element, 'href') ?? attribute(element, 'to')
    const stop = stopOf(href, label)
    const isAsked = [...above(element)].some(({ tag }) => /^form$/i.test(tag))
    return stop === null || own?.own == null || isAsked
      ? []
      : [{ element, place: own.own, href, label, stop }]
  })
  const common = all.length === 0 ? null : commonOf(site, page.path)
  if (common === null) return
  const found = all.flatMap((one) => {
    const to = leadsTo(page, one.href, common)
    return to === null ? [] : [{ ...one, to }]
  })
  const [first] = found
  if (first === undefined) return
  const { element, href, label, stop, to } = first
  const target = untracked(to)
  const isOwn = originOf(to) === ''
  yield {
    mechanism: 'friction',
    pattern: 'starts-where-others-start',
    name: `Lead those who want to begin straight to ${target}, as elsewhere`,
    anchor: anchorOf(element, `${label} ${href}`),
    topics: ['call to action', 'button', 'sign up', label, wordsIn(element)],
    arms: [
      {
        name: `“${label}” to ${target}`.slice(0, 80),
        changes: found.map((one) => ({ ...one.place, text: one.to, unit: one.element })),
        says: null,
      },
    ],
    audience: 'visitors who have no account yet',
    change: `leading “${label}” to ${target}, as ${common.others.map((one) => `“${one.says}” (${one.path})`).join(' and ')} do, and not to ${untracked(href)} (${stop}),`,
    because: 'each page between the wish and the form costs some of those who had it',
    goal: isOwn ? 'sign up' : 'click',
    ...(isOwn ? {} : { when: `a link to ${target} is pressed, in all variants` }),
    effect: 4,
    isOneEverywhere: true,
    evidence: [...common.others, ...(isOwn ? [] : [{ path: common.path, says: common.href }])],
  }
}

/** Where a link with such a label is to lead; `null` where it may stay. */
function leadsTo(page: Page, href: string, common: Common): string | null {
  const to = asHere(page, href, common)
  // From the site's own page to a sign-in there is a rule that knows where one signs up.
  const isKnown = /^\/[\w/-]*$/.test(href) && SIGN_IN.test(href) && /^\/[\w/-]*$/.test(common.href)
  const isOther = originOf(href) !== '' && originOf(href) !== originOf(common.href)
  return to === null || keyOf(to) === keyOf(href) || isKnown || isOther ? null : to
}
