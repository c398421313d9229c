import type { Dress } from '../../idea.js'
import { type Element, elementsIn, given, type Page, wordsIn } from '../../markup/tree.js'
import { cutAt, isButton, isHeading, OTHERS_SITES } from '../../surface.js'
import { nameOf, plain } from '../../uses.js'
import { isStandIn } from '../../words/stand-in.js'

/** Of two parts with one name nothing is known. */
export const NO_DRESS: Dress = {
  heading: '',
  opens: false,
  isPicture: false,
  ground: '',
  borrows: false,
  isNumbered: false,
  voices: null,
  leadsOut: 0,
  vouches: false,
  leads: [],
}

/** Sections that are counted say so first: `03 / What others say`. */
const NUMBERED = /^0\d\s*(?:[/.:—–-]|\p{L})/u

const PICTURE = /^(img|image|nuxtimg|nuxtpicture|picture|video|iframe)$/
/** More words than this are said, and not shown. */
const FEW_WORDS = 60

export function dressOf(block: Element): Dress {
  const inner = elementsIn(block)
  const headings = [block, ...inner].filter(isHeading)
  const first = headings.find((one) => !isInside(one, block) && !one.hasCode && wordsIn(one) !== '')
  const words = first === undefined ? '' : wordsIn(first)
  const pictures = inner.filter(({ name }) => PICTURE.test(name))
  const quotes = inner.filter(({ tag }) => /^(blockquote|q)$/.test(tag))
  return {
    heading: isStandIn(words) ? '' : cutAt(words, 50),
    opens: headings.some(({ name }) => name === 'h1'),
    isPicture:
      headings.length === 0 &&
      pictures.length > 0 &&
      // Many small ones are names of others.
      pictures.length <= 2 &&
      wordsIn(block).length <= FEW_WORDS &&
      !inner.some(isButton),
    ...spaceOf(block),
    isNumbered: NUMBERED.test(wordsIn(block)),
    voices: quotes.length === 0 || quotes.some((one) => isInside(one, block)) ? null : quotes.length,
    leadsOut: inner.filter((one) => LEADS_OUT.test(given(one, 'href') ?? '') && !isInside(one, block)).length,
    vouches: USED_BY.test(wordsIn(block)) || inner.some(({ tag }) => USERS.test(tag)),
    leads: leadsOf(inner),
  }
}

/** What is for those who are there already, only tells, or is somebody else's. */
const TELLS =
  /^[/#]?$|^#!|^(mailto|tel|sms|javascript|data):|log-?in|sign-?in|docs?\b|documentation|blog|producthunt|\/(about|features?|terms|privacy|legal|imprint|impressum|faq)/i

function leadsOf(inner: readonly Element[]): string[] {
  const ways = inner.flatMap((one) => {
    const href = given(one, 'href') ?? given(one, 'to')
    if (href === null || TELLS.test(href) || OTHERS_SITES.test(href)) return []
    const around = [one, ...elementsIn(one), ...(one.parent === null ? [] : [one.parent])]
    return [{ href, isLoud: around.some(isButton) }]
  })
  return [...new Set([...ways.filter(({ isLoud }) => isLoud), ...ways].map(({ href }) => href))]
}

const LEADS_OUT = /^(https?:)?\/\//i
/** Words and parts of an opening that speak for it by who uses it. */
const USED_BY =
  /\b\d[.,]\d\s?(?:\/\s?5|stars|sterne|étoiles|estrellas|von 5|sur 5|out of 5)(?![\p{L}\d])|★{4}|\b(trusted|used|loved|chosen|recommended) by\b|\b\d[\d.,\s]*\s?(k|m|million|mio\.?)?\s?\+? (?:(?:happy|active|satisfied|verified|google|five-star|5-star|zufriedene|echte)[ -])*(customers|users|teams|companies|developers|members|reviews|kund(en|innen)|nutzer|bewertungen|clients|utilisateurs|avis|clientes|usuarios)\b|vertrauen (uns|auf)\b|nous font confiance|confían en/iu
const USERS =
  /(^|[a-z-])(logos|logo-?(cloud|wall|grid|strip)|companies|brands|customers|clients|trusted-?by|trust-?(bar|band|strip)|social-?proof|avatars?-?(group|stack)|rating)$/i

/** Whether code stands between an element and the block that it is in: it may be one of many, or not there. */
const isInside = (element: Element, block: Element): boolean => {
  for (let one = element.parent; one !== null && one !== block; one = one.parent)
    if (one.tag === '#code') return true
  return false
}

const GROUND =
  /(?:^|\s)(?:(?:before|after|dark):)?(bg-(?!clip|cover|center|no-repeat|fixed|local|scroll|origin|blend|repeat|top|bottom|left|right|opacity|\[(?:length|bottom|position))[\w./[\]#(),%-]+|(?:[\w-]+-)?(?:bg|background)-(?:dark|light|gr[ae]y|color|alt|\d)[\w-]*|(?:section|gr[ae]y|dark|light|theme|alt)-bg\b[\w-]*)/i
/** What the page itself is painted with. */
const PAGE_GROUND = /^bg-(white|background|transparent|base-100|none|body|default|inherit|white-\w+)$/i
const COLOUR = /background(?:-?color|-?image)?\s*:\s*["']?([^"';,}]+)/i

const SPACE = /(?:^|\s)(?:[a-z\d]+:)*(?:py|pt|my|mt|p|m)-(?!0(?:\s|$)|auto|px)[\w[\].%-]+/
const TAKES = /(?:^|\s)(?:[a-z\d]+:)*(?:pt-0|mt-0|mt-n\d|-mt-[\w[\].]+|p-0|padding-top-0|no-padding)(?=\s|$)/
const TAKES_STYLE =
  /(?:padding-?top|margin-?top)\s*:\s*["']?(?:0(?!\.?\d)|-)|padding\s*:\s*["']?0(?:px|rem|em)?\s+\S/i

/** Background and space of a block: its own, or that of the one element that fills it. */
function spaceOf(block: Element): Pick<Dress, 'ground' | 'borrows'> {
  let one: Element | undefined = block
  while (one.tag === '' && fillOf(one) !== undefined) one = fillOf(one) ?? one
  let hasSpace = false
  for (let depth = 0; one !== undefined && depth < 4; depth++) {
    const classes = given(one, 'class') ?? ''
    const style = given(one, 'style') ?? ''
    const ground = groundOf(classes, style)
    if (depth === 0 && (TAKES.test(classes) || TAKES_STYLE.test(style) || one.attributes.some(saysNoSpace))) {
      const below = spaceBelow(one)
      return { ground: ground === '' ? below : ground, borrows: true }
    }
    // A card without space around it stands as close as what is before it lets it.
    if (ground !== '') return { ground, borrows: depth > 0 && !hasSpace }
    hasSpace ||= SPACE.test(classes)
    one = fillOf(one)
  }
  return { ground: '', borrows: false }
}

/** A part that is told to leave no space; what it is told by code may be that. */
const saysNoSpace = ({ name, value }: Element['attributes'][number]): boolean =>
  /^(no|without)-?\w*(padding|spacing|margin)/i.test(name) ||
  (/^(vertical-?|top-?)?(padding|spacing|margin)(-?y|-?top|-?vertical)?$/i.test(name) &&
    (value === null || /^(0|none|false)$/.test(value)))

const spaceBelow = (block: Element): string => {
  const inner = fillOf(block)
  return inner === undefined ? '' : groundOf(given(inner, 'class') ?? '', given(inner, 'style') ?? '')
}

/** A colour that runs into another one begins and ends as a background of either. */
const RUNS = /(?:^|\s)bg-gradient-|(?:^|\s)bg-linear-/
const COLOURS = /(?:^|\s)(?:from|to)-(?!transparent|background|white)([a-z][\w-]*)/g

function groundOf(classes: string, style: string): string {
  if (RUNS.test(classes)) {
    const colours = [...classes.matchAll(COLOURS)].map(([, name = '']) => `bg-${name}`)
    if (colours.length > 0) return [...new Set(colours)].join(' ')
  }
  const own = GROUND.exec(classes)?.[1]?.toLowerCase() ?? COLOUR.exec(style)?.[1]?.trim().toLowerCase() ?? ''
  return PAGE_GROUND.test(own) || /^(#fff(fff)?|white|none|transparent)$/.test(own) ? '' : own
}

/** The only element in another one, but for what is laid below or above it. */
function fillOf(element: Element): Element | undefined {
  const children = element.children.filter(
    (one): one is Element =>
      one.kind === 'element' &&
      !/(^|\s)(absolute|pointer-events-none)(\s|$)/.test(given(one, 'class') ?? '') &&
      !/^(style|script)$/.test(one.tag),
  )
  return children.length === 1 && children[0]?.tag !== '#code' ? children[0] : undefined
}

const COMPONENT = /\b(export\s+default\s+)?(?:async\s+)?(?:function|const|let|class)\s+([A-Z][\w$]*)/g

/** What a component of a file shows first, by its name; without one, what the file itself is there for. */
export function shownBy({ path, text, root, dialect }: Page, name?: string): Element | undefined {
  const roots = root.children.filter((one): one is Element => one.kind === 'element')
  if (dialect !== 'jsx') return name === undefined ? (roots.length === 1 ? roots[0] : root) : undefined
  const wanted = plain(name ?? nameOf(path))
  const all = [...text.matchAll(COMPONENT)].map((found) => ({
    at: found.index,
    name: plain(found[2] ?? ''),
    isDefault: found[1] !== undefined,
  }))
  const component =
    all.find((one) => one.name === wanted) ??
    (name === undefined ? all.find(({ isDefault }) => isDefault) : undefined)
  if (component !== undefined) {
    const next = all.find(({ at }) => at > component.at)?.at ?? text.length
    const own = roots.filter(({ start }) => start > component.at && start < next)
    if (own.length > 0) return largest(own)
  }
  return name === undefined ? largest(roots) : undefined
}

const largest = (all: readonly Element[]): Element | undefined =>
  [...all].sort((a, b) => b.end - b.start - (a.end - a.start))[0]
