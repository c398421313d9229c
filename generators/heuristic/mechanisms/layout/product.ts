import { insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { besides, type Element, elementsIn, given } from '../../markup/tree.js'
import { anchorOf, lineBreakBefore, sourceOf } from '../../surface.js'

const LONGEST = 5_500

/** What an element is, by its tag where it is a component, its id and its classes, and for code by what it may show. */
const kindOf = (element: Element): string =>
  element.tag === '#code'
    ? elementsIn(element).map(kindOf).join(' ')
    : [/^[A-Z]|-/.test(element.tag) ? element.tag : '', given(element, 'id'), given(element, 'data-testid')]
        .join(' ')
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .replace(/[-_]/g, ' ')

const BUYS = /\b(add to (cart|bag|basket)|buy (now|box|button)|product actions|purchase button)\b/i
const TELLS = /\b(prose|rich text|description|product (tabs|details|info)|markdown|accordion)\b/i

/**
 * A product's button to buy that stands below its long description: it comes before it. Writes no text. Not where what one chooses first stands in between, nor where
 * the two are not beside each other.
 */
export function* product({ page }: View): Generator<Idea> {
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
