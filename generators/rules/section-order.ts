// Evidence: visitors spend 57 % of their time on the first screen, 74 % on the first two (Nielsen Norman
// Group 2018). Admitted because one file shows the parts of a page and their order, and a part that is moved
// as a whole stays as it is. Customers' words are left out: of six such proposals, judges found one worth
// running.
import { insertAfter, remove } from '../page/edits.js'
import { elementsIn, given, type PageElement, type PageTree, wordsIn } from '../page/tree.js'
import type { ProposalRule, RuleIdea } from './rule.js'

const IS_HERO = /hero|banner|jumbotron|intro(?!duc)|landing|carousel|slider/i
const OPENS = new RegExp(`${IS_HERO.source}|header`, 'i')
const NO_PART = /contact|kontakt|footer|cta|newsletter|faq|nav|form\b|modal|provider|layout/i

/** Parts of a page that lead on, the strongest first, and what people call them. */
const LEADS_ON = [
  {
    is: /(featured|popular|latest|best|top|trending|new)[_ -]?(products?|sellers?|selling|arrivals?|collection|items)|products?(list|grid|section)|bestseller/i,
    said: 'the products',
    because: 'visitors who see early what a shop sells stay and look around',
    goal: 'cart',
  },
  {
    is: /book[_ -]?(an?[_ -]?)?(appointment|table|visit|form|section)|booking[_ -]?(form|section)|appointment|termin[_ -]?(buchung|form)|reservation/i,
    said: 'the booking form',
    because: 'visitors who came to book need not look for it',
    goal: 'booking',
  },
  {
    is: /pricing|\bprices\b|\bpreise\b|\btarifs?\b|\bprecios\b|\bplanos\b/i,
    said: 'the prices',
    because: 'the price is what most visitors look for first, and few of them scroll that far',
    goal: 'plans',
  },
] as const

/** A part, or the only one in a wrapper beside what it shows meanwhile. */
function namesOf(one: PageElement): string {
  const inner = one.children.filter(
    (child): child is PageElement => child.kind === 'element' && child.tag !== '#code',
  )
  const own = `${one.tag} ${given(one, 'id') ?? ''} ${given(one, 'class') ?? ''}`
  if (inner.length === 1 && inner[0] !== undefined) return `${own} ${namesOf(inner[0])}`
  const heading = [one, ...elementsIn(one)].find(({ name }) => /^h[1-3]$/.test(name))
  return heading === undefined ? own : `${own} ${wordsIn(heading)}`
}

const isPart = ({ tag, name }: PageElement): boolean =>
  /^[A-Z]\w+$|^[a-z]+-[a-z-]+$/.test(tag) || /^(section|div|header)$/.test(name)

export const sectionOrder: ProposalRule = {
  ruleId: 'section-order',
  why: 'What visitors came for stands further down than most of them scroll.',
  *find({ page }) {
    for (const whole of [page.root, ...elementsIn(page.root)]) yield* movedIn(whole, page)
  },
}

function* movedIn(whole: PageElement, page: PageTree): Generator<RuleIdea> {
  const parts = whole.children.filter((one): one is PageElement => one.kind === 'element' && isPart(one))
  if (parts.length < 5) return
  const names = parts.map(namesOf)
  const named = names.findIndex((one) => IS_HERO.test(one))
  const opening = named >= 0 ? named : names.findIndex((one) => OPENS.test(one) && !/nav/i.test(one))
  const hero = parts[opening]
  if (hero === undefined || opening > 2) return
  for (const { is, said, because, goal } of LEADS_ON) {
    const found = parts.filter((_, index) => is.test(names[index] ?? ''))
    const [part] = found
    const at = part === undefined ? -1 : parts.indexOf(part)
    if (part === undefined || found.length > 1 || at <= opening + 1 || NO_PART.test(names[at] ?? '')) continue
    yield {
      mechanism: 'order',
      name: `Show ${said} right after the opening`,
      anchor: `${part.tag} after ${hero.tag}`,
      topics: [said, 'order', part.tag],
      displayName: `${said.charAt(0).toUpperCase()}${said.slice(1)} first`,
      says: null,
      changes: [insertAfter(page, hero, page.text.slice(part.start, part.end)), remove(part)],
      change: `${said} follow the opening of the page`,
      goal,
      because,
      effect: 3,
    }
    return
  }
}
