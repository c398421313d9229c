import type { Site } from '../../idea.js'
import { above, type Element, elementsIn, type Page, wordsIn } from '../../markup/tree.js'
import { isButton, isLink } from '../../surface.js'
import { plain } from '../../uses.js'
import { isHiddenOnPhones, isHiddenWhenWide } from './screens.js'

/** The width of a small phone without the edges of the bar and the gaps beside its name and its menu, in pixels, and what things take of it, about. */
export const NARROW = 325
export const ICON = 48
const GAP = 8
const LETTER = 10
/** A sign that is a name too. */
const LOGO = 130
/** What is called so shows a short word beside its sign, or its sign alone. */
const CHOOSES_LANGUAGE = /lang|locale|i18n/i
const IS_SIGN =
  /^(?!.*(provider|context|menu|drawer|modal|dialog|sheet|bar)$).*(theme|dark-?mode|mode-?toggle|cart|basket|wishlist|favou?rites|notif|bell|user|avatar|profile|account|auth|search)/i
/** Letters of a name that code gives. */
const LETTERS_OF_CODE = 18

type Parts = Site['parts']

/** How much of a small phone's width the bar takes without the act, about: its name or sign, the menu, and what else is in sight. */
export function widthOf(page: Page, bar: Element, way: Element, menu: Element, parts: Parts): number {
  const isInSight = (one: Element): boolean =>
    ![one, ...above(one)].some(
      (other) =>
        other.start > bar.start &&
        (isHiddenOnPhones(page, other) ||
          other.tag === '#code' ||
          (isHiddenWhenWide(page, other) && !isButton(other) && !isAround(other, menu))),
    )
  const isIn = (one: Element): boolean =>
    [...above(one)].some((other) => other.start > bar.start && (isLink(other) || isButton(other)))
  const shown = elementsIn(bar).filter(
    (one) =>
      one !== way &&
      (isLink(one) || isButton(one) || isOwnPart(one)) &&
      !elementsIn(way).includes(one) &&
      !isIn(one) &&
      isInSight(one),
  )
  const gaps = Math.max(0, shown.length - 2) * GAP
  return shown.reduce((sum, one) => sum + roomOf(page, one, parts), gaps)
}

/** What opens the menu stands in it: it is the part of the bar that phones show, and no menu. */
export const isAround = (one: Element, menu: Element): boolean =>
  one.start <= menu.start && one.end >= menu.end

/** A part of the site's own that is a thing in a bar by its name. */
const isOwnPart = ({ tag }: Element): boolean =>
  /^[A-Z]/.test(tag) && (CHOOSES_LANGUAGE.test(tag) || IS_SIGN.test(tag) || isLogo(tag))

const isLogo = (tag: string): boolean => /^(site|brand|app|main|nav)?logo|^brand(name|mark)?$/i.test(tag)

/** How wide a link, a button or a part is in a bar on phones, about, in pixels. */
function roomOf(page: Page, one: Element, parts: Parts): number {
  if (/^[A-Z]/.test(one.tag) && !isLink(one) && !isButton(one) && isOwnPart(one) && !isLogo(one.tag))
    return CHOOSES_LANGUAGE.test(one.tag) ? 1.5 * ICON : ICON
  const own = lettersIn(page, one, isLink(one), () => wordsIn(one).length)
  const logo = [one, ...elementsIn(one)].find(({ tag }) => isLogo(tag))
  const known = logo === undefined ? undefined : parts[plain(logo.tag)]?.room
  if (known !== undefined && known > 0) return own * LETTER + known
  const hasPicture = hasPictureIn(one) || logo !== undefined
  return own * LETTER + (hasPicture ? (own === 0 ? LOGO : ICON) : own === 0 ? ICON : 0)
}

/** How wide a part is that is shown in a bar, about, in pixels; 0 where it shows nothing that is known. */
export function roomOfPart(page: Page): number {
  const all = elementsIn(page.root)
  if (all.length > 40) return 0
  const letters = lettersIn(page, page.root, true, () => 0)
  const hasPicture = all.some((one) => /^(img|image|svg|nuxt-img)$/.test(one.name))
  return letters === 0 ? (hasPicture ? LOGO : 0) : letters * LETTER + (hasPicture ? ICON : 0)
}

/** The letters of its longest line in sight on phones. */
function lettersIn(page: Page, one: Element, isName: boolean, otherwise: () => number): number {
  const lines = elementsIn(one)
    .filter(
      (inner) =>
        !elementsIn(inner).some(({ tag }) => tag !== 'br') &&
        (wordsIn(inner) !== '' || (isName && inner.hasCode)) &&
        !/^(style|script|title|desc|text|path)$/.test(inner.name),
    )
    .filter(
      (inner) =>
        ![inner, ...above(inner)].some((other) => other.start >= one.start && isHiddenOnPhones(page, other)),
    )
  return lines.length === 0
    ? otherwise()
    : Math.max(
        ...lines.map((inner) =>
          isName && inner.hasCode ? Math.max(LETTERS_OF_CODE, wordsIn(inner).length) : wordsIn(inner).length,
        ),
      )
}

const hasPictureIn = (one: Element): boolean =>
  elementsIn(one).some(({ name }) => /^(img|image|svg|nuxt-img|logo\w*)$/.test(name))
