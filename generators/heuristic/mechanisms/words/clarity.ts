import { keyOf, reword, withoutText } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, attribute, type Element, elementsIn, given, isInCode, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, type Form, headingNear, isHeading, isLink, labelOf } from '../../surface.js'
import { type Language, likeControl } from '../../words/language.js'
import { GREETING, SUBMIT, TASK_HEADING, VAGUE_LINK, VAGUE_SUBMIT } from '../../words/phrases.js'
import { saysWhat } from '../../words/says-what.js'
import { goalOfForm } from '../forms/called.js'
import { isStartPage } from '../opening/hero.js'
import { hasSteps, labelled, submitSaysAct } from './submit-act.js'

export function* clarity(view: View): Generator<Idea> {
  if (view.language === null) return
  for (const form of view.forms) {
    let isSaid = false
    for (const idea of submitSaysAct(view, form, view.language)) {
      isSaid = true
      yield idea
    }
    if (!isSaid && !hasSteps(form)) yield* submitSaysWhat(view, form, view.language)
    yield* joinSaysWhat(view, form, view.language)
  }
  yield* headingSaysWhat(view, view.language)
  yield* linkSaysWhere(view, view.language)
}

/** Labels of a step: what comes of them is on the next one. */
const STEP = /^(continue|next|weiter|continuer|suivant|continuar|siguiente)$/

/**
 * A button that only says that something is sent. Not where what the form does cannot be told from its fields, and not for a step of several.
 */
function* submitSaysWhat({ page }: View, form: Form, language: Language): Generator<Idea> {
  const { submit, purpose, heading } = form
  if (submit === null || purpose === null || purpose === 'search') return
  const label = labelOf(submit)
  const value = attribute(submit, 'value')
  const control = label?.value ?? (submit.tag === 'input' ? (value?.value ?? '') : '')
  const own = bare(control)
  if (!VAGUE_SUBMIT[language].has(own)) return
  // Below a message of one's own nobody wonders what is sent.
  if (purpose === 'contact' && !/submit|ok|go/.test(own) && language === 'en') return
  // More is asked on the next page.
  if (STEP.test(own)) return
  const arms = SUBMIT[language][purpose].flatMap((words) => {
    const said = likeControl(control, words, language)
    const change = labelled(page, submit, said)
    return change === null ? [] : [{ name: said, changes: [change], says: said }]
  })
  if (arms.length === 0) return
  yield {
    mechanism: 'clarity',
    pattern: `submit-label ${purpose}`,
    name: `Say what the ${purpose} button does`,
    anchor: anchorOf(submit, control),
    topics: [purpose, heading, 'form', 'button'],
    arms,
    audience: `visitors who have come to the ${purpose} form`,
    change: `labelling its button “${arms[0]?.says ?? ''}” in place of “${control}”`,
    because: 'a label that names the outcome leaves less doubt at the moment of sending',
    goal: goalOfForm(form),
    // What is written to somebody is sent, whatever the button says.
    // Who has an account knows what the button does.
    effect: purpose === 'sign up' || purpose === 'checkout' ? 3 : 2,
  }
}

/** Labels of sign-up forms that leave open what one gets. */
const JOINS: Readonly<Record<Language, RegExp>> = {
  en: /^(join|join us|join now|sign me up)$/,
  de: /^(mitmachen|beitreten|dabei sein)$/,
  fr: /^(rejoindre|nous rejoindre|adhérer)$/,
  es: /^(unirse|únete|participar)$/,
}

/**
 * A sign-up form whose button leaves open what comes of it: it says so.
 */
function* joinSaysWhat(
  { page }: View,
  { submit, purpose, heading }: Form,
  language: Language,
): Generator<Idea> {
  const label = submit === null ? null : labelOf(submit)
  if (submit === null || label === null || purpose !== 'sign up' || !JOINS[language].test(bare(label.value)))
    return
  const said = likeControl(label.value, SUBMIT[language]['sign up'][0] ?? '', language)
  const change = said === '' ? null : reword(page, label, said)
  if (change === null) return
  yield {
    mechanism: 'clarity',
    pattern: 'join-label',
    name: `Say what “${label.value}” does`,
    anchor: anchorOf(submit),
    topics: ['sign up', 'form', 'button', heading],
    arms: [{ name: said, changes: [change], says: said }],
    audience: 'visitors who have come to the sign up form',
    change: `labelling its button “${said}” in place of “${label.value}”`,
    because: 'a label that names the outcome leaves less doubt at the moment of sending',
    goal: 'sign up',
    effect: 2,
  }
}

/**
 * A page's first heading that only greets: the form's task, or the line below it, which then goes from there. Not where code fills the line below, nor at
 * sign-in, where people know what they have come for.
 */
function* headingSaysWhat({ page, forms }: View, language: Language): Generator<Idea> {
  const headings = [...elementsIn(page.root)].filter(isHeading)
  const [heading] = headings
  const label = heading === undefined ? null : labelOf(heading)
  if (heading === undefined || label === null || !GREETING[language].test(label.value)) return
  const [form] = forms
  const purpose = forms.length === 1 ? (form?.purpose ?? null) : null
  if (purpose === 'sign in' || /log-?in|sign-?in|anmeld|connexion/i.test(page.path)) return
  const task = purpose === null ? undefined : TASK_HEADING[language][purpose]
  const below = task === undefined ? lineBelow(heading) : null
  const said = task === undefined ? below?.value : likeControl(label.value, task, language)
  if (said === undefined || said.length > 80) return
  const says = said.replace(/[.!]$/, '')
  const opens = isStartPage(page.path)
  const isWhat = saysWhat(says, language) && opens
  const change = (below === null ? null : keyOf(page, label, below)) ?? reword(page, label, says)
  // Below what it greets to, a greeting is one line too many.
  const second = below === null ? null : withoutText(page, below)
  if (change === null || (below !== null && second === null)) return
  yield {
    mechanism: 'clarity',
    pattern: `greeting-heading ${purpose ?? 'page'}`,
    name: `Open ${purpose === null ? 'the page' : `${purpose}`} with what it is for`,
    anchor: anchorOf(heading),
    topics: [purpose ?? '', 'heading', 'headline'],
    arms: [{ name: says, changes: second === null ? [change] : [change, second], says }],
    audience: purpose === null ? 'visitors who arrive on this page' : `visitors who arrive at ${purpose}`,
    change: `heading it with “${says}” in place of “${label.value}”`,
    because: 'the first words tell whether one is in the right place, and a greeting does not',
    goal: purpose === null || purpose === 'checkout' ? 'click' : purpose,
    // Only a line that says what it is, where people come first, is worth more than shipping it.
    effect: purpose !== null ? 2 : isWhat ? 3 : opens ? 2 : 1,
  }
}

/** A line of some words right below a heading, which says more than it does. */
function lineBelow(heading: Element) {
  const siblings = heading.parent?.children ?? []
  const next = siblings[siblings.indexOf(heading) + 1]
  if (next?.kind !== 'element' || !/^(p|h[2-6]|div|span)$/.test(next.tag)) return null
  const label = labelOf(next)
  const words = label?.value.split(' ').length ?? 0
  return label !== null && words >= 3 && words <= 12 ? label : null
}

/** A heading that calls to something, asks, or speaks to visitors is no topic. */
const NO_TOPIC =
  /[?!:]|^(for|with|from|in|on|by|to|für|mit|von|bei|pour|avec|dans|para|con|de|welcome|how|why|what|where|when|who|get|start|try|join|your|our|my|we|you|let|ready|about|willkommen|wie|warum|was|ihre?|unsere?|jetzt|bienvenue|comment|pourquoi|vos|votre|nos|notre|bienvenid\w*|cómo|por|tus?|nuestr\w*)(?![\p{L}])/iu

const ABOUT: Readonly<Record<Language, (label: string, topic: string) => string>> = {
  en: (label, topic) =>
    /^(learn|read|find out) more$/i.test(label) ? `${label} about ${topic}` : `${label}: ${topic}`,
  de: (label, topic) =>
    /^mehr$|^mehr (erfahren|lesen)$/i.test(label) && !/^(der|die|das|ein|eine)\s/i.test(topic)
      ? `Mehr über ${topic}`
      : `${label}: ${topic}`,
  fr: (label, topic) => `${label} : ${topic}`,
  es: (label, topic) =>
    /^(leer|saber) más$/i.test(label) ? `${label} sobre ${topic}` : `${label}: ${topic}`,
}

/**
 * Several links of a page that say the same and lead to different things: each says the heading of its card, for those too who hear links alone. Not where a card has
 * several links, nor where its heading is code, long, or no topic; not for a link in a sentence, nor for one alone, which its place explains.
 */
function* linkSaysWhere({ page }: View, language: Language): Generator<Idea> {
  const vague = elementsIn(page.root).filter(
    (one) => isLink(one) && VAGUE_LINK[language].has(bare(labelOf(one)?.value ?? '')),
  )
  const named = elementsIn(page.root).flatMap((link) => {
    if (!isLink(link) || given(link, 'aria-label') !== null || isInCode(link)) return []
    const label = labelOf(link)
    if (label === null || !VAGUE_LINK[language].has(bare(label.value))) return []
    if (link.parent?.children.some(({ kind }) => kind === 'text') === true) return []
    const card = cardOf(link)
    const [only, ...more] = card === null ? [] : elementsIn(card).filter(isHeading)
    const topic = only === undefined || more.length > 0 || labelOf(only) === null ? '' : wordsIn(only)
    if (card === null || elementsIn(card).filter(isLink).length !== 1) return []
    if (topic === '' || topic.split(' ').length > 4 || NO_TOPIC.test(topic)) return []
    const said = ABOUT[language](label.value.replace(/\s*[.…:→›»]+$/u, ''), topic)
    const change = reword(page, label, said)
    return change === null ? [] : [{ link, label, topic, said, change }]
  })
  const [first] = named
  if (first === undefined || named.length < 2 || named.length > 8) return
  if (new Set(named.map(({ said }) => said)).size < named.length) return
  // One that is left as it was looks like a slip; and several topics at one address are none.
  const places = new Set(named.map(({ link }) => given(link, 'href') ?? given(link, 'to') ?? ''))
  if (vague.length > named.length || places.size < named.length || places.has('#') || places.has('')) return
  const topics = named.map(({ topic }) => topic)
  yield {
    mechanism: 'specificity',
    pattern: 'link-names-its-topic',
    name: `Name the topic in each “${first.label.value}”: ${topics.slice(0, 3).join(', ')}${topics.length > 3 ? ', …' : ''}`,
    anchor: anchorOf(first.link, `${first.label.value}: ${first.topic}`),
    topics: [...topics, headingNear(first.link), 'link'],
    arms: [
      {
        name: first.said,
        changes: named.map(({ change }) => change),
        says: named.map(({ said }) => said).join(' '),
      },
    ],
    audience: 'visitors who look for one of several things',
    change: `having ${named.length} links say “${first.said}” and so on, in place of “${first.label.value}” on each`,
    because:
      'a link that says where it leads is chosen with more certainty, and makes sense when it is read alone',
    goal: 'click',
    effect: 2,
  }
}

/** The smallest section around a link that has a heading. */
function cardOf(link: Element): Element | null {
  for (const one of above(link)) {
    if (/^(body|html|main|)$/.test(one.tag)) return null
    if ([...elementsIn(one)].some(isHeading)) return one
  }
  return null
}
