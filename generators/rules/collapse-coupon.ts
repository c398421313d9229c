// Evidence: an open coupon field sends buyers away to look for a code (Baymard; PayPal and comScore: 27 % of
// those who leave a cart go to search for coupons); folding it behind a link is what most large shops do.
// Admitted because one file shows the field, and that what folds it away keeps it working.

import { ALL_LEXICONS } from '../lexicon/lexicons.js'
import { type PageChange, remove } from '../page/edits.js'
import { isField, labelOf, wordsOfCode } from '../page/forms.js'
import { above, elementsIn, given, isInside, type PageElement, type PageTree, wordsIn } from '../page/tree.js'
import { isAtCheckout } from './place-words.js'
import type { ProposalRule } from './rule.js'

/** Something that opens for those who ask for it. */
const FOLDED = /^(details|accordion|collapse|disclosure)|dialog|modal|popover|drawer|offcanvas/i
/** `<PromoCode />`: a part of the page with the field. */
const IS_PART = /^(\w*(Promo|Coupon|Voucher)(Code|Field|Input|Form|Box|Section)?)$/
const isNamed = (words: string): boolean => ALL_LEXICONS.some(({ fields }) => fields.coupon.test(words))

const isCoupon = (element: PageElement): boolean => {
  const said = ['name', 'id', 'placeholder', 'aria-label'].map((name) => given(element, name) ?? '').join(' ')
  const beside = element.parent === null ? '' : wordsIn(element.parent)
  return isNamed(`${wordsOfCode(said)} ${beside.length > 40 ? '' : beside}`)
}

/** The block with the field, its label and its button, and no other field. `null` if there is none. */
function blockOf(page: PageTree, field: PageElement): PageElement | null {
  const others = elementsIn(page.root).filter((one) => one !== field && isField(one))
  let block: PageElement | null = null
  for (const one of above(field)) {
    if (one.tag === '' || one.tag === '#code' || one.parent === null) break
    // A column keeps its place in the row.
    if (/(^|\s)col(-|\s|$)/.test(given(one, 'class') ?? '')) break
    if (others.some((other) => isInside(other, one))) break
    if (elementsIn(one).some(({ name }) => /^h[1-2]$/.test(name))) break
    if (
      elementsIn(one).filter((inner) => /^(button|a)$/.test(inner.name) && labelOf(inner) !== '').length > 1
    )
      break
    block = one
    if (one.name === 'form') break
  }
  return block !== null && /^(div|p|fieldset|section|form|label|li)$/.test(block.name) ? block : null
}

export const collapseCoupon: ProposalRule = {
  ruleId: 'collapse-coupon',
  why: 'Buyers without a code go looking for one, and some do not come back. Those who have one open the field.',
  *find({ page, lexicon }) {
    const fields = elementsIn(page.root).filter((one) =>
      isField(one) ? isCoupon(one) : IS_PART.test(one.tag),
    )
    const [field, ...more] = fields
    if (field === undefined || more.length > 0) return
    if (
      !isAtCheckout(page) ||
      [...above(field)].some((one) => FOLDED.test(`${one.tag} ${given(one, 'class') ?? ''}`)) ||
      isOpened(field, page)
    )
      return
    const block = isField(field) ? blockOf(page, field) : field
    if (block === null || isIdle(page.text.slice(block.start, block.end), page)) return
    // Its own heading would ask the same twice.
    const before = block.parent?.children.filter((one) => one.end <= block.start).at(-1)
    const heading =
      before?.kind === 'element' && /^h[2-6]$/.test(before.name) && isNamed(wordsIn(before)) ? before : null
    // A field in a label or a list item is folded inside of it.
    if (/^(label|li|p)$/.test(block.name)) return
    yield {
      mechanism: 'friction',
      name: 'Fold the coupon field away at checkout',
      anchor: `field "${given(field, 'placeholder') ?? given(field, 'name') ?? 'coupon'}"`,
      topics: ['coupon', 'checkout', 'cart'],
      displayName: `Behind “${lexicon.couponQuestion}”`,
      says: lexicon.couponQuestion,
      changes: [...folded(block, lexicon.couponQuestion), ...(heading === null ? [] : [remove(heading)])],
      change: 'the coupon field opens only for those who ask for it',
      goal: 'purchase',
      because:
        'an empty field for a code tells buyers that others pay less, and sends some of them off to look for one',
      effect: 3,
    }
  },
}

/** Whether code shows the field once something was pressed: `{#if showCoupon}`, `v-if="isOpen"`. */
function isOpened(field: PageElement, { text }: PageTree): boolean {
  let shown = field
  for (const one of [field, ...above(field)]) {
    const condition = one.tag === '#code' ? text.slice(one.start, shown.start) : given(one, 'v-if')
    if (/show|open|visible|toggle|expand/i.test(condition ?? '')) return true
    shown = one
  }
  return false
}

/** A field of a component that no code reads, as in a template. */
const isIdle = (source: string, { dialect }: PageTree): boolean =>
  dialect !== 'html' &&
  /^<[a-z]/.test(source) &&
  !/[{@]|\bv-model|\b(bind|on):|\bref=/.test(source.replace(/class(Name)?=\{[^}]*\}/g, ''))

const folded = (block: PageElement, question: string): PageChange[] => [
  { start: block.start, end: block.start, text: `<details><summary>${question}</summary>`, unit: block },
  { start: block.end, end: block.end, text: '</details>', unit: block },
]
