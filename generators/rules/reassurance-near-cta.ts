// Evidence: reassurance beside the button where the doubt arises is broadly accepted (Baymard's checkout
// studies, CXL). Admitted because the site already states the fact: the rule only repeats it, word for word,
// where buyers pay. Two files at most: the page, and the one that states it.
import { REASSURANCES } from '../lexicon/lexicon.js'
import { isInFrame } from '../page/actions.js'
import { insertAfter } from '../page/edits.js'
import { elementsIn, given, type PageTree, wordsIn } from '../page/tree.js'
import { isAtCheckout, quoted } from './place-words.js'
import type { ProposalRule } from './rule.js'

export const reassuranceNearCta: ProposalRule = {
  ruleId: 'reassurance-near-cta',
  why: 'The site gives this reassurance elsewhere. Buyers need it where they pay.',
  *find({ page, language, lexicon, actions, statements }) {
    if (!isAtCheckout(page)) return
    const [button, ...more] = actions.filter(
      ({ element, label, looksLikeButton }) =>
        looksLikeButton &&
        lexicon.purposes.purchase.test(label) &&
        !lexicon.tidies.test(label) &&
        !/\.{3}|…/.test(label) &&
        !isInFrame(element),
    )
    const said = wordsIn(page.root)
    const fitting = REASSURANCES.filter((kind) => !lexicon.reassurances[kind].test(said)).flatMap(
      (kind) => statements.find((one) => one.kind === kind && one.language === language) ?? [],
    )
    const [statement] = fitting
    // Beside one of several buttons it would speak of that one alone.
    if (button === undefined || more.length > 0 || statement === undefined) return
    const says = statement.says.charAt(0).toLocaleUpperCase(language) + statement.says.slice(1)
    yield {
      mechanism: 'risk reversal',
      name: `Repeat ${quoted(says)} next to ${quoted(button.label)}`,
      anchor: `${button.element.tag} "${button.label}"`,
      topics: [button.label, says, 'checkout', 'cart'],
      displayName: says,
      says,
      changes: [insertAfter(page, button.element, `<p${styleOfLines(page)}>${says}</p>`)],
      change: `${quoted(says)} stands next to the button ${quoted(button.label)}`,
      goal: 'purchase',
      because: `it answers a doubt when people decide, and ${statement.path} states it already`,
      effect: 3,
      evidence: [{ path: statement.path, says: statement.says }],
    }
  },
}

const NOT_A_LINE =
  /absolute|hidden|sr-only|line-through|(^|\s)(flex|grid|[hw]-\S+)|red|destructive|danger|error|white/

/** The classes of a small line of the page, as an attribute. */
function styleOfLines({ root, dialect }: PageTree): string {
  const small = elementsIn(root).find(
    (one) =>
      /^(p|small)$/.test(one.name) &&
      /(^|\s)(text-(xs|sm)|small|text-muted)(\s|$)/.test(given(one, 'class') ?? '') &&
      !NOT_A_LINE.test(given(one, 'class') ?? ''),
  )
  return small === undefined
    ? ''
    : ` ${dialect === 'jsx' ? 'className' : 'class'}="${given(small, 'class') ?? ''}"`
}
