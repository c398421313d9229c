// Evidence: the compromise effect (Simonson 1989) and marked defaults are among the best replicated findings
// on choice. Admitted because one file shows the plans and that none of them is marked. The mark says
// "recommended", which is the site's own word and no claim about others.
import { insertAt } from '../page/edits.js'
import { isAlwaysShown } from '../page/forms.js'
import type { PlanGroup, PricingPlan } from '../page/pricing-plans.js'
import { given, wordsIn } from '../page/tree.js'
import { quoted } from './form-words.js'
import type { ProposalRule } from './rule.js'

/** A class by which one plan looks different from the others. */
const LOOKS_MARKED =
  /(^|[\s_-])(featured|popular|highlight(ed)?|recommended|best|active|accent|is-primary)(?=[\s_-]|$)/i

/** The middle one of three paid plans, the dearer one of two. Never a free plan. */
function planToMark({ plans }: PlanGroup): PricingPlan | null {
  const paid = plans.filter(({ price }) => price > 0).sort((a, b) => a.price - b.price)
  if (paid.length < 2 || new Set(paid.map(({ price }) => price)).size < paid.length) return null
  return paid[paid.length === 2 ? 1 : Math.floor(paid.length / 2)] ?? null
}

export const highlightPlan: ProposalRule = {
  ruleId: 'highlight-plan',
  why: 'All plans look the same, so that visitors have to compare them line by line. Choose another plan to mark if you rather sell that.',
  *find({ plans, lexicon }) {
    for (const group of plans) {
      const isMarked = group.plans.some(
        ({ element }) =>
          lexicon.isMarked.test(wordsIn(element)) || LOOKS_MARKED.test(given(element, 'class') ?? ''),
      )
      const looks = new Set(group.plans.map(({ element }) => given(element, 'class') ?? ''))
      const plan = planToMark(group)
      if (isMarked || looks.size > 1 || plan === null || !isAlwaysShown(plan.heading)) continue
      const mark = `<p><strong>${lexicon.recommended}</strong></p>`
      yield {
        mechanism: 'default choice',
        name: `Mark the plan ${quoted(plan.name)} as recommended`,
        anchor: `${plan.heading.tag} "${plan.name}"`,
        topics: [plan.name, 'plans', 'pricing', ...group.plans.map(({ name }) => name)],
        displayName: `${quoted(plan.name)} is recommended`,
        says: lexicon.recommended,
        changes: [insertAt(plan.heading.start, mark, plan.heading)],
        change: `the plan ${quoted(plan.name)} is marked as ${quoted(lexicon.recommended)}`,
        goal: 'plans',
        because: 'a recommendation makes a choice between similar plans easier',
        effect: 3,
      }
    }
  },
}
