// Evidence: a finger does not hover, so that people with a phone never see what appears under a mouse alone,
// and Tailwind 4 keeps it from them for good (Baymard and Nielsen Norman Group: nothing that is needed may
// depend on hover). Admitted because the classes of one element say when it is shown, and its file what it
// does. A text that a mouse brings out is often a hint of the card that is pressed, and is left alone.
import { type CtaPurpose, type Lexicon, PURPOSES } from '../lexicon/lexicon.js'
import { isInFrame } from '../page/actions.js'
import { type PageChange, rewordAttribute } from '../page/edits.js'
import { wordsOfCode } from '../page/forms.js'
import { above, attribute, elementsIn, given, type PageElement, textsIn } from '../page/tree.js'
import { headingOf, quoted } from './place-words.js'
import type { PageContext, ProposalRule } from './rule.js'
import { mainActOf } from './ways.js'

/** Classes that hide an element, and those that show it under a mouse. */
const HIDES: readonly {
  hidden: RegExp
  shown: RegExp
  /** the second has to stand in place of the first */
  needsShown?: true
}[] = [
  { hidden: /^opacity-0$/, shown: /^opacity-(100|9\d)$/ },
  { hidden: /^invisible$/, shown: /^visible$/ },
  { hidden: /^-?translate-y-(?!0$|px$)[\w./[\]]+$/, shown: /^translate-y-0$/ },
  { hidden: /^hidden$/, shown: /^(flex|block|inline-flex|inline-block|grid|flex-center)$/, needsShown: true },
]
const UNDER_A_MOUSE = /^(?:group-hover(?:\/[\w-]+)?|hover):(.+)$/
/** A phone has less than 1,024 pixels. */
const LARGE = 'lg:'

/** The classes with which an element waits for a mouse on large screens alone; `null` if it does not wait. */
function shownOnPhones(classes: string): string | null {
  const all = classes.split(/\s+/)
  const underMouse = all.flatMap((one) => UNDER_A_MOUSE.exec(one)?.[1] ?? [])
  const pairs = all.map((one) => {
    const rule = HIDES.find(({ hidden }) => hidden.test(one))
    const shown = rule === undefined ? undefined : underMouse.find((other) => rule.shown.test(other))
    return rule === undefined || shown === undefined ? null : rule.needsShown ? `${shown} ` : ''
  })
  const isHidden = all.some((one, index) => pairs[index] !== null && !one.includes('translate'))
  return isHidden
    ? all.map((one, index) => (pairs[index] === null ? one : `${pairs[index]}${LARGE}${one}`)).join(' ')
    : null
}

/** A layer that darkens a picture while the mouse is on it, and a hint beside what is pressed. */
const LAYER = /(?=.*(^|\s)inset-0)(?=.*(^|\s)bg-(?!gradient|transparent|linear))/
const NO_NEED = /tooltip|pointer-events-none/
const ACTION = /^(button|a|link|navlink|nuxt-?link|router-?link)$/
const WORKS = /^(on|@|v-on:|on:)click$|^(href|to|:to|:href)$/
const TURNS = /^(prev|next|zurück|weiter|suivant|précéd|anterior|siguiente|próxim|seguinte|back$)/i
const NOWHERE = /^(#!?|javascript:.*|)$/

/** Whether something happens if the element is pressed: it has a handler or an address, or sends its form. */
const isAction = (one: PageElement): boolean =>
  ACTION.test(one.name) &&
  (one.attributes.some(({ name, value }) => WORKS.test(name) && !NOWHERE.test(value ?? 'code')) ||
    (one.name === 'button' && [...above(one)].some(({ name }) => name === 'form')))

/** The words of a button: those of its act if it has several. */
function labelFor(
  action: PageElement,
  lexicon: Lexicon,
): { label: string; purpose: CtaPurpose | null } | null {
  const said = textsIn(action).flatMap(({ value }) => (/\p{L}{3}/u.test(value) ? [value] : []))
  const purposeOf = (label: string) => PURPOSES.find((one) => lexicon.purposes[one].test(label)) ?? null
  const own = said.find((label) => purposeOf(label) !== null) ?? (said.length === 1 ? said[0] : undefined)
  const label = own ?? given(action, 'aria-label') ?? given(action, 'title') ?? ''
  const purpose = purposeOf(label)
  const isNeeded = purpose !== null || TURNS.test(label)
  return isNeeded && !lexicon.tidies.test(label) ? { label, purpose } : null
}

interface Waiting {
  change: PageChange
  act: { label: string; purpose: CtaPurpose | null }
}

function waitingIn({ page, lexicon, isOnPhones }: PageContext): Waiting[] {
  // An element of a list is written once, however often it is shown.
  const written = new Map(elementsIn(page.root).map((one) => [one.start, one]))
  return [...written.values()].flatMap((element): Waiting[] => {
    const classes = attribute(element, 'class')
    const wanted = classes?.own == null ? null : shownOnPhones(classes.value ?? '')
    if (classes === undefined || wanted === null || isInFrame(element)) return []
    if (!isOnPhones(element)) return []
    const inside = [element, ...elementsIn(element)]
    if (inside.some((one) => LAYER.test(given(one, 'class') ?? '')) || NO_NEED.test(classes.value ?? ''))
      return []
    if ([...above(element)].some(({ name }) => ACTION.test(name))) return []
    const change = rewordAttribute(element, classes, wanted)
    if (change === null) return []
    const [act] = inside.filter(isAction).flatMap((one) => labelFor(one, lexicon) ?? [])
    return act === undefined ? [] : [{ change, act }]
  })
}

const MAX_PLACES = 8
/** Pages on which people keep their own things or those of the business. */
const OF_WORK = /edit|calendar|agenda|notification|stock|manage|history|account|schedule|upload|order|chat/i

export const hoverOnly: ProposalRule = {
  ruleId: 'hover-only',
  why: 'Phones have no mouse: what waits for one is not seen there.',
  *find(context) {
    const { page, ways } = context
    if (OF_WORK.test(page.path)) return
    const waiting = waitingIn(context).slice(0, MAX_PLACES)
    const [first] = waiting
    if (first === undefined) return
    const { act } = first
    const acts = waiting.map((one) => one.act)
    const part = wordsOfCode(page.path.replace(/^.*\//, '').replace(/\.\w+$/, '')).toLowerCase()
    const thing = acts.every(({ label }) => TURNS.test(label))
      ? `the arrows of the ${part}`
      : quoted(act.label)
    yield {
      mechanism: 'friction',
      name: `Show ${thing} on phones, too`,
      anchor: `hidden "${thing}"`,
      topics: ['phone', 'mobile', thing, headingOf(page, /^h[12]$/)],
      displayName: 'Also without a mouse',
      says: null,
      changes: waiting.map(({ change }) => change),
      change: `${thing}, which only a mouse brings out today, ${acts.length > 1 ? 'are' : 'is'} shown on phones from the start`,
      goal: act.purpose === 'cart' ? 'cart' : (mainActOf(ways) ?? 'click'),
      because: 'a finger cannot hover, so that visitors with a phone do not see it',
      effect: 3.5,
    }
  },
}
