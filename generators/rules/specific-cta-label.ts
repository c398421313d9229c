// Evidence: labels that say what happens beat "Submit" (HubSpot, 40,000 landing pages: 14 % send
// the form with "Submit", 17 % without), and WCAG 2.4.4 asks for links that make sense by themselves.
// Admitted because the form's own fields and heading, or the link's address, say what happens.

import { likeControl } from '../lexicon/language.js'
import type { CtaPurpose } from '../lexicon/lexicon.js'
import { isInFrame, type PageAction } from '../page/actions.js'
import { type PageChange, rewordLabel } from '../page/edits.js'
import { type Form, isAlwaysShown } from '../page/forms.js'
import { above, elementsIn, isInside, type PageElement, textsIn, wordsIn } from '../page/tree.js'
import { formNamed, quoted, topicsOf } from './form-words.js'
import type { PageContext, ProposalRule, RuleIdea } from './rule.js'

const isVague = (label: string, labels: readonly string[]): boolean =>
  labels.includes(
    label
      .toLowerCase()
      .replace(/[\s!.…:→›»>]+$/u, '')
      .replace(/’/g, '’'),
  )

interface Place {
  element: PageElement
  label: string
  purpose: CtaPurpose
  /** the label that says what happens */
  wanted: string
}

function idea(
  { element, label, purpose, wanted }: Place,
  where: string,
  topics: string[],
  context: PageContext,
): RuleIdea | null {
  const { page, language } = context
  const says = likeControl(label, wanted, language)
  const change: PageChange | null = says === label ? null : rewordLabel(page, element, says)
  if (change === null) return null
  return {
    mechanism: 'specificity',
    name: `Say ${quoted(says)} instead of ${quoted(label)} ${where}`,
    anchor: `${element.name === 'input' ? 'button' : element.tag} "${label}"`,
    topics,
    displayName: says,
    changes: [change],
    says,
    change: `the button says ${quoted(says)} instead of ${quoted(label)}`,
    goal: purpose,
    because: 'people act more readily if they know what happens next',
    effect: 3.2,
  }
}

const placeOfForm = ({ submit, submitLabel, purpose }: Form, { lexicon }: PageContext): Place | null =>
  submit === null || purpose === null || purpose === 'search' || !isVague(submitLabel, lexicon.vagueLabels)
    ? null
    : { element: submit, label: submitLabel, purpose, wanted: lexicon.purposes[purpose].label }

const isLink = ({ to, label, purpose }: PageAction, { lexicon }: PageContext): boolean =>
  to !== null &&
  purpose !== null &&
  purpose !== 'sign in' &&
  purpose !== 'purchase' &&
  isVague(label, lexicon.vagueLinks)

interface TopicLink {
  link: PageAction
  says: string
  change: PageChange
}

const MAX_TOPIC_WORDS = 5

/** "Learn more" in a block with one heading, and nothing else to press there. */
function topicLinks({ page, actions, lexicon }: PageContext): TopicLink[] {
  return actions.flatMap((link): TopicLink[] => {
    const { element, label, to } = link
    if (
      to === null ||
      isInFrame(element) ||
      !isAlwaysShown(element) ||
      !isVague(label, lexicon.moreLinks.labels)
    )
      return []
    const block = [...above(element)].slice(0, 3).find((one) => headingsIn(one).length > 0)
    const [heading, ...more] = block === undefined ? [] : headingsIn(block)
    if (
      block === undefined ||
      heading === undefined ||
      more.length > 0 ||
      textsIn(heading).some(({ key }) => key !== undefined)
    )
      return []
    if (actions.some((other) => other !== link && isInside(other.element, block))) return []
    const topic = wordsIn(heading).replace(/[.:!?]+$/, '')
    if (topic === '' || topic.split(' ').length > MAX_TOPIC_WORDS) return []
    const says = lexicon.moreLinks.about(label.replace(/[\s.…:→›»>]+$/u, ''), topic)
    const change = rewordLabel(page, element, says)
    return change === null ? [] : [{ link, says, change }]
  })
}

const headingsIn = (block: PageElement): PageElement[] =>
  elementsIn(block).filter(({ name }) => /^h[2-5]$/.test(name))

/** All such links of a page are one idea. */
function* namedTopics(context: PageContext): Generator<RuleIdea> {
  const links = topicLinks(context)
  const [first] = links
  if (first === undefined) return
  yield {
    mechanism: 'specificity',
    name: `Say in ${quoted(first.link.label)} what it is about: ${quoted(first.says)}`,
    anchor: `${first.link.element.tag} "${first.link.label}"`,
    topics: links.map(({ says }) => says),
    displayName: first.says,
    says: first.says,
    changes: links.map(({ change }) => change),
    change: `${links.length === 1 ? 'the link says' : 'each link says'} what it leads to, as in ${quoted(first.says)}`,
    goal: 'click',
    because:
      'visitors scan the links of a page, and one that names its topic can be chosen without reading around it',
    effect: 1.5,
  }
}

export const specificCtaLabel: ProposalRule = {
  ruleId: 'specific-cta-label',
  why: 'A label that names the result tells visitors what they get. A vague one makes them guess.',
  *find(context) {
    yield* namedTopics(context)
    for (const form of context.forms) {
      const place = placeOfForm(form, context)
      const found =
        place === null || !isAlwaysShown(place.element)
          ? null
          : idea(place, formNamed(form), topicsOf(form), context)
      if (found !== null) yield found
    }
    for (const action of context.actions) {
      const { element, label, purpose } = action
      if (purpose === null || !isLink(action, context) || isInFrame(element) || !isAlwaysShown(element))
        continue
      if (context.forms.some((form) => isInside(element, form.element))) continue
      const wanted = context.lexicon.purposes[purpose].link
      if (wanted === undefined) continue
      const found = idea({ element, label, purpose, wanted }, 'on the page', [label, purpose], context)
      if (found !== null) yield { ...found, effect: 2.5 }
    }
  },
}
