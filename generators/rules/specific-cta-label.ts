// Evidence: labels that say what happens beat "Submit" (HubSpot, 40,000 landing pages: 14 % send the form
// with "Submit", 17 % without), and WCAG 2.4.4 asks for links that make sense by themselves. Admitted because
// the form's own fields and heading, or the address of the link and the heading there, say what happens.

import { likeControl } from '../lexicon/language.js'
import { isInFrame, type PageAction, placeAt } from '../page/actions.js'
import { rewordLabel } from '../page/edits.js'
import { type Form, wordsOfCode } from '../page/forms.js'
import { above, elementsIn, given, isInside, type PageElement, textsIn, wordsIn } from '../page/tree.js'
import { formNamed, quoted, topicsOf } from './form-words.js'
import type { PageContext, ProposalRule, RuleIdea } from './rule.js'
import type { Goal } from './targets.js'

const isVague = (label: string, labels: readonly string[]): boolean =>
  labels.includes(
    label
      .toLowerCase()
      .replace(/[\s!.…:→›»>\-<]+$/u, '')
      .replace(/’/g, '’'),
  )

interface Relabelled {
  element: PageElement
  label: string
  /** the label that says what happens */
  wanted: string
  goal: Goal
  because?: string
  effect: number
}

function idea(
  { element, label, wanted, goal, because, effect }: Relabelled,
  where: string,
  topics: string[],
  { page, language }: PageContext,
): RuleIdea | null {
  const says = likeControl(label, wanted, language)
  const change = says === label ? null : rewordLabel(page, element, says)
  if (change === null) return null
  const what = element.name === 'input' ? 'button' : element.name === 'a' ? 'link' : 'button'
  return {
    mechanism: 'specificity',
    name: `Say ${quoted(says)} instead of ${quoted(label)} ${where}`,
    anchor: `${element.name === 'input' ? 'button' : element.tag} "${label}"`,
    topics,
    displayName: says,
    changes: [change],
    says,
    change: `the ${what} says ${quoted(says)} instead of ${quoted(label)}`,
    goal,
    because: because ?? 'people act more readily if they know what happens next',
    effect,
  }
}

/** The heading of a form that names an act, if it is short enough for a button. */
function actOf({ heading }: Form, { lexicon }: PageContext): string | null {
  const words = heading
    .replace(/[.!:…]+$/, '')
    .replace(/\byour\b/i, 'my')
    .trim()
  return words.length <= 28 && words.split(/\s+/).length <= 4 && lexicon.acts.test(words) ? words : null
}

function relabelledForm(form: Form, context: PageContext): Relabelled | null {
  const { submit: element, submitLabel: label, purpose } = form
  const { lexicon } = context
  if (element === null || purpose === 'search') return null
  const isAccount = form.fields.some(({ kind }) => kind === 'password')
  if (purpose === 'sign up' && !isAccount) return null
  const act = actOf(form, context)
  const wanted = act ?? (purpose === null ? null : lexicon.purposes[purpose].label)
  if (wanted === null) return null
  if (isVague(label, lexicon.vagueLabels))
    return { element, label, wanted, goal: purpose ?? 'send', effect: 3.2 }
  if (purpose !== 'sign up' || !isVague(label, lexicon.plainSignUps)) return null
  const because = 'a button that names what people get is pressed more often than one that names a duty'
  return { element, label, wanted, goal: purpose, because, effect: 2.6 }
}

/** A label that says where a vague link leads, by its address. */
function relabelledLink(
  { element, label, to, purpose }: PageAction,
  context: PageContext,
): Relabelled | null {
  const { lexicon, site } = context
  if (to === null || to === '#' || !isVague(label, [...lexicon.vagueLinks, ...lexicon.vagueLabels]))
    return null
  const known = purpose === null ? undefined : lexicon.purposes[purpose].link
  if (purpose !== null && known !== undefined)
    return { element, label, wanted: known, goal: purpose, effect: 2.6 }
  if (to.startsWith('#') && !site.anchors.has(to.slice(1))) return null
  const place = placeAt(to)
  return place === null ? null : { element, label, wanted: lexicon.places[place], goal: 'click', effect: 2.4 }
}

const MAX_TOPIC_WORDS = 5

/** "Learn more" in a block with one heading, and nothing else to press there. */
function topicLinks({ page, actions, lexicon }: PageContext) {
  return actions.flatMap((link) => {
    const { element, label, to } = link
    if (to === null || isInFrame(element) || !isVague(label, lexicon.moreLinks.labels)) return []
    const block = [...above(element)].slice(0, 3).find((one) => headingsIn(one).length > 0)
    const [heading, ...more] = block === undefined ? [] : headingsIn(block)
    if (block === undefined || heading === undefined || more.length > 0 || heading.hasCode) return []
    if (textsIn(heading).some(({ key }) => key !== undefined)) return []
    if (actions.some((other) => other !== link && isInside(other.element, block))) return []
    const topic = wordsIn(heading).replace(/[.:!?]+$/, '')
    if (topic === '' || topic.split(' ').length > MAX_TOPIC_WORDS) return []
    const says = lexicon.moreLinks.about(label.replace(/[\s.…:→›»>]+$/u, ''), topic)
    const change = rewordLabel(page, element, says)
    return change === null ? [] : [{ link, says, change }]
  })
}

const headingsIn = (block: PageElement): PageElement[] =>
  elementsIn(block).filter(({ name }) => /^(h[2-5]|\w*title)$/.test(name))

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

/** The place of a link, as people call it. */
function placeSaid({ element }: PageAction, { page }: PageContext): string {
  const isOpening = /hero|banner|landing|intro/i.test(wordsOfCode(page.path.split('/').at(-1) ?? ''))
  const around = [...above(element)].some((one) =>
    /hero|banner|jumbotron|intro/i.test(given(one, 'class') ?? ''),
  )
  return isOpening || around ? 'in the opening' : 'on the page'
}

export const specificCtaLabel: ProposalRule = {
  ruleId: 'specific-cta-label',
  why: 'A label that names the result tells visitors what they get. A vague one makes them guess.',
  *find(context) {
    yield* namedTopics(context)
    for (const form of context.forms) {
      const found = relabelledForm(form, context)
      const made = found === null ? null : idea(found, formNamed(form), topicsOf(form), context)
      if (made !== null) yield made
    }
    for (const action of context.actions) {
      if (isInFrame(action.element)) continue
      if (context.forms.some((form) => isInside(action.element, form.element))) continue
      const found = relabelledLink(action, context)
      const topics = [action.label, action.purpose ?? '']
      const made = found === null ? null : idea(found, placeSaid(action, context), topics, context)
      if (made !== null) yield made
    }
  },
}
