import { type Change, removeWith } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { attribute, besides, type Element, elementsIn, given, type Page } from '../../markup/tree.js'
import { anchorOf, isButton, labelOf, lineBreakBefore, saidOn, sourceOf } from '../../surface.js'

const ADDS = /^(add to (cart|bag|basket)|in den warenkorb( legen)?|ajouter au panier|añadir al carrito)$/i
const BUYS = /^(buy (it )?now|order now|jetzt kaufen|sofort kaufen|acheter maintenant|comprar ahora)$/i

/**
 * A product with two ways to buy beside each other, to the cart and at once: the cart alone, or the other one first. Writes no text. Not where code leaves one of the two
 * out, nor where more stands between them.
 */
export function* waysToBuy({ page }: View): Generator<Idea> {
  for (const add of elementsIn(page.root)) {
    if (!isButton(add) || !ADDS.test(labelOf(add)?.value.trim() ?? '')) continue
    const row = besides(add)
    const buy = row.find((one) => isButton(one) && BUYS.test(withoutPrice(labelOf(one)?.value ?? '')))
    if (buy === undefined || Math.abs(row.indexOf(buy) - row.indexOf(add)) !== 1) continue
    // What code takes from nobody buys nothing.
    if (![add, buy].every((one) => isTaken(page, one))) continue
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
          changes: [...without(page, buy), ...asLoudAs(add, buy)],
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
      change: `offering “${saidOn(add)}” alone, or “${saidOn(second)}” before “${saidOn(first)}”`,
      because: 'of two buttons that both buy, some visitors weigh which is meant for them and press none',
      goal: 'purchase',
      effect: 4,
      // Who sees both on the next product is in no variant.
      isOneEverywhere: true,
    }
    return
  }
}

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
