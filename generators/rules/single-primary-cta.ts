// Evidence: one primary action in each view is the rule of every large design system (Material, Carbon,
// GOV.UK), and pages with one link to act on convert better than those with more (Unbounce 2020: 13.5 % with
// one, 10.5 % with five). Admitted because one file shows the two buttons of an opening, and their words and
// addresses say which of them leads to an act.
import type { Lexicon } from '../lexicon/lexicon.js'
import { ACTS, actOf, isInFrame, type PageAction } from '../page/actions.js'
import { remove } from '../page/edits.js'
import { wordsOfCode } from '../page/forms.js'
import {
  above,
  elementsIn,
  given,
  isInCode,
  isInside,
  type PageElement,
  type PageTree,
} from '../page/tree.js'
import { isAtCheckout, quoted } from './place-words.js'
import type { PageContext, ProposalRule, RuleIdea } from './rule.js'
import type { Goal } from './targets.js'

/** Pages that ask for one thing already, or on which nothing is decided. */
const ASKS =
  /about|our-?(story|team)|ueber|über|a-?propos|sobre|career|blog|404|not-?found|error|log-?in|sign-?in|sign-?up|register|anmeld|checkout|cart|basket|account|password|success|confirm|thank|orders?\b|wish-?list|search/i
const IS_OPENING = /\b(hero|banner|jumbotron|intro|landing)\b/i
/** Ways that are no second thought: to call, to write, and stores of one app. */
const NO_CHOICE = /^(tel|mailto|sms|whatsapp):|wa\.me|github\.com|(apps\.apple|play\.google)\.com/i

/** The block around the only title of a page: its section or header, or the heading's own parent. */
function heroOf(page: PageTree): PageElement | null {
  const [title, ...more] = elementsIn(page.root).filter(({ name }) => name === 'h1')
  if (title === undefined || more.length > 0 || title.parent === null) return null
  // A file that is the opening shows nothing else.
  if (IS_OPENING.test(wordsOfCode(page.path.split('/').at(-1) ?? ''))) return page.root
  const block = [...above(title)].find(
    (one) =>
      /^(section|header)$/.test(one.name) ||
      /(^|[\s_-])(hero|jumbotron|banner|intro)/i.test(given(one, 'class') ?? ''),
  )
  return block ?? (/^(#code)?$/.test(title.parent.tag) ? null : title.parent)
}

/** The button that leads to an act and the one beside it, `null` if it takes a person to say which counts. */
function mainOf([first, second]: readonly [PageAction, PageAction], lexicon: Lexicon) {
  const [one, other] = [actOf(first), actOf(second)]
  const explains = ({ label, to }: PageAction): boolean =>
    lexicon.explains.test(label) || to?.startsWith('#') === true
  if (one !== null && (other === null || ACTS.indexOf(one) < ACTS.indexOf(other)))
    return { main: first, other: second, goal: one }
  if (other !== null)
    return one === null && explains(first) ? { main: second, other: first, goal: other } : null
  // Another page, as that of the products.
  const leads = one === null && first.to?.startsWith('/') === true && !explains(first)
  return leads && explains(second) ? { main: first, other: second, goal: 'click' as const } : null
}

const isInDialog = (element: PageElement): boolean =>
  [...above(element)].some(({ name }) => /dialog|modal|drawer|sheet|popover/.test(name))

/** A button with the elements that hold nothing else. */
function wholeOf(element: PageElement): PageElement {
  const [parent] = above(element)
  const isWrapper = parent?.children.length === 1 && /^(div|li|span|p|a|link)$/.test(parent.name)
  return isWrapper && parent !== undefined ? wholeOf(parent) : element
}

export const singlePrimaryCta: ProposalRule = {
  ruleId: 'single-primary-cta',
  why: 'One action should stand out. Where there are two, visitors weigh them against each other.',
  *find(context) {
    yield* inCart(context)
    const { page, actions, lexicon } = context
    const hero = ASKS.test(page.path) ? null : heroOf(page)
    if (hero === null) return
    const [first, second, ...more] = actions.filter(
      ({ element, looksLikeButton }) =>
        looksLikeButton && isInside(element, hero) && !isInFrame(element) && !isInDialog(element),
    )
    if (first === undefined || second === undefined || more.length > 0) return
    const isOther = ({ element, purpose, to }: PageAction): boolean =>
      isInCode(element) || purpose === 'sign in' || NO_CHOICE.test(to ?? '')
    const found = [first, second].some(isOther) ? null : mainOf([first, second], lexicon)
    // The opening of a product offers more than one act on purpose.
    if (found === null || /^(cart|purchase)$/.test(`${actOf(found.other)}`) || found.goal === 'cart') return
    yield onlyOne(found, 'opening')
  },
}

/** Finds buttons that lead away from the cart or empty it, beside the button that leads to the payment. */
function* inCart({ page, actions, lexicon }: PageContext): Generator<RuleIdea> {
  if (!isAtCheckout(page)) return
  for (const main of actions) {
    if (!lexicon.purposes.purchase.test(main.label) || lexicon.tidies.test(main.label)) continue
    if (main.purpose === 'sign in' || lexicon.purposes['sign in'].test(main.label)) continue
    const above3 = [...above(main.element)].slice(0, 3)
    const code = above3.findIndex(({ tag }) => tag === '#code')
    const block = (code < 0 ? above3 : above3.slice(0, code)).at(-1)
    const other = actions.find(
      (one) =>
        block !== undefined &&
        isInside(one.element, block) &&
        lexicon.leavesCart.test(one.label) &&
        !/(^|[\s:])hidden(\s|$)/.test(given(one.element, 'class') ?? ''),
    )
    if (other === undefined) continue
    yield onlyOne({ main, other, goal: 'purchase' }, 'cart')
    return
  }
}

const onlyOne = (
  { main, other, goal }: { main: PageAction; other: PageAction; goal: Goal },
  where: 'opening' | 'cart',
): RuleIdea => ({
  mechanism: 'clarity',
  name: `Leave ${quoted(main.label)} as the only button of the ${where}`,
  anchor: `${other.element.tag} "${other.label}"`,
  topics: [main.label, other.label, where],
  displayName: `Without ${quoted(other.label)}`,
  says: null,
  changes: [remove(wholeOf(other.element))],
  change: `${quoted(main.label)} is the only button of the ${where}`,
  goal,
  because: 'two buttons side by side make visitors weigh them against each other instead of acting',
  effect: 3,
})
