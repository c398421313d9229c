// Evidence: a button that does nothing loses those who press it; tools for session recordings (Contentsquare,
// FullStory, Microsoft Clarity) report "dead clicks" as losses. Admitted because the page shows that
// the button leads nowhere, and a second file the only page or section of the site that its words name.
import { PURPOSES } from '../lexicon/lexicon.js'
import { ACTS, type Act, type PageAction } from '../page/actions.js'
import { type PageChange, rewordAttribute } from '../page/edits.js'
import {
  above,
  attribute,
  elementsIn,
  given,
  isInCode,
  type PageElement,
  type PageTree,
} from '../page/tree.js'
import { quoted } from './place-words.js'
import type { PageContext, ProposalRule } from './rule.js'
import type { Goal } from './targets.js'
import { addressWords, classAttribute, leadsFrom, linkTo, namesOf, onlyAddress, type Way } from './ways.js'

const NOWHERE = /^(#!?|javascript:.*|)$/
/** Attributes with which code, or another element, gives a button its work. */
const WORKS =
  /^(on|@|v-on|use:|bind|v-bind|:(?!class)|data-|aria-(controls|haspopup|expanded|pressed|selected)|id$|form|popover|disabled|aschild|role$|type$|\{)/i
const LINK = /^(a|link|navlink|nuxt-?link|routerlink|router-link)$/
const IN_USE = /trigger|dropdown|tab|accordion|modal|dialog|toggle|close|label|summary|form|a$|link$/i
const MAX_LABEL = 32

function isDead({ element, to, label }: PageAction, page: PageTree, bound: ReadonlySet<string>): boolean {
  const isLink = LINK.test(element.name)
  if (!isLink && element.tag !== 'button') return false
  if (isLink ? !NOWHERE.test(given(element, 'href') ?? given(element, 'to') ?? 'code') : to !== null)
    return false
  const opening = page.text.slice(element.start, page.text.indexOf('>', element.start))
  const type = given(element, 'type')
  const works = element.attributes.some(
    ({ name }) => WORKS.test(name) && !(name === 'type' && type === 'button'),
  )
  return (
    !works &&
    !/\{\.\.\.|v-bind|\$attrs|onClick/i.test(opening) &&
    label.length <= MAX_LABEL &&
    !isInCode(element) &&
    !namesOf(element).some((name) => bound.has(name)) &&
    ![...above(element)].some(({ tag, name }) => IN_USE.test(tag === '' ? '' : name)) &&
    !elementsIn(element).some(({ name }) => LINK.test(name) || name === 'button')
  )
}

/** The only way that fits the words of the button: its act, or a word of the address. */
function wayFor(
  { element, label }: PageAction,
  { page, ways, lexicon }: PageContext,
): { way: Way; goal: Goal } | null {
  // Its own section is where the visitor is.
  const around = [...above(element)].map((one) => `#${given(one, 'id') ?? ''}`)
  const possible = ways.filter(
    (one) => one.kind === 'own' && leadsFrom(page, one) && !around.includes(one.to),
  )
  const purpose = PURPOSES.find((one) => lexicon.purposes[one].test(label))
  if (lexicon.tidies.test(label) || /^(sign in|search|review)$/.test(purpose ?? '')) return null
  const act: Act | undefined = ACTS.find((one) => one === purpose)
  const fitting = possible.filter((one) => act !== undefined && act !== 'cart' && one.act === act)
  const byAct = onlyAddress(fitting)
  if (act !== undefined && fitting.length > 0) return byAct === null ? null : { way: byAct, goal: act }
  const words: readonly string[] = label.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  const byWord = onlyAddress(
    possible.filter(({ to }) => addressWords(to).some((word) => word.length > 3 && words.includes(word))),
  )
  return byWord === null ? null : { way: byWord, goal: act ?? 'click' }
}

export const deadCta: ProposalRule = {
  ruleId: 'dead-cta',
  why: 'Visitors who press a button and see nothing happen are lost at the moment at which they wanted to go on.',
  *find(context) {
    const { page, actions, bound } = context
    const dead = actions.filter((one) => isDead(one, page, bound))
    for (const action of dead) {
      const { element, label } = action
      const found = wayFor(action, context)
      if (found === null || dead.some((other) => other !== action && other.label === label)) continue
      const { way, goal } = found
      const change = leadTo(element, way, page)
      if (change === null) continue
      yield {
        mechanism: 'friction',
        name: `Lead ${quoted(label)} to ${way.to.includes('#') ? 'the section' : 'the page'} ${quoted(way.to.replace(/^\/?#/, ''))}`,
        anchor: `${element.tag} "${label}"`,
        topics: [label, way.label, way.to],
        displayName: `Leads to ${way.to}`,
        says: null,
        changes: [change],
        change: `${quoted(label)}, which leads nowhere today, leads to ${way.to}`,
        goal,
        because: 'those who press it have decided to go on, and today nothing happens',
        effect: 5,
        evidence: [{ path: way.path, says: way.to }],
      }
    }
  },
}

/** The link with the address, or the button as a link in its own classes. */
function leadTo(element: PageElement, { to }: Way, page: PageTree): PageChange | null {
  const address = attribute(element, 'href') ?? attribute(element, 'to')
  if (element.tag !== 'button')
    return address?.own ? ({ ...rewordAttribute(element, address, to), unit: element } as PageChange) : null
  const classes = attribute(element, 'class')
  if (classes?.own == null || element.hasCode) return null
  const from = page.text.indexOf('>', classes.end) + 1
  const inner = page.text.slice(from, page.text.lastIndexOf('</', element.end))
  return {
    start: element.start,
    end: element.end,
    text: linkTo(page, to, classAttribute(page, classes.value), inner),
    unit: element,
  }
}
