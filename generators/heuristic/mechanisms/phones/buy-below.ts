import type { Idea, View } from '../../idea.js'
import { isUtility } from '../../markup/kits.js'
import { above, type Element, elementsIn, given, type Page, wordsIn } from '../../markup/tree.js'
import { anchorOf, classWord, cutAt, isButton, isLink, lineBreakBefore, sourceOf } from '../../surface.js'
import { indented } from '../act/standing.js'
import { staysBelow } from './below.js'
import { classText, isHiddenOnPhones } from './screens.js'

/** Pages of one product, by their path, and what only looks like one. */
const PRODUCT =
  /(^|[/_.-])(products?|productos?|produits?|produkte?|pdp|items?|artikel|shop|store|boutique|tienda)(?=[/_.-])/i
const NOT_ONE =
  /(^|[/_.-])(admin|dashboard|cards?|list|grid|quick|modal|dialog|drawer|popup|preview|carousel|slider|related|recommend\w*|cart|checkout|wishlist|home|featured|stor(y|ies)|demos?|examples?|seller|vendor|merchant|edit(or)?|new|create)(?=[/_.-])/i
const ADDS =
  /^(add\w{0,4} to (my |your )?(cart|bag|basket)|in den warenkorb( legen)?|zum warenkorb hinzufügen|ajouter au panier|añadir al carrito|agregar al carrito|añadir a la cesta|aggiungi al carrello)\b/i
const BUYS = /\b(buy|order|checkout|purchase|kaufen|bestellen|acheter|commander|comprar|pagar)\b/i
const LONGEST = 1_600

/** What makes a part of the page the frame of what is fixed in it. */
const FRAMES =
  /["'`\s:](transform|-?translate|-?rotate|scale|animate|filter|backdrop|perspective|will-change|blur)(-|(?=["'`\s]))/
/** The button waits until something has been chosen, which is not in sight then. */
const WAITS = /disabled=\{[^}]*!\s*\w*(select|variant|size|option|colou?r|chosen)/i

/**
 * The page of one product, whose button for the cart scrolls away on phones: it stays at the lower edge of the window there. Wide screens stay as they are. Writes no text. Not where
 * anything stays there already, where another button buys too, or where it waits for a choice.
 */
export function* buyBelow({ page, site }: View): Generator<Idea> {
  if (site === null || !isProduct(page)) return
  const below = staysBelow(site, page)
  if (below === 'edge') return
  const all = elementsIn(page.root)
  if (!all.some(({ name }) => name === 'h1')) return
  const [button, ...others] = all.filter((one) => isButton(one) && buys(page, one))
  if (button === undefined || others.length > 0 || button.end - button.start > LONGEST) return
  const around = [...above(button)]
  if (around.some((one) => isMoved(page, one) || isRepeated(page, one) || isHiddenOnPhones(page, one))) return
  const own = classText(page, button)
  if (/["'`\s](absolute|fixed|sticky|hidden)["'`\s]/.test(own) || WAITS.test(openingOf(page, button))) return
  if (all.some((one) => /["'`\s](fixed|sticky)["'`\s]/.test(classText(page, one)) && one !== button)) return
  const label = labelIn(page, button)
  const what = label === '' ? 'the button for the cart' : `“${label}”`
  const [parent] = around
  // One of two that code shows, or beside another way to buy: the other one would stay behind.
  if (parent === undefined || parent.tag === '#code') return
  if (
    elementsIn(parent).some(
      (one) => one !== button && (isLink(one) || isButton(one)) && BUYS.test(wordsIn(one)),
    )
  )
    return
  const isInRow = /["'`\s](inline-)?(flex|grid)["'`\s]/.test(classText(page, parent))
  const wide = isInRow ? 'md:contents' : 'md:static md:block md:p-0'
  const gap = lineBreakBefore(page, button)
  const open = `<div ${classWord(page)}="fixed inset-x-0 bottom-0 z-10 grid p-3 ${below === 'corner' ? 'pr-24 ' : ''}${wide}">`
  yield {
    mechanism: 'friction',
    pattern: 'buy-below-on-phones',
    name: `Keep ${what} at the lower edge of the window on phones`,
    anchor: anchorOf(button, `${label} below`),
    topics: ['shop', 'product', 'cart', 'mobile', 'call to action', label],
    arms: [
      {
        name: `${what} stays in sight on phones`,
        changes: [
          {
            start: button.start,
            end: button.end,
            text: `${open}${indented(`${gap}  `, sourceOf(page, button))}${gap}</div>`,
            unit: button,
            longest: LONGEST * 2,
          },
        ],
        says: null,
      },
    ],
    audience: 'visitors on phones who look at a product',
    change: `showing ${what} at the lower edge of the window all along the product’s page, where it scrolls away now,`,
    because:
      'pictures, options and the description fill several screens there, and who has decided need not go back for it',
    goal: 'cart',
    effect: 4,
    isOneEverywhere: true,
  }
}

/** Whether a file is the page of one product: the rest of the site could say more of it. */
export function isProduct(page: Page): boolean {
  const path = page.path.replace(/([a-z\d])([A-Z])/g, '$1-$2')
  return PRODUCT.test(path) && !NOT_ONE.test(path) && isUtility(page)
}

const openingOf = (page: Page, { start, children, end }: Element): string =>
  page.text.slice(start, children[0]?.start ?? end)

/** Whether it puts the product into the cart: by one of its words, also where code chooses between several. */
const buys = (page: Page, button: Element): boolean =>
  ADDS.test(wordsIn(button).replace(/^[^\p{L}]+/u, '')) ||
  [...sourceOf(page, button).matchAll(/["'`>]\s*([\p{L}][\p{L} ]{6,30})\s*["'`<]/gu)].some(([, said = '']) =>
    ADDS.test(said.trim()),
  )

function labelIn(page: Page, button: Element): string {
  const isChosen = button.hasCode || elementsIn(button).some(({ hasCode, tag }) => hasCode || tag === '#code')
  const said = isChosen ? '' : wordsIn(button)
  if (said !== '') return cutAt(said, 40)
  const found = [...sourceOf(page, button).matchAll(/["'`>]\s*([\p{L}][\p{L} ]{6,30})\s*["'`<]/gu)]
  return found.map(([, one = '']) => one.trim()).find((one) => ADDS.test(one)) ?? ''
}

const isMoved = (page: Page, one: Element): boolean =>
  /^(motion|m|animated)\.|^(transition|animatepresence|fade|reveal)/i.test(one.tag) ||
  given(one, 'data-aos') !== null ||
  FRAMES.test(classText(page, one))

/** Whether it stands there once for each of several. */
const isRepeated = (page: Page, one: Element): boolean =>
  (one.tag === '#code' && /\.map\(|#each/.test(page.text.slice(one.start, one.end).slice(0, 200))) ||
  one.attributes.some(({ name }) => name === 'v-for' || name === 'key')
