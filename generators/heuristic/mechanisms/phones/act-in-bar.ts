import { UnsupportedEditError } from '../../../../variants/dialect.js'
import {
  childOf,
  everyNode,
  programOf,
  type SourceNode,
  syntaxOf,
} from '../../../../variants/script/syntax.js'
import { type Change, insertAt } from '../../edits.js'
import type { Goal, Idea, View } from '../../idea.js'
import {
  above,
  attribute,
  besides,
  type Element,
  elementsIn,
  given,
  type Page,
  wordsIn,
} from '../../markup/tree.js'
import { endsDead } from '../../pages-at.js'
import {
  anchorOf,
  classWord,
  hrefOf,
  isButton,
  isHeading,
  isLink,
  lineBreakBefore,
  sourceOf,
} from '../../surface.js'
import { nameOf, plain } from '../../uses.js'
import { indented } from '../act/standing.js'
import { CALLS, kindOf, leadsAside, looksStrong, outermost } from '../act/ways.js'
import { isLedBelow } from './below.js'
import { isAround, NARROW, widthOf } from './room.js'
import { classText, hiddenUntil, isHiddenOnPhones, isHiddenWhenWide } from './screens.js'

/** Files of the bar above all pages, and of nobody's desk. */
const BAR_FILE =
  /(^|[/_.-])(site|app|main|page|top|landing|public|marketing)?-?_?(header|nav|nav-?bar|navigation|top-?bar|top-?nav|layout)[^/]*\.\w+$/i
const DESK =
  /(^|[/_.-])(admin|dashboard|portal|account|members?|cms|intern|backoffice|demos?|examples?|footer|sidebar|sub-?nav|breadcrumbs?)(?=[/_.-])/i
const BAR = /^(nav|header|navbar|app-?bar|v-app-bar)$/
export const FIXED = /(^|[\s"'`])(\w+:)?fixed(?=[\s"'`]|$)/
const FOLLOWS = /(^|[\s"'`])(\w+:)?(fixed|sticky)(?=[\s"'`]|$)/
/** It slides out of sight while one reads on. */
const SLIDES_AWAY = /["'`\s]-translate-y-full(?=["'`\s])|translateY\(-1\d\d%\)/

/** For those who have been here before, or only to look around. */
const NO_ACT =
  /^(log ?in|sign ?in|anmelden|einloggen|(se )?connexion|se connecter|mon compte|mi cuenta|my account|mein konto|iniciar sesión|acceder|ingresar|entrar|dashboard|menu|menü|blog|shop|home|search|more|about.*)$/i
/** A longer label takes the bar to itself. */
const LONGEST_LABEL = 22
const LONGEST = 900
/** What a button takes of the width of a bar, in pixels, about. */
const LETTER = 7.5
const PADDING = 28
const SIGN = 24
/** Letters of a label that code gives. */
const LETTERS_OF_CODE = 16

/**
 * The bar that goes along with the page has the site's own act, but only on wide screens; on phones it waits behind the menu. It stays in the bar there too, beside the menu. In its
 * own words and look. Not where the bar shows another way to act on phones, scrolls away, or has no room for it.
 */
export function* actInBar({ page, site }: View): Generator<Idea> {
  if (site === null || !isBarFile(page)) return
  // What is cut off on the sides scrolls away with it, however it sticks; and who can call from below all the while has a way.
  if (site.below.calls || (!FIXED.test(page.text) && site.clipped.includes(plain(nameOf(page.path))))) return
  const bar = barOf(page)
  if (bar === null) return
  const act = actOf(page, bar)
  const menu = menuOf(page, bar)
  if (act === null || menu === null || actsOnPhones(page, bar, act.way, menu)) return
  const label = saidBy(act.way)
  const href = hrefOf(act.way) ?? ''
  const letters = label === '' ? LETTERS_OF_CODE : label.length
  const pictures = elementsIn(act.way).filter(isPicture).length
  const room = letters * LETTER + PADDING + pictures * SIGN
  if (widthOf(page, bar, act.way, menu, site.parts) + room > NARROW) return
  const changes = shownOnPhones(page, act, menu)
  if (changes.length === 0) return
  // What code does that is pressed may show a form: nobody is led to one that sends nothing.
  if (href === '' ? site.deadEnds.length > 0 : endsDead(site, href, page.path)) return
  if (isLedBelow(site, page, href)) return
  const named = label === '' ? `the way to ${href}` : `“${label}”`
  const kind = kindOf({ href })
  const goal: Goal = kind === 'sign up' ? 'sign up' : kind === 'contact' ? 'contact' : 'click'
  yield {
    mechanism: 'friction',
    pattern: 'act-in-bar-on-phones',
    name: `Keep ${named} in the bar on phones`,
    anchor: anchorOf(act.way, `bar ${label || href}`),
    topics: ['navigation', 'header', 'mobile', 'call to action', label],
    arms: [{ name: `${label === '' ? 'It' : named} in the bar on all screens`, changes, says: null }],
    audience: 'visitors on phones',
    change: `showing ${named}${label === '' || href === '' ? '' : ` (${href})`} beside the menu in the bar that stays in sight, and not only once the menu has been opened,`,
    because:
      'the next step is there as soon as one is ready for it, and need not be looked for behind the menu',
    goal,
    when: `${href === '' ? `any ${named}` : `any link to ${href}`} is pressed, in all variants`,
    effect: 4,
  }
}

/** Whether a file is that of a bar that goes along with the page: the rest of the site could say more of it. */
export const isBarFile = ({ path, text }: Page): boolean =>
  BAR_FILE.test(spelled(path)) && !DESK.test(spelled(path)) && FOLLOWS.test(text) && !SLIDES_AWAY.test(text)

const spelled = (path: string): string => path.replace(/([a-z\d])([A-Z])/g, '$1-$2')

/** The bar of a file: the outermost element that is one, with links, and not what a page opens with. */
export const barOf = ({ root }: Page): Element | null =>
  elementsIn(root).find(
    (one) =>
      BAR.test(one.name.replace(/^motion\./, '')) &&
      elementsIn(one).filter(isLink).length >= 2 &&
      !elementsIn(one).some(({ name }) => name === 'h1'),
  ) ?? null

interface Act {
  way: Element
  /** what is hidden on phones: the way itself, or what is around it */
  hidden: Element
  /** up to which width */
  until: string
  /** where it is there only sometimes: when, as code says it, `null` where that is not told; else `''` */
  when: string | null
}

/** The one loud way to act in a bar, which is hidden on phones by a class. */
function actOf(page: Page, bar: Element): Act | null {
  const found = elementsIn(bar).flatMap((one): Act[] => {
    if (!isLink(one) && !isButton(one)) return []
    const way = outermost(one)
    if (way !== one || !isAct(page, way)) return []
    const around = [way, ...above(way)].filter((other) => other.start > bar.start)
    const hidden = around.filter((other) => hiddenUntil(page, other) !== null)
    const [only, ...more] = hidden
    const until = only === undefined ? null : hiddenUntil(page, only)
    if (only === undefined || until === null || more.length > 0) return []
    const [code, ...deeper] = around.filter(({ tag }) => tag === '#code')
    const when = code === undefined ? '' : deeper.length > 0 ? null : conditionOf(page, way, code)
    return [{ way, hidden: only, until, when }]
  })
  const [act, ...others] = found
  return act === undefined || others.length > 0 ? null : act
}

/** When code shows something, where that is one name, or that it is not so: `!user`. `null` where more decides. */
function conditionOf(page: Page, way: Element, code: Element): string | null {
  if (page.dialect !== 'jsx') return null
  let program: SourceNode
  try {
    program = programOf(page.text, syntaxOf(page.path))
  } catch (error) {
    if (error instanceof UnsupportedEditError) return null
    throw error
  }
  const holds = (node: SourceNode | undefined): boolean =>
    node !== undefined && node.start <= way.start && node.end >= way.end
  const found: string[] = []
  for (const { node } of everyNode(program)) {
    if (node.start < code.start || !holds(node)) continue
    const said = (name: string): string => {
      const test = childOf(node, name)
      return test === undefined ? '' : page.text.slice(test.start, test.end)
    }
    if (node.type === 'ConditionalExpression')
      found.push(holds(childOf(node, 'consequent')) ? said('test') : negated(said('test')))
    else if (node.type === 'LogicalExpression') found.push(node.operator === '&&' ? said('left') : '?')
    else if (/Call|Function/.test(node.type)) return null
  }
  const [only, ...more] = found
  return only !== undefined && more.length === 0 && /^!?[\w.]+$/.test(only) ? only : null
}

const negated = (test: string): string => (test.startsWith('!') ? test.slice(1) : `!${test}`)

function isAct(page: Page, way: Element): boolean {
  const label = saidBy(way)
  const href = hrefOf(way)
  if (label.length > LONGEST_LABEL || NO_ACT.test(label) || !looksStrong(page, way)) return false
  if (href === null) return isPressed(page, way) && (CALLS.test(label) || BEGINS.test(label))
  if (href === '' || leadsAside(href)) return false
  const isKnown = kindOf({ href }) !== null
  if (label === '') return isKnown && isSaidByCode(way)
  return isKnown || CALLS.test(label) || BEGINS.test(label)
}

const isSaidByCode = (way: Element): boolean => [way, ...elementsIn(way)].some(({ hasCode }) => hasCode)

/** A button that code answers, and not one that opens what belongs to the bar. */
const isPressed = (page: Page, way: Element): boolean => {
  const opening = page.text.slice(way.start, way.children[0]?.start ?? way.end)
  return (
    isButton(way) &&
    way.attributes.some(({ name }) => /^(on:?|@|v-on:)click$/i.test(name)) &&
    !/aria-(haspopup|expanded)|Trigger|dropdown|\bdisabled\b/i.test(opening)
  )
}

/** What the one loud button of a bar begins or ends with where it is there to act. */
const BEGINS =
  /^(get|book|start|try|request|apply|order|reserve|schedule|join|buy|donate|calculate|enrol|hire|plan|jetzt|gratis|kostenlos|termin|réserver|demander|obtenir|prendre|essayer|commencer|commander|calculer|estimer|solicita|reserva|agenda|pedir|pide|empezar|empieza|prueba|comprar|compra|cotiza|calcula|inscr)|(buchen|anfragen|berechnen|starten|testen|vereinbaren|bestellen|sichern|anmelden)$/i

/** Its words without arrows; `''` where code gives a part of them. */
const saidBy = (way: Element): string =>
  way.hasCode || elementsIn(way).some((one) => one.hasCode || one.tag === '#code')
    ? ''
    : wordsIn(way).replace(/\s*[→›»>]\s*$/u, '')

const MENU = /menu|menü|toggle|hamburger|burger|sheet|drawer|\bbars\b|open|nav/i
/** What opens what stands in it, and is written as one. */
const OPENER =
  /^(sheet|drawer|dialog|popover|disclosure|dropdownmenu|mobilemenu|mobilenav|mobilenavigation)$/i

/** What opens the menu on phones, as far out as it is that alone. */
export function menuOf(page: Page, bar: Element): Element | null {
  const all = elementsIn(bar).filter(
    (one) =>
      (isButton(one) ||
        /^(button|summary|label)$/.test(one.name) ||
        OPENER.test(one.name) ||
        /Button|Trigger/.test(one.tag)) &&
      !isLink(one) &&
      [one, ...above(one)].some((other) => other.start > bar.start && isHiddenWhenWide(page, other)) &&
      MENU.test(sourceOf(page, one)) &&
      !elementsIn(one).some((inner) => isLink(inner) && !isOpener(one)),
  )
  let menu = all[0] ?? null
  if (menu === null || [...above(menu)].some(({ tag }) => tag === '#code')) return null
  for (const outer of above(menu)) if (outer.start > bar.start && isOpener(outer)) menu = outer
  return menu
}

const isOpener = ({ name }: Element): boolean => OPENER.test(name)

/** Whether the bar has another way to act, or to call, that phones show. */
export const actsOnPhones = (page: Page, bar: Element, way: Element, menu: Element): boolean =>
  elementsIn(bar).some((one) => {
    if (one === way || !(isLink(one) || isButton(one))) return false
    const href = hrefOf(one) ?? ''
    const around = [one, ...above(one)].filter((other) => other.start >= bar.start)
    if (around.some((other) => isHiddenOnPhones(page, other) || other.tag === '#code')) return false
    const isMenus = around.some(
      (other) =>
        other !== bar &&
        isHiddenWhenWide(page, other) &&
        !isAround(other, menu) &&
        elementsIn(other).filter(isLink).length > 1,
    )
    if (isMenus) return false
    return (
      /^tel:|wa\.me|whatsapp/.test(href) ||
      (looksStrong(page, one) && isLink(one)) ||
      CALLS.test(wordsIn(one))
    )
  })

/** What shows it on phones: its own class, or once more beside the menu. */
function shownOnPhones(page: Page, { way, hidden, until, when }: Act, menu: Element): Change[] {
  const [only, ...more] = hidden === way ? [way] : besides(way)
  const isAlone = only === way && more.length === 0 && (hidden === way || way.parent === hidden)
  const own = attribute(hidden, 'class')?.own
  const classes = given(hidden, 'class')
  if (isAlone && own != null && classes !== null) {
    // What stands between it and the name on wide screens is hidden too: in a grid it would go there.
    const isInGrid =
      hidden.parent !== null && /(^|[\s"'`])grid(?=[\s"'`])/.test(classText(page, hidden.parent))
    const atEnd = isInGrid ? ` justify-self-end ${until}:justify-self-auto` : ''
    return [
      { ...own, text: slimmer(withoutHiding(classes, until), until) + atEnd, unit: hidden },
      ...(hidden === way ? [] : slimmed(way, until)),
    ]
  }
  const source = sourceOf(page, way)
  if (when === null || source.length > LONGEST || /\s(id|ref|key)=|\{\.\.\.|\bv-|\bstyle=/.test(source))
    return []
  if (elementsIn(way).some(isHeading)) return []
  const parent = menu.parent
  if (parent === null) return []
  const holder =
    isHiddenWhenWide(page, parent) && /(^|[\s"'`])flex(?=[\s"'`]|$)/.test(classText(page, parent))
  const spot = !holder && isHiddenWhenWide(page, parent) && besides(menu).length === 1 ? parent : menu
  const where = holder ? 'mr-3 shrink-0' : `ml-auto mr-3 shrink-0 ${until}:hidden`
  const gap = lineBreakBefore(page, spot)
  const copy = `<div ${classWord(page)}="${where}">${indented(`${gap}  `, slim(way, source))}${gap}</div>`
  return [insertAt(spot.start, `${when === '' ? copy : `{${when} && (${copy})}`}${gap || ' '}`, spot)]
}

/** The button in a box that was hidden, smaller on phones where its class makes it wide. */
function slimmed(way: Element, until: string): Change[] {
  const own = attribute(way, 'class')?.own
  const classes = given(way, 'class')
  if (own == null || classes === null) return []
  const text = slimmer(classes, until)
  return text === classes ? [] : [{ ...own, text, unit: way }]
}

/** A sign in a button: an icon of a font, of a set or drawn. */
export const isPicture = (one: Element): boolean =>
  /^(img|svg|i)$/.test(one.name) ||
  (/^[A-Z]/.test(one.tag) && wordsIn(one) === '' && !isLink(one) && !isButton(one))

export const withoutHiding = (classes: string, until: string): string =>
  classes
    .split(/\s+/)
    .filter((one) => one !== 'hidden' && one !== 'd-none' && one !== `max-${until}:hidden`)
    .map((one) => (one.startsWith(`${until}:`) && SHOWS.test(one) ? one.slice(until.length + 1) : one))
    .map((one) => one.replace(new RegExp(`^d-${until}-(?=(inline-)?(flex|block)$)`), 'd-'))
    .join(' ')

const SHOWS = /:(inline-)?(flex|block)$/

/** What makes a button wide or high, smaller: on phones alone, or where the copy is for phones alone, in all. */
const WIDE = /^(px-(?:[5-9]|1\d)|p[xy]-\[\S+\])$/
const HIGH = /^py-(?:[3-9]|1\d|2\.5|3\.5)$/

/** Room that is left beside it, and large letters. */
const APART = /^(?:(?:m[lrsex]|p[lr]|space-x|gap)-(?:[5-9]|\d\d))$/
const LARGE = /^text-(?:lg|[2-9]?xl)$/

const slimmer = (classes: string, until: string): string =>
  classes.replace(/\S+/g, (one) => {
    if (WIDE.test(one)) return `px-3 ${until}:${one}`
    if (APART.test(one)) return `${one.replace(/\d+$/, '3')} ${until}:${one}`
    return LARGE.test(one) ? `text-base ${until}:${one}` : one
  })

function slim(way: Element, source: string): string {
  const own = attribute(way, 'class')?.own
  const classes = given(way, 'class')
  if (own == null || classes === null) return source
  const all = classes
    .split(/\s+/)
    .map((one) => (WIDE.test(one) ? 'px-3' : HIGH.test(one) ? 'py-2' : one))
    .filter((one) => !/^(ml|mr|ms|me|mx)-/.test(one))
  const text = [...new Set([...all, 'whitespace-nowrap'])].join(' ')
  return source.slice(0, own.start - way.start) + text + source.slice(own.end - way.start)
}
