import { insertAfter, remove } from '../page/edits.js'
import { elementsIn, given, type PageElement, type PageTree } from '../page/tree.js'
import type { RuleIdea } from './rule.js'

const OPENS = /hero|banner|jumbotron|intro|landing|header|carousel|slider/i
const ENDS = /contact|kontakt|footer|cta|newsletter|faq/i
/** Parts of a page that convince, and what people call them. */
const CONVINCES = [
  {
    is: /testimonial|review|feedback|bewertung|kundenstimm|temoignage|avis|opinion|testimonio|depoimento/i,
    said: 'what customers say',
    because: 'most visitors do not scroll far, and other customers convince them more than the site itself',
    goal: 'click',
  },
  {
    is: /(featured|popular|latest|best|top|trending|new)_?-?(products?|sellers?|arrivals?|collection|items)|products?(list|grid|section)/i,
    said: 'the products',
    because: 'visitors who see early what a shop sells stay and look around',
    goal: 'cart',
  },
] as const

/** A part that convinces, moved from further down a page that is put together from parts to its opening. */
export function* movedParts(page: PageTree): Generator<RuleIdea> {
  for (const whole of [page.root, ...elementsIn(page.root)]) {
    const parts = whole.children.filter((one): one is PageElement => one.kind === 'element')
    const named = (one: PageElement): string =>
      `${one.tag} ${given(one, 'id') ?? ''} ${given(one, 'class') ?? ''}`
    const sections = parts.filter((one) => /^[A-Z]\w+$|^[a-z]+-[a-z-]+$|^section$/.test(one.tag))
    const opening = sections.findIndex((one) => OPENS.test(named(one)) && !/nav/i.test(named(one)))
    const hero = sections[opening]
    if (sections.length < 5 || hero === undefined || opening > 2) continue
    for (const { is, said, because, goal } of CONVINCES) {
      const all = sections.filter((one) => is.test(named(one)))
      const [part] = all
      if (part === undefined || all.length > 1 || ENDS.test(named(part))) continue
      if (sections.indexOf(part) <= opening + 2) continue
      yield {
        mechanism: 'order',
        name: `Show ${said} right after the opening`,
        anchor: `${part.tag} after ${hero.tag}`,
        topics: [said, 'order', part.tag],
        displayName: `${part.tag} after ${hero.tag}`,
        says: null,
        changes: [insertAfter(page, hero, page.text.slice(part.start, part.end)), remove(part)],
        change: `${said} follow${said.startsWith('what') ? 's' : ''} the opening of the page`,
        goal,
        because,
        effect: 3,
      }
    }
  }
}
