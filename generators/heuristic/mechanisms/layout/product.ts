import { insertAt, removeWith } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { besides, type Element, elementsIn, given } from '../../markup/tree.js'
import { anchorOf, lineBreakBefore, sourceOf } from '../../surface.js'

const LONGEST = 5_500

/** What an element is, by its tag where it is a component, its id and its classes, and for code by what it may show. */
const kindOf = (element: Element): string =>
  element.tag === '#code'
    ? elementsIn(element)
        .filter(({ tag }) => tag !== '#code')
        .map(kindOf)
        .join(' ')
    : [/^[A-Z]|-/.test(element.tag) ? element.tag : '', given(element, 'id'), given(element, 'data-testid')]
        .join(' ')
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .replace(/[-_]/g, ' ')

const BUYS = /\b(add to (cart|bag|basket)|buy (now|box|button)|product actions|purchase button)\b/i
const TELLS = /\b(prose|rich text|description|product tabs|markdown|accordion)\b/i

export function* product(view: View): Generator<Idea> {
  yield* buyBeforeDescription(view)
  yield* priceAtTitle(view)
}

/** What puts a product aside is nearer than paying for it. */
const CART = /add\w*[\s_-]*to[\s_-]*(cart|bag|basket)/i
const EMPTY = /^(br|hr|#code)$/

/** A price that stands below what one chooses, far from the product's name: it comes right after that. Writes no text. Not where little stands in between, nor where it is one of several. */
function* priceAtTitle({ page }: View): Generator<Idea> {
  if (!/product|item|pdp|detail/i.test(page.path) || /card|list|grid|cart|order|admin/i.test(page.path))
    return
  for (const title of elementsIn(page.root)) {
    if (!/^h[12]$/.test(title.tag) || !/\.(name|title)\b/.test(page.text.slice(title.start, title.end)))
      continue
    if (title.end - title.start > 300) continue
    const row = besides(title)
    const after = row.slice(row.indexOf(title) + 1)
    const prices = after.filter((one) => showsPrice(page, one))
    const [price, ...more] = prices
    if (price === undefined || more.length > 0 || isOneOf(price)) continue
    const passed = after.slice(0, after.indexOf(price))
    const chooses = passed.some((one) =>
      /<select|<Select|radio|size|colou?r|option|variant/i.test(page.text.slice(one.start, one.end)),
    )
    if (passed.filter(({ tag }) => !EMPTY.test(tag)).length < 2 || !chooses) continue
    const gap = lineBreakBefore(page, price)
    yield {
      mechanism: 'order',
      pattern: 'price-at-title',
      name: 'Show the price right below the product’s name',
      anchor: anchorOf(price, 'price'),
      topics: ['product', 'price'],
      arms: [
        {
          name: 'Price below the name',
          changes: [insertAt(title.end, (gap || ' ') + sourceOf(page, price), title), removeWith(gap, price)],
          says: null,
        },
      ],
      audience: 'visitors who look at a product',
      change:
        'showing the price right after the name, and not below the description and what one has to choose',
      because: 'what it costs is looked for first',
      goal: CART.test(page.text) ? 'cart' : 'purchase',
      effect: 4,
    }
    return
  }
}

const showsPrice = (page: View['page'], element: Element): boolean => {
  const source = page.text.slice(element.start, element.end)
  return source.length <= 400 && /price\b/i.test(source) && !/<(button|input|select|form|a)\b/i.test(source)
}

/**
 * A product's button to buy that stands below its long description: it comes before it. Writes no text. Not where what one chooses first stands in between, nor where
 * the two are not beside each other.
 */
function* buyBeforeDescription({ page }: View): Generator<Idea> {
  for (const element of elementsIn(page.root)) {
    const parent = element.parent
    if (parent === null || !BUYS.test(kindOf(element)) || parent.end - parent.start > LONGEST) continue
    const row = besides(element)
    const before = row[row.indexOf(element) - 1]
    if (before === undefined || !TELLS.test(kindOf(before)) || BUYS.test(kindOf(before))) continue
    if (/\b(select|option|variant|picker|size|colou?r)/i.test(kindOf(before)) || isOneOf(parent)) continue
    const gap = lineBreakBefore(page, element)
    yield {
      mechanism: 'order',
      pattern: 'buy-before-description',
      name: 'Put the button to buy before the description',
      anchor: anchorOf(element, kindOf(element).trim()),
      topics: ['product', 'add to cart', 'description'],
      arms: [
        {
          name: 'Button before the description',
          changes: [
            insertAt(before.start, sourceOf(page, element) + (gap || ' '), parent),
            { start: element.start - gap.length, end: element.end, text: '', unit: parent },
          ],
          says: null,
        },
      ],
      audience: 'visitors who look at a product',
      change: 'showing the button to buy above the description, which stays right below it',
      because: 'a long description pushes the button out of sight, on phones above all',
      goal: 'purchase',
      effect: 4,
    }
    return
  }
}

/** Branches of code are shown in each other's place, and not below each other. */
const isOneOf = ({ tag }: Element): boolean => tag === '#code'
