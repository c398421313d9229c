// Evidence: on phones, people did not know whether the title, the picture or all of an item opens it, and
// some got stuck (Baymard 2013, "Mobile Product Lists Need Very Distinct Hit Areas"); people expect a card to
// open as a whole (Nielsen Norman Group, "Cards"). Admitted because one file shows the picture of a card,
// that nothing happens when it is tapped, and the link of the card to the page of the same thing.
import type { PageChange } from '../page/edits.js'
import {
  above,
  attribute,
  elementsIn,
  given,
  isInside,
  type PageElement,
  type PageTree,
  wordsIn,
} from '../page/tree.js'
import { type ItemAddress, isLink, itemAddressOf, namesReadIn, thingsOf } from './item-address.js'
import { headingOf, quoted } from './place-words.js'
import type { ProposalRule } from './rule.js'
import type { Goal } from './targets.js'
import { mainActOf } from './ways.js'

const PICTURE = /(^|[a-z-])(img|image|picture)$/
const PRESSED = /^(on:?|@|v-on:|bind:)(click|press|tap|pointer|mouse(down|up)|touch|submit|select)/i
const INTERACTIVE = /^(a|button|input|select|textarea|label|form|video|iframe|summary)$|link$|button$|btn$/
const SLIDES = /slide|swiper|carousel|lightbox|zoom|dialog|modal|trigger/i
/** Folders of things that are no goods, rooms or services, and of things of one person. */
const OTHER =
  /order|admin|edit|profile|users?$|account|cart|checkout|tags?$|categor|author|blog|news|posts?$|articles?$|journal|feedback|reservations?$|bookings?$|client|member|patient|people|staff|mascota|pets?$/i
const CHOSEN =
  /(^|[/_.-])(cart|basket|bag|check-?out|order|wish-?list|favou?rites?)|Cart|Basket|Checkout|Order|Wishlist/
const SMALL = /(^|\s)(w|h|size)-([2-9]|1[0-6])(\s|$)|avatar|logo|icon/i
/** Utilities that Tailwind alone has, and pictures and their frames often. */
const UTILITY =
  /(^|\s)(object-(cover|contain)|(w|h)-(full|3[26]|4[048]|5[26]|6[04]|72|80|96|\[.+?\])|aspect-\S+|inset-0)(\s|$)/
const COVERS =
  /(?=.*(^|\s)absolute)(?=.*(^|\s)(inset-0|inset-x-0|(w|h)-full|size-full))|overlay|stretched-link/i
const LETS_THROUGH = /pointer-events-none/
/** A link that lies over its whole card already. */
const SPREADS_OUT = /(before|after):(absolute|inset-0)|stretched-link|(?=.*absolute)(?=.*inset-0)/
/** Classes that count the children of an element, or space them. */
const BY_CHILDREN = /(^|[\s:])(-?space-[xy]|divide-[xy]|\*:|\[&>)/
const BY_PLACE = /(^|\s)(first|last|odd|even|only|nth-\S+):/

/** The part of a card that a link can be laid around without moving anything, and the class of that link. */
interface Wrap {
  around: PageElement
  classes: string
}

interface Card {
  picture: PageElement
  link: PageElement
  address: ItemAddress
  wrap: Wrap
}

const classesOf = (element: PageElement, { text }: PageTree): string => {
  const found = element.attributes.find(({ name }) => /^:?class$/.test(name))
  return found === undefined ? '' : (found.value ?? text.slice(found.start, found.end))
}

/** An element and those around it, below its card. */
function upTo(card: PageElement, element: PageElement): PageElement[] {
  const around = [element, ...above(element)]
  return around.slice(0, around.indexOf(card))
}

/** `<Card onClick>`, and `<Card {...props}>`, which may have a handler. */
const mayBePressed = (element: PageElement, { text }: PageTree): boolean =>
  element.attributes.some(({ name }) => PRESSED.test(name)) ||
  given(element, 'role') === 'button' ||
  /^<[^<>]*?(\{\.\.\.(?!\()|\bv-bind=|\$attrs)/.test(text.slice(element.start, element.end))

/** Whether one component is given both names, or one list item has them: `({ image, slug })`. */
const comeTogether = (names: readonly string[], others: readonly string[], { text }: PageTree): boolean =>
  [...text.matchAll(/\{([\w\s,:='"]{3,400})\}\s*(?::[^=()]*)?[=)]/g)].some(([, inside = '']) => {
    const given = new Set(inside.match(/\w+/g))
    return names.some((one) => given.has(one)) && others.every((one) => given.has(one))
  })

/** The link of a card to the page of its thing, `null` if it has none, or if code decides whether it has. */
function linkFor(card: PageElement, page: PageTree): { link: PageElement; address: ItemAddress } | null {
  const found = elementsIn(card).flatMap((link) => {
    const address = itemAddressOf(link, page)
    return address === null ? [] : [{ link, address }]
  })
  const [first] = found
  const isOne = found.every(({ address }) => address.written === first?.address.written)
  if (first === undefined || !isOne || OTHER.test(first.address.folder)) return null
  const isAlways = found.some(({ link }) => upTo(card, link).every(({ tag }) => tag !== '#code'))
  const isWhole = elementsIn(card).some(
    (one) => (isLink(one) || [...above(one)].some(isLink)) && SPREADS_OUT.test(classesOf(one, page)),
  )
  const isPlain = first.link.attributes.every(({ name }) => !/^(use:|target|v-|@)/.test(name))
  return isAlways && !isWhole && isPlain ? first : null
}

/** The picture with its frame, badges included, as far as nothing in it is pressed or read. */
function frameOf(picture: PageElement, card: PageElement, page: PageTree): PageElement {
  let frame = picture
  for (const one of upTo(card, picture)) {
    const within = elementsIn(one)
    if (within.some(({ name }) => INTERACTIVE.test(name) || /^(h[1-6]|p)$/.test(name))) break
    if (within.some((inner) => mayBePressed(inner, page))) break
    if (one.tag !== '#code' && one.tag !== '' && !one.attributes.some(({ name }) => /^(key|v-)/.test(name)))
      frame = one
  }
  return frame
}

/** Whether something lies over a part of a card, or lets no finger through to it. */
function isCovered(part: PageElement, card: PageElement, page: PageTree): boolean {
  const between = upTo(card, part)
  const later = between.flatMap((one) =>
    (one.parent?.children ?? []).flatMap((other) =>
      other.kind === 'element' && other.start >= one.end ? [other, ...elementsIn(other)] : [],
    ),
  )
  const mayLie = later.map((one) => classesOf(one, page)).filter((classes) => !LETS_THROUGH.test(classes))
  return (
    between.some((one) => LETS_THROUGH.test(classesOf(one, page))) || mayLie.some((one) => COVERS.test(one))
  )
}

function wrapOf(picture: PageElement, card: PageElement, page: PageTree): Wrap | null {
  const frame = frameOf(picture, card, page)
  const [ofPicture, ofFrame] = [classesOf(picture, page), classesOf(frame, page)]
  if (UTILITY.test(`${ofPicture} ${ofFrame}`) && !/styles?\./.test(ofPicture)) {
    const isCounted =
      BY_PLACE.test(ofFrame) || (frame.parent !== null && BY_CHILDREN.test(classesOf(frame.parent, page)))
    return isCounted || isCovered(frame, card, page) ? null : { around: frame, classes: 'contents' }
  }
  // A picture that fills its frame, and one of Bootstrap's cards, are laid out as before in a plain link.
  const isLaidOut = given(picture, 'fill') === '' || /(^|\s)card-img-top(\s|$)/.test(ofPicture)
  return isLaidOut && !isCovered(picture, card, page) ? { around: picture, classes: '' } : null
}

function cardsIn(page: PageTree): Card[] {
  const pictures = new Map(
    elementsIn(page.root)
      .filter(({ name }) => PICTURE.test(name))
      .map((one) => [one.start, one]),
  )
  return [...pictures.values()].flatMap((picture): Card[] => {
    const card = [...above(picture)].find((one) => elementsIn(one).some(isLink))
    const source = attribute(picture, 'src')
    if (card === undefined || card.tag === '' || source === undefined || source.own !== null) return []
    const around = [picture, ...above(picture)]
    if (around.some((one) => INTERACTIVE.test(one.name) || mayBePressed(one, page))) return []
    if (upTo(card, picture).some((one) => SLIDES.test(`${one.tag} ${classesOf(one, page)}`))) return []
    const found = SMALL.test(classesOf(picture, page)) ? null : linkFor(card, page)
    if (found === null) return []
    const shown = namesReadIn(page.text.slice(source.start, source.end), page)
    const { names } = found.address
    if (!shown.some((one) => names.includes(one)) && !comeTogether(shown, names, page)) return []
    const wrap = wrapOf(picture, card, page)
    if (wrap === null) return []
    const isOnly = [...pictures.values()].every(
      (one) => attribute(one, 'src')?.own !== null || !isInside(one, card) || isInside(one, wrap.around),
    )
    return isOnly ? [{ picture, wrap, ...found }] : []
  })
}

const goalOf = (things: string, act: Goal | undefined): Goal =>
  /product|shop|catalog|cake|flower|menu|item|produit|produto/.test(things) ? 'cart' : (act ?? 'click')

function wrapped({ link, address, wrap: { around, classes } }: Card, page: PageTree): PageChange {
  const { start, end } = around
  const name = page.dialect === 'jsx' ? 'className' : 'class'
  const opening = `<${link.tag} ${address.written}${classes === '' ? '' : ` ${name}="${classes}"`}>`
  return { start, end, text: `${opening}${page.text.slice(start, end)}</${link.tag}>`, unit: around }
}

export const pictureLink: ProposalRule = {
  ruleId: 'picture-link',
  why: 'Visitors who tap the picture of a thing see nothing happen.',
  *find({ page, ways }) {
    // Those who have chosen a thing go on to pay.
    if (page.dialect === 'html' || CHOSEN.test(page.path)) return
    const cards = cardsIn(page)
    const [card] = cards
    if (card === undefined) return
    const things = thingsOf(card.address)
    const label = wordsIn(card.link)
    yield {
      mechanism: 'friction',
      name: `Let the pictures of the ${things} lead to them, too`,
      anchor: `${card.picture.tag} "${things}"`,
      topics: ['picture', 'card', things, headingOf(page, /^h[12]$/)],
      displayName: 'Pictures as links',
      says: null,
      changes: cards
        .filter(({ address }) => address.folder === card.address.folder)
        .map((one) => wrapped(one, page)),
      change: `a tap on the picture of one of the ${things} opens what ${label === '' ? 'the link beside it' : quoted(label)} opens`,
      goal: goalOf(things, mainActOf(ways)),
      because:
        'on a phone nothing shows which part of a card can be tapped, and a tap on its largest part does nothing today',
      effect: 4,
    }
  },
}
