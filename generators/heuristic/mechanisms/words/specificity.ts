import { type Change, reword } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, besides, elementsIn, type Page, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, headingNear, isButton, isForInvited, labelOf, type Plan } from '../../surface.js'
import { likeControl } from '../../words/language.js'
import { CHOOSE_PLAN, DEAD_END, DELETES, FREE, VAGUE_PLAN } from '../../words/phrases.js'
import { hrefOf } from './destinations.js'

export function* specificity(view: View): Generator<Idea> {
  yield* planButtons(view)
  yield* deadEnds(view)
  yield* freeButton(view)
  yield* confirmation(view)
}

/** Plans whose buttons say the same: each names its plan. Not where two plans have one name, or a button already differs. */
function* planButtons({ page, language, plans }: View): Generator<Idea> {
  if (language === null) return
  for (const { parent, plans: row } of plans) {
    const changes: Change[] = []
    const said: string[] = []
    const before = new Set<string>()
    const names = new Set<string>()
    for (const { name, buttons } of row) {
      const [button, ...more] = buttons
      const label = button === undefined || more.length > 0 ? null : labelOf(button)
      const plan = labelOf(name)?.value ?? ''
      if (
        label === null ||
        plan === '' ||
        plan.split(' ').length > 3 ||
        !VAGUE_PLAN[language].has(bare(label.value)) ||
        // What leads nowhere sells nothing.
        /^#!?$/.test(hrefOf(button ?? name) ?? '')
      )
        continue
      const words = likeControl(label.value, CHOOSE_PLAN[language](plan), language)
      const change = reword(page, label, words)
      if (change === null) continue
      before.add(label.value)
      names.add(plan)
      changes.push(change)
      said.push(words)
    }
    if (changes.length < 2 || names.size < changes.length || before.size > 1) continue
    yield {
      mechanism: 'specificity',
      pattern: 'plan-buttons',
      name: 'Name the plan on each plan’s button',
      anchor: anchorOf(parent, [...names].join(' / ')),
      topics: ['pricing', 'price', 'plan', ...names],
      arms: [{ name: said.join(' / '), changes, says: said.join(' ') }],
      audience: 'visitors who compare the plans',
      change: `having the buttons say “${said.join('”, “')}” in place of “${[...before].join('”, “')}” on each`,
      because: 'a button that repeats the choice confirms it, and equal buttons leave it open what is chosen',
      goal: goalOfPlans(row),
      effect: 1,
    }
  }
}

const ASKS = /contact|kontakt|contacter|contactar|talk to|sales|quote|demo|anfrage|devis/i

/** Plans that one only asks about are not bought on the page; of others the button that is pressed tells. */
export const goalOfPlans = (row: readonly Plan[]): 'contact' | 'plan' =>
  row.every(({ buttons }) => buttons.some((one) => ASKS.test(`${wordsIn(one)} ${hrefOf(one) ?? ''}`)))
    ? 'contact'
    : 'plan'

/** Parts in which one chooses from a short list: nothing ends there. */
const CHOOSERS =
  /combo-?box|auto-?complete|command|select|dropdown|picker|permission|multi-?select|tag-?input/i

/** Pages of errors and links that have run out: trying again changes nothing there. */
const ENDS = /error|404|500|not-?found|crash|fallback/i
const RUN_OUT =
  /\b(invalid|missing|expired|no)[\s_-]*(token|link)|token[\s\w]{0,12}(invalid|missing|expired)/i
const AGAIN = /retry|refetch|reload\(|tryAgain|try again|revalidate|onSubmit|handleSubmit|@submit|on:submit/i

/** Whether there is something to try again with. */
const canTryAgain = ({ page, forms }: View): boolean =>
  !ENDS.test(nameOf(page)) && !RUN_OUT.test(page.text) && (forms.length > 0 || AGAIN.test(page.text))
const nameOf = ({ path }: Page): string => path.slice(path.lastIndexOf('/') + 1)

/** Messages that end a visit: they say what to do next. Not where more stands beside them, which may say it already. */
function* deadEnds(view: View): Generator<Idea> {
  const { page, language } = view
  if (language === null || CHOOSERS.test(page.path)) return
  for (const element of elementsIn(page.root)) {
    const label = labelOf(element)
    if (label === null || label.parent !== element) continue
    const found = DEAD_END[language].find(({ says }) => says.test(label.value))
    if (found === undefined || element.parent === null || wordsIn(element.parent) !== label.value) continue
    // What code shows beside it may say it already.
    if (besides(element).some(({ hasCode, tag }) => hasCode || tag === '#code')) continue
    if (found.kind === 'error' && !canTryAgain(view)) continue
    const said = `${label.value.replace(/[.\s]+$/, '')}${/[!]$/.test(label.value) ? '' : '.'} ${found.next}`
    const change = reword(page, label, said)
    if (change === null) continue
    const empty = found.kind === 'empty'
    yield {
      mechanism: 'specificity',
      pattern: `dead-end ${found.kind}`,
      name: empty ? 'Say what to try when nothing is found' : 'Say what to do when something fails',
      anchor: anchorOf(element),
      topics: [empty ? 'search' : 'error', empty ? 'empty state' : 'error state', headingNear(element)],
      arms: [{ name: found.next, changes: [change], says: said }],
      audience: empty ? 'visitors whose search finds nothing' : 'visitors who meet this error',
      change: `adding “${found.next}” to “${label.value}”`,
      because: 'a message that names the next step keeps people who would leave',
      goal: empty ? 'search' : 'click',
      effect: 1,
    }
  }
}

/**
 * A form whose heading says that it costs nothing, and whose button does not: the heading's word goes on the button. Not where the page has prices or a
 * trial, for which more would have to be said.
 */
function* freeButton({ page, language, forms }: View): Generator<Idea> {
  if (language === null || isForInvited(page)) return
  const { says, on } = FREE[language]
  for (const { submit, purpose, heading } of forms) {
    const label = submit === null ? null : labelOf(submit)
    if (submit === null || label === null || (purpose !== null && purpose !== 'sign up')) continue
    const words = on(label.value)
    if (!says.test(heading) || says.test(label.value) || words === null) continue
    if (/[$€£]\s?\d|trial|probe|essai|prueba/i.test(wordsIn(page.root))) continue
    const change = reword(page, label, likeControl(label.value, words, language))
    if (change === null) continue
    yield {
      mechanism: 'specificity',
      pattern: 'free-on-button',
      name: `Say on the button that it is free: “${words}”`,
      anchor: anchorOf(submit),
      topics: ['sign up', 'form', 'button', heading],
      arms: [{ name: words, changes: [change], says: words }],
      audience: 'visitors who have come to the sign up form',
      change: `labelling its button “${words}” in place of “${label.value}”, as the heading “${heading}” says`,
      because: 'that it costs nothing counts most where one commits',
      goal: 'sign up',
      effect: 3,
    }
  }
}

/** A dialog that asks whether to delete, and answers with yes: the button says what it does. Not where it says it already. */
function* confirmation({ page, language }: View): Generator<Idea> {
  if (language === null || /(^|[/_.-])(admin|permissions?|internal)/i.test(page.path)) return
  const { asks, yes, act } = DELETES[language]
  for (const button of elementsIn(page.root)) {
    if (!isButton(button) || button.parent === null) continue
    const label = labelOf(button)
    if (label === null || !yes.test(label.value)) continue
    const around = [...above(button)].find((one) => asks.test(wordsIn(one)))
    if (around === undefined || wordsIn(around).length > 250) continue
    const change = reword(page, label, act)
    if (change === null) continue
    yield {
      mechanism: 'clarity',
      pattern: 'confirm-names-the-act',
      name: `Name the act on the button that deletes: “${act}”`,
      anchor: anchorOf(button),
      topics: ['dialog', 'delete', 'button'],
      arms: [{ name: act, changes: [change], says: act }],
      audience: 'people who are asked whether to delete something',
      change: `labelling the button “${act}” in place of “${label.value}”`,
      because:
        'a button that can be understood without the question above it is pressed by mistake less often',
      goal: 'click',
      effect: 0.5,
    }
  }
}
