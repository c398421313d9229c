// Evidence: reassurance beside the button where the doubt arises is broadly accepted (Baymard's
// checkout studies, CXL). Admitted because the site already states the fact: the rule only repeats
// it, word for word, where people decide. Two files at most: the page, and the one that states it.
import { likeControl } from '../lexicon/language.js'
import type { CtaPurpose, ReassuranceKind } from '../lexicon/lexicon.js'
import { isGoal, isInFrame } from '../page/actions.js'
import { insertAfter, rewordLabel } from '../page/edits.js'
import { isAlwaysShown } from '../page/forms.js'
import { above, elementsIn, type PageElement, type PageTree, wordsIn } from '../page/tree.js'
import { quoted } from './form-words.js'
import type { PageContext, ProposalRule, RuleIdea, Statement } from './rule.js'

/** The doubts that visitors have at an act, the largest first. */
const DOUBTS: Readonly<Partial<Record<CtaPurpose, readonly ReassuranceKind[]>>> = {
  'sign up': ['no card', 'trial', 'cancel'],
  plans: ['cancel', 'no card', 'trial', 'returns'],
  purchase: ['returns', 'shipping', 'cancel'],
  cart: ['returns', 'shipping'],
  contact: ['answer time'],
  quote: ['answer time'],
  booking: ['cancel', 'answer time'],
  subscribe: ['no spam'],
}

interface Place {
  element: PageElement
  label: string
  purpose: CtaPurpose
}

function placesOf({ forms, actions }: PageContext): Place[] {
  const ofForms = forms.flatMap(({ submit, submitLabel, purpose }): Place[] =>
    submit === null || purpose === null ? [] : [{ element: submit, label: submitLabel, purpose }],
  )
  const ofActions = actions.flatMap((one): Place[] =>
    isGoal(one) &&
    one.looksLikeButton &&
    one.purpose !== null &&
    !isInFrame(one.element) &&
    inForm(one.element) === null
      ? [{ element: one.element, label: one.label, purpose: one.purpose }]
      : [],
  )
  const all = [...ofForms, ...ofActions].filter(({ element }) => isAlwaysShown(element))
  // Beside one of several plans or products it would speak of that one alone.
  return all.filter((one) => all.every((other) => other === one || other.purpose !== one.purpose))
}

const inForm = (element: PageElement): PageElement | null =>
  [...above(element)].find(({ name }) => name === 'form') ?? null

/** Whether what stands around the button says it already. */
function saysItThere(element: PageElement, says: RegExp): boolean {
  const around = inForm(element) ?? element.parent?.parent ?? element.parent
  return around !== null && says.test(wordsIn(around))
}

export const reassuranceNearCta: ProposalRule = {
  ruleId: 'reassurance-near-cta',
  why: 'The site gives this reassurance elsewhere. Visitors need it where they decide.',
  *find(context) {
    const { page, language, lexicon, site } = context
    const statements = site.statements.filter((one) => one.language === language)
    for (const place of placesOf(context)) {
      const free = freeOnButton(place, statements, context)
      if (free !== null) yield free
      const kind = DOUBTS[place.purpose]?.find((one) =>
        statements.some((statement) => statement.kind === one),
      )
      const statement = statements.find((one) => one.kind === kind)
      if (kind === undefined || statement === undefined) continue
      if (saysItThere(place.element, lexicon.reassurances[kind])) continue
      const says = sentence(statement.says, language)
      yield {
        mechanism: 'risk reversal',
        name: `Repeat ${quoted(says)} next to ${quoted(place.label)}`,
        anchor: `${place.element.tag} "${place.label}"`,
        topics: [place.label, says, place.purpose],
        displayName: says,
        says,
        changes: [insertAfter(page, place.element, lineOf(page, says))],
        change: `${quoted(says)} stands next to the button ${quoted(place.label)}`,
        goal: place.purpose,
        because: `it answers a doubt when people decide, and ${statement.path} states it already`,
        effect: 3,
        ...evidenceOf(statement, page),
      }
    }
  },
}

/** "Sign up for free", if the site says that it is. */
function freeOnButton(place: Place, statements: readonly Statement[], context: PageContext): RuleIdea | null {
  const { page, lexicon, language } = context
  const statement = statements.find(({ kind }) => kind === 'free')
  if (place.purpose !== 'sign up' || statement === undefined || lexicon.isFree.test(place.label)) return null
  if (!lexicon.purposes['sign up'].named.test(place.label) || place.label.split(/\s+/).length > 4) return null
  const says = likeControl(place.label, lexicon.freeLabel(place.label), language)
  const change = says === place.label ? null : rewordLabel(page, place.element, says)
  if (change === null) return null
  return {
    mechanism: 'risk reversal',
    name: 'Say on the button that sign-up is free',
    anchor: `${place.element.tag} "${place.label}"`,
    topics: [place.label, 'free', place.purpose],
    displayName: says,
    says,
    changes: [change],
    change: `the button says ${quoted(says)} instead of ${quoted(place.label)}`,
    goal: 'sign up',
    because: `visitors wonder what it costs, and ${statement.path} says ${quoted(statement.says)}`,
    effect: 4,
    ...evidenceOf(statement, page),
  }
}

const evidenceOf = ({ path, says }: Statement, page: PageTree): Pick<RuleIdea, 'evidence'> =>
  path === page.path ? {} : { evidence: [{ path, says }] }

const sentence = (text: string, language: string): string =>
  text.charAt(0).toLocaleUpperCase(language) + text.slice(1)

/** A line as the page writes others: a small one if it has such lines. */
function lineOf(page: PageTree, says: string): string {
  const tag = elementsIn(page.root).some(({ name }) => name === 'small') ? 'small' : 'p'
  return `<${tag}>${says}</${tag}>`
}
