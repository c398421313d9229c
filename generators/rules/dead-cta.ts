// Evidence: a button that does nothing loses those who press it; tools for session recordings (Contentsquare,
// FullStory, Microsoft Clarity) report "dead clicks" as losses. Admitted because the page, and the file of a
// button that is a component, show that it leads nowhere, and a second file the only address that its words
// name. Of several addresses for an act, the one that most of the site uses for it is the one.
import { PURPOSES } from '../lexicon/lexicon.js'
import { ACTS, type Act } from '../page/actions.js'
import { above, elementsIn, given, isInCode, type PageElement } from '../page/tree.js'
import { addressOf, numbersIn } from './contact-texts.js'
import { type DeadAction, deadActionsOf, leadTo } from './dead-actions.js'
import { quoted } from './place-words.js'
import type { PageContext, ProposalRule } from './rule.js'
import type { Goal } from './targets.js'
import { usableWays } from './usable-ways.js'
import { addressWords, onlyAddress, type Way } from './ways.js'

interface Target {
  to: string
  goal: Goal
  /** the way that has the address, `null` if the label itself says it */
  way: Way | null
}

const MAIL = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/
/** Words of acts that forms do not have. */
const ASKS =
  /\b(talk|speak) (to|with)\b|\bcall us\b|\banfragen?\b|falar com|fale conosco|hablar con|parler (à|avec)|whats-?app/i
const ORDERS = /\border (now|online|here|yours)\b|\bbestellen\b|\bcommander\b|\bpedir\b|\bencomendar\b/i
/** Pages on which buyers choose. */
const CHOICE =
  /^(menu|shop|products?|store|order|collection|speisekarte|produkte|boutique|tienda|productos|loja|produtos|carta|cardapio)$/
/** Words that name no page. */
const IDLE =
  /^(about|more|with|your|this|that|from|here|page|home|view|index|first|over|unsere?|nuestr[oa]s?)$/
/** Labels of links to the page itself, and of steps that need a cart. */
const HERE = /^(home|start(seite)?|accueil|inicio|início|top)$|check-?out|\bpay\b/i

/** The address that the label says: a telephone number or an e-mail address. */
function saidBy(label: string, { callingCodes }: PageContext): Target | null {
  if (MAIL.test(label)) return { to: addressOf(label, callingCodes), goal: 'contact', way: null }
  const [number, ...more] = numbersIn(label)
  return number === undefined || more.length > 0
    ? null
    : { to: addressOf(number, callingCodes), goal: 'call', way: null }
}

/** The act that a label names, `null` for those that are no way to become a customer. */
function actIn(label: string, { lexicon }: PageContext): Act | 'other' | null {
  const purpose = PURPOSES.find((one) => lexicon.purposes[one].test(label))
  if (lexicon.tidies.test(label) || HERE.test(label)) return null
  if (/^(sign in|search|review|cart|subscribe)$/.test(purpose ?? '')) return null
  if (purpose === undefined && ORDERS.test(label)) return 'purchase'
  if (purpose === undefined && ASKS.test(label)) return 'contact'
  return ACTS.find((one) => one === purpose) ?? 'other'
}

/** The way that fits the words of a label: its act, a word of the address, or the only way to ask. */
function targetFor(
  { element, label }: DeadAction,
  usable: readonly Way[],
  context: PageContext,
): Target | null {
  const { ways } = context
  const act = actIn(label, context)
  if (act === null) return null
  const said = saidBy(label, context)
  // A number beside the sign of a chat is no call, and people with a wide screen do not call.
  if (said !== null) return isChat(element) || !context.isOnPhones(element) ? null : said
  // Its own section is where the visitor is.
  const around = [...above(element)].map((one) => `#${given(one, 'id') ?? ''}`)
  const possible = usable.filter(({ to }) => !around.includes(to))
  const own = possible.filter(({ kind }) => kind === 'own')
  const outside = possible.filter((one) => one.kind === 'external')
  const leading = (among: readonly Way[], goal: Goal): Target | null => {
    const way = mostUsed(among)
    return way === null ? null : { to: way.to, goal, way }
  }
  const withAct = (one: Act) => (way: Way) => way.act === one
  if (act === 'other') {
    const words: readonly string[] = label.toLowerCase().match(/\p{L}{4,}/gu) ?? []
    const isNamed = (word: string): boolean => words.includes(word) && (word === words[0] || !IDLE.test(word))
    const byWord = onlyAddress(own.filter(({ to }) => addressWords(to).some(isNamed)))
    return byWord === null ? null : { to: byWord.to, goal: 'click', way: byWord }
  }
  const chats = outside.filter(({ to }) => CHAT.test(to))
  if (/whats-?app/i.test(label)) return leading(chats, 'contact')
  const fitting = possible.filter(withAct(act))
  if (fitting.length > 0 && act !== 'contact')
    return leading(fitting, act) ?? leading(outside.filter(withAct(act)), act)
  // The site has a way of its own for the act, which this page cannot use.
  if (act === 'sign up' || act === 'plans' || (act !== 'contact' && ways.some(withAct(act)))) return null
  const choices = own.filter(({ to }) => addressWords(to).some((word) => CHOICE.test(word)))
  if (act === 'purchase' && choices.length > 0) return isInCode(element) ? null : leading(choices, act)
  const asked = own.filter(withAct('contact'))
  if (asked.length > 0) return leading(asked, act)
  const calls = outside.filter(({ to }) => to.startsWith('tel:'))
  return leading(chats, act) ?? leading(calls, 'call')
}

/** `<FaWhatsapp />`, `<i class="fa-whatsapp">`. */
const isChat = (element: PageElement): boolean =>
  elementsIn(element).some((one) =>
    /whats-?app/i.test(`${one.tag} ${given(one, 'class')} ${given(one, 'src')}`),
  )

const CHAT = /^https:\/\/(wa\.me|(api|web)\.whatsapp)/

/** The address to which most ways lead: the only one, or one with three times as many ways as all others. */
function mostUsed(ways: readonly Way[]): Way | null {
  const counts = new Map<string, Way[]>()
  // Links that visitors see first, and pages before sections of that name.
  const rank = ({ label, to }: Way): number => (label === '' ? 2 : 0) + (to.startsWith('/') ? 0 : 1)
  for (const way of [...ways].sort((a, b) => rank(a) - rank(b))) {
    const address = way.to
      .replace(/[?].*$|\/$/, '')
      .replace(/^[/#]+/, '')
      .replace(/^tel:.*?(?=\d{9}$)/, '')
    counts.set(address, [...(counts.get(address) ?? []), way])
  }
  const [first] = [...counts.values()].sort((a, b) => b.length - a.length)
  return first !== undefined && first.length >= 3 * (ways.length - first.length) ? (first[0] ?? null) : null
}

export const deadCta: ProposalRule = {
  ruleId: 'dead-cta',
  why: 'Visitors who press a button and see nothing happen are lost at the moment at which they wanted to go on.',
  *find(context) {
    const dead = deadActionsOf(context)
    if (dead.length === 0) return
    const usable = usableWays(context)
    for (const label of new Set(dead.map((one) => one.label))) {
      const [first, ...more] = onePerPlace(dead.filter((one) => one.label === label))
      if (first === undefined || isVaried(dead, first)) continue
      const target = targetFor(first, usable, context)
      const targets = more.map((one) => targetFor(one, usable, context)?.to)
      if (target === null || targets.some((to) => to !== target.to)) continue
      const changes = [first, ...more].map((one) => leadTo(one, target.to, context))
      if (changes.some((one) => one === null)) continue
      const { to, goal, way } = target
      const { name, where } = saidOf(label, to)
      yield {
        mechanism: 'friction',
        name,
        anchor: `${first.element.tag} "${label}"`,
        topics: [label, way?.label ?? '', to],
        displayName: `Leads to ${where}`,
        says: null,
        changes: changes.filter((one) => one !== null),
        change: `${quoted(label)}, which leads nowhere today, leads to ${where}`,
        goal,
        because: 'those who press it have decided to go on, and today nothing happens',
        effect: 5,
        ...(way === null ? {} : { evidence: [{ path: way.path, says: to }] }),
      }
    }
  },
}

const onePerPlace = (dead: readonly DeadAction[]): DeadAction[] =>
  dead.filter(({ element }, at) => dead.findIndex((one) => one.element.start === element.start) === at)

/** Whether a loop shows the element with several labels. */
const isVaried = (dead: readonly DeadAction[], { element, label }: DeadAction): boolean =>
  dead.some((one) => one.element.start === element.start && one.label !== label)

function saidOf(label: string, to: string): { name: string; where: string } {
  const lead = (what: string): string => `Lead ${quoted(label)} to ${what}`
  if (to.startsWith('tel:'))
    return {
      name: /\d{3}/.test(label) ? `Let a tap on ${quoted(label)} call` : lead('a call'),
      where: 'a call',
    }
  if (to.startsWith('mailto:')) return { name: `Let a tap on ${quoted(label)} write an e-mail`, where: to }
  if (/wa\.me|whatsapp/.test(to)) return { name: lead('your WhatsApp chat'), where: 'WhatsApp' }
  const host = /^https:\/\/([^/]+)/.exec(to)?.[1]
  if (host !== undefined) return { name: lead(host), where: host }
  const what = `${to.includes('#') ? 'the section' : 'the page'} ${quoted(to.replace(/^\/?#/, ''))}`
  return { name: lead(what), where: to }
}
