import { insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, attribute, type Element, elementsIn, given, type Page, wordsIn } from '../../markup/tree.js'
import { anchorOf, classWord, isButton, isLink, lineBreakBefore, sourceOf } from '../../surface.js'
import { nameOf, plain } from '../../uses.js'
import { indented } from '../act/standing.js'
import { actsOnPhones, barOf, FIXED, isBarFile, isPicture, menuOf } from './act-in-bar.js'
import { ICON, NARROW, widthOf } from './room.js'
import { classText, hiddenUntil, isHiddenWhenWide } from './screens.js'

const LONGEST = 700

/**
 * The bar that goes along with the page has the telephone number, but only on wide screens: on phones, where one could dial by a touch, its sign stands beside the menu. The number itself is
 * read out there to those who listen. Not where phones show another way to act or to call, where the number stands on another ground than the menu, or has no sign.
 */
export function* callInBar({ page, site }: View): Generator<Idea> {
  if (site === null || site.below.calls || site.callsFirst || !isBarFile(page)) return
  if (!FIXED.test(page.text) && site.clipped.includes(plain(nameOf(page.path)))) return
  const bar = barOf(page)
  const menu = bar === null ? null : menuOf(page, bar)
  if (bar === null || menu === null) return
  const found = elementsIn(bar).filter((one) => isLink(one) && dials(page, one))
  const hidden = found.flatMap((one) => {
    const around = [one, ...above(one)].filter((other) => other.start > bar.start)
    const until = around.map((other) => hiddenUntil(page, other)).find((width) => width !== null)
    return until == null || around.some(({ tag }) => tag === '#code') ? [] : [{ way: one, until }]
  })
  const [first] = hidden
  if (
    first === undefined ||
    found.some((one) => isInMenuAlone(page, bar, one) === false && !hidden.some(({ way }) => way === one))
  )
    return
  const { way, until } = first
  if (actsOnPhones(page, bar, way, menu) || widthOf(page, bar, way, menu, site.parts) + ICON > NARROW) return
  if (!isOnSameGround(page, bar, way, menu)) return
  const source = signOf(page, way)
  const parent = menu.parent
  if (source === null || parent === null) return
  const holder =
    isHiddenWhenWide(page, parent) && /(^|[\s"'`])flex(?=[\s"'`]|$)/.test(classText(page, parent))
  const spot = !holder && isHiddenWhenWide(page, parent) ? parent : menu
  const gap = lineBreakBefore(page, spot)
  const where = holder ? 'mr-3 shrink-0' : `ml-auto mr-3 shrink-0 ${until}:hidden`
  const copy = `<div ${classWord(page)}="${where}">${indented(`${gap}  `, source)}${gap}</div>`
  yield {
    mechanism: 'friction',
    pattern: 'call-in-bar-on-phones',
    name: 'Keep the telephone in the bar on phones',
    anchor: anchorOf(way, 'bar telephone'),
    topics: ['navigation', 'header', 'mobile', 'telephone', 'call'],
    arms: [
      {
        name: 'The telephone beside the menu on phones',
        changes: [insertAt(spot.start, copy + (gap || ' '), spot)],
        says: null,
      },
    ],
    audience: 'visitors on phones',
    change:
      'showing the sign that dials the number beside the menu in the bar that stays in sight, where only wide screens show the number,',
    because: 'a phone is what one calls with: one touch is enough, and now the number has to be looked for',
    // Whoever calls writes no message.
    goal: 'click',
    when: 'any link that dials the number is pressed, in all variants',
    effect: 4,
    unless: 'act-in-bar-on-phones',
  }
}

const hrefIn = (page: Page, one: Element): string => {
  const own = attribute(one, 'href')
  return own === undefined ? '' : page.text.slice(own.start, own.end)
}

const dials = (page: Page, one: Element): boolean => /["'`]tel:/.test(hrefIn(page, one))

/** Whether it stands in what phones show once the menu has been opened. */
const isInMenuAlone = (page: Page, bar: Element, one: Element): boolean =>
  [...above(one)].some(
    (other) => other.start > bar.start && (other.tag === '#code' || isHiddenWhenWide(page, other)),
  )

/** Whether nothing around the one has a ground or a colour of letters that is not around the other too. */
const isOnSameGround = (page: Page, bar: Element, way: Element, menu: Element): boolean =>
  [...above(way)]
    .filter((one) => one.start > bar.start && !(one.start <= menu.start && one.end >= menu.end))
    .every(
      (one) =>
        !/["'`\s](bg|text)-(?!(xs|sm|base|lg|left|center|right|transparent)\b)/.test(classText(page, one)),
    )

/** The link with its sign alone in sight, on phones; `null` where it has no sign, or code decides what it says beside one word. */
function signOf(page: Page, way: Element): string | null {
  const source = sourceOf(page, way)
  const own = attribute(way, 'class')?.own
  const classes = given(way, 'class')
  const signs = way.children.filter((one) => one.kind === 'element' && isPicture(one))
  const [sign, ...more] = signs
  if (source.length > LONGEST || own == null || classes === null || sign === undefined || more.length > 0)
    return null
  if (/\s(id|ref|key)=|\{\.\.\.|\bv-|\bstyle=/.test(source) || isButton(way)) return null
  if (way.children.indexOf(sign) > 1) return null
  const close = source.lastIndexOf('</')
  const inner = source.slice(sign.end - way.start, close)
  const rest = inner.trim()
  // Code that does more than name the number is left alone.
  if (rest === '' || wordsIn(way).length > 60 || /\{[^}]*[^\w.{}\s][^}]*\}/.test(rest)) return null
  const kept = classes
    .split(/\s+/)
    .filter(
      (one) =>
        !/^(hidden|(inline-)?(flex|block)|items-center)$/.test(one) &&
        !/^(sm|md|lg|xl|2xl):/.test(one) &&
        !/^(m[lrxse]?|p[xylr]?|gap|space-x)-/.test(one),
    )
  const text = [...new Set([...kept, 'inline-flex', 'items-center', 'p-2'])].join(' ')
  const head =
    source.slice(0, own.start - way.start) + text + source.slice(own.end - way.start, sign.end - way.start)
  const spoken = /^<span>[^<]*<\/span>$/.test(rest)
    ? rest.replace('<span', `<span ${classWord(page)}="sr-only"`)
    : `<span ${classWord(page)}="sr-only">${rest}</span>`
  return head + inner.replace(rest, () => spoken) + source.slice(close)
}
