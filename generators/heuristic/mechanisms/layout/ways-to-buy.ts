import { type Change, removeWith } from '../../edits.js'
import type { Idea, Site, View } from '../../idea.js'
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
import { anchorOf, isButton, isLink, labelOf, lineBreakBefore, saidOn, sourceOf } from '../../surface.js'

const ADDS = /^(add to (cart|bag|basket)|in den warenkorb( legen)?|ajouter au panier|añadir al carrito)$/i
const BUYS = /^(buy (it )?now|order now|jetzt kaufen|sofort kaufen|acheter maintenant|comprar ahora)$/i

/**
 * A product with two ways to buy beside each other, to the cart and at once: the cart alone, or the other one first. Writes no text. Not where code leaves one of the two
 * out, where more stands between them, where a third button leads to the product, in what only speaks of it (an article, products that go with another), nor where one alone would
 * leave a hole in its row.
 */
export function* waysToBuy({ page, site }: View): Generator<Idea> {
  if (ASIDE.test(page.path.replace(/([a-z\d])([A-Z])/g, '$1-$2'))) return
  for (const add of elementsIn(page.root)) {
    if (!isAdd(add)) continue
    // What is put into a cart that nobody gets to is never bought; in a program it may lie over any page.
    if (page.dialect === 'html' && (site === null || !hasCart(site))) return
    const row = besides(add)
    const buy = row.find((one) => isButton(one) && BUYS.test(withoutPrice(labelOf(one)?.value ?? '')))
    if (buy === undefined || Math.abs(row.indexOf(buy) - row.indexOf(add)) !== 1) continue
    // What code takes from nobody buys nothing.
    if (![add, buy].every((one) => isTaken(page, one))) continue
    const alone = leftAlone(page, add, buy)
    if (alone === null || isAside(page, add) || leadsToProduct(add)) continue
    const [first, second] = add.start < buy.start ? [add, buy] : [buy, add]
    yield {
      mechanism: 'default choice',
      pattern: 'ways-to-buy',
      name: `Ask for one thing at the product: “${saidOn(add)}” or “${saidOn(buy)}”`,
      anchor: anchorOf(add),
      topics: ['product', 'add to cart', 'button', saidOn(buy)],
      arms: [
        {
          name: `“${saidOn(add)}” alone`,
          // What spans its row has its classes written anew already.
          changes: alone.length > 1 ? alone : [...alone, ...asLoudAs(add, buy)],
          says: null,
        },
        {
          name: `“${saidOn(second)}” first`,
          changes: [
            { start: first.start, end: first.end, text: sourceOf(page, second), unit: first },
            { start: second.start, end: second.end, text: sourceOf(page, first), unit: second },
          ],
          says: null,
        },
      ],
      audience: 'visitors who look at a product',
      change: `offering “${saidOn(add)}” alone or “${saidOn(second)}” first`,
      because: 'of two buttons that both buy, some visitors weigh which is meant for them and press none',
      goal: 'purchase',
      effect: 4,
      // Who sees both on the next product is in no variant.
      isOneEverywhere: true,
    }
    return
  }
}

const isAdd = (one: Element): boolean => isButton(one) && ADDS.test(labelOf(one)?.value.trim() ?? '')

const PRICE_AT_END = /\s*[-–—·:|(]*\s*(?:[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|EUR|USD|GBP|CHF))\)?$/
const withoutPrice = (label: string): string => label.trim().replace(PRICE_AT_END, '')

/** A button that is not there; a script of the page that looks for it by its id finds something that nobody sees. */
function without(page: Page, button: Element): Change[] {
  const id = page.dialect === 'html' ? given(button, 'id') : null
  if (id === null || id === '') return [removeWith(lineBreakBefore(page, button), button)]
  return [{ start: button.start, end: button.end, text: `<span id="${id}" hidden></span>`, unit: button }]
}

const QUIET = /outline|secondary|ghost|light|link|tertiary|default/i

/** What is left is the main thing to press: it looks as the louder of the two did. */
function asLoudAs(left: Element, gone: Element): Change[] {
  const [own, louder] = [attribute(left, 'class'), attribute(gone, 'class')]
  if (own?.own == null || louder?.own == null || own.value === null || louder.value === null) return []
  return QUIET.test(own.value) && !QUIET.test(louder.value)
    ? [{ ...own.own, text: louder.value, unit: left }]
    : []
}

const CART =
  /(^|[/_.-])(carts?|basket|bag|checkout|warenkorb|kasse|panier|commande|carrito|cesta)(?=[/_.-]|$)/i

const hasCart = ({ links, pages, parts }: Site): boolean =>
  links.some(({ href }) => CART.test(href)) ||
  pages.some(({ path }) => CART.test(path.replace(/([a-z\d])([A-Z])/g, '$1-$2'))) ||
  Object.keys(parts).some((part) => /cart|basket|checkout|warenkorb|panier|carrito/.test(part))

/** Whether the rest of the site could say whether a cart is to be got to. */
export const mayBuyTwice = ({ page }: View): boolean =>
  page.dialect === 'html' && elementsIn(page.root).some(isAdd)

/** Where a product is but shown along: in what is read, and beside another one. */
const ASIDE =
  /(^|[/_.-])(blogs?|articles?|posts?|news|magazine?|journal|guides?|ratgeber|actualites|noticias|related|similar|recommend\w*|suggest\w*|up-?sells?|cross-?sells?|promos?|sidebar)(?=[/_.-])/i
const ALONG = /\b(related|similar|recommend\w*|suggest\w*|upsell\w*|crossSell\w*|alsoBought)/i
/** How much of a piece of code says what it goes through. */
const BEGINNING = 120

/** Whether code goes through what is shown along with another thing, or an article is around it. */
const isAside = ({ text }: Page, add: Element): boolean =>
  [...above(add)].some(
    ({ tag, start }) =>
      /^(article-?)?aside$/i.test(tag) ||
      (tag === '#code' && ALONG.test(text.slice(start, start + BEGINNING))),
  )

const TO_PRODUCT =
  /^(go to|view|see|show|open)( the| this| full| all)? (product|item|piece|details?)|^(more |product )?details$|^(zum (produkt|artikel)|details ansehen|produkt ansehen)|^voir (le produit|l['’]article|les détails|la fiche)|^ver (el )?(producto|artículo|detalles)/i
/** How far around two buttons a third belongs to them. */
const STEPS = 3

const leadsToProduct = (add: Element): boolean =>
  [...above(add)]
    .slice(0, STEPS)
    .some((outer) =>
      elementsIn(outer).some((one) => (isLink(one) || isButton(one)) && TO_PRODUCT.test(wordsIn(one).trim())),
    )

const CELLS = /^((?:(?:sm|md|lg|xl):)?)grid-cols-(\d+)$/
const PART_OF_ROW = /^(?:(?:sm|md|lg|xl):)?(?:w|basis)-\d+\/\d+$|^col(?:-\w+)?-\d+$/

/** One button without the other, over all of a row of two; `null` where it would leave a hole. */
function leftAlone(page: Page, add: Element, buy: Element): Change[] | null {
  const removed = without(page, buy)
  const classes = given(add, 'class') ?? ''
  if (classes.split(/\s+/).some((word) => PART_OF_ROW.test(word))) return null
  const row = (add.parent === null ? '' : (given(add.parent, 'class') ?? '')).split(/\s+/)
  if (!row.includes('grid')) return removed
  const own = attribute(add, 'class')?.own
  const columns = row.flatMap((word) => {
    const [, from = '', count = ''] = CELLS.exec(word) ?? []
    return count === '' ? [] : [{ from, count: Number(count) }]
  })
  // Columns of widths of their own are not known to be two.
  if (row.some((word) => /(^|:)grid-cols-\D/.test(word))) return null
  if (columns.every(({ count }) => count === 1)) return removed
  if (own == null || besides(add).length > 2 || columns.some(({ count }) => count > 2)) return null
  const spans = columns.filter(({ count }) => count === 2).map(({ from }) => `${from}col-span-2`)
  return [...removed, { ...own, text: `${spans.join(' ')} ${classes}`, unit: add }]
}

/** Whether something comes of it when it is pressed: it leads somewhere, sends its form, or code waits for it. */
const isTaken = ({ text, dialect }: Page, { start, end, children }: Element): boolean => {
  const opening = text.slice(start, children[0]?.start ?? end)
  return (
    dialect === 'html' ||
    /\s(on[A-Z]\w*|@click|on:click|onclick|v-on:click|href|to|form|formAction|asChild)\b|type=["']submit|\{\.\.\./.test(
      opening,
    ) ||
    /\b(href|to)=/.test(text.slice(start, end))
  )
}
