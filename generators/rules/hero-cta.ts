// Evidence: a call to action that is seen without scrolling is the most accepted of landing page rules
// (Nielsen Norman Group: 57 % of viewing time above the fold). Admitted because one file shows that the
// opening has no way on, and that the page has one elsewhere, which is copied as it stands.

import { goalRank, isGoal, type PageAction } from '../page/actions.js'
import { insertAfter } from '../page/edits.js'
import { isAlwaysShown } from '../page/forms.js'
import {
  above,
  elementsIn,
  given,
  has,
  isInside,
  type PageElement,
  type PageTree,
  wordsIn,
} from '../page/tree.js'
import { quoted } from './form-words.js'
import type { ProposalRule } from './rule.js'

const MAX_COPIED = 300
/** Where a site begins, so that the block of the title is its opening. */
const IS_START =
  /(^|\/)((index|home|landing|welcome|start\w*|accueil|inicio)\.\w+|App\.\w+|(app|routes|src|pages)\/(\([^)]*\)\/)*\+?page\.\w+)$/i
/** Pages that ask for one thing already. */
const ASKS = /404|not-?found|log-?in|sign-?in|sign-?up|register|anmeld|checkout|cart|basket|account|password/i

/** The block around the page's title: its section or header, or the heading's own parent. */
export function heroOf(page: PageTree): { title: PageElement; hero: PageElement } | null {
  const titles = elementsIn(page.root).filter(({ name }) => name === 'h1')
  const [title] = titles
  if (title === undefined || titles.length > 1 || !isAlwaysShown(title)) return null
  const block = [...above(title)].find(
    (one) =>
      /^(section|header)$/.test(one.name) ||
      /(^|[\s_-])(hero|jumbotron|banner|intro)/i.test(given(one, 'class') ?? ''),
  )
  const hero = block ?? title.parent
  return hero === null || hero.tag === '' || hero.tag === '#code' ? null : { title, hero }
}

/** Whether a link can stand elsewhere in the same file as it is written. */
function isCopyable({ element, to }: PageAction, page: PageTree): boolean {
  const source = page.text.slice(element.start, element.end)
  return (
    to !== null &&
    !/^(#|javascript:|mailto:|tel:)/.test(to) &&
    isAlwaysShown(element) &&
    !element.hasCode &&
    !has(element, 'id') &&
    source.length <= MAX_COPIED &&
    !/[{}]/.test(source)
  )
}

export const heroCta: ProposalRule = {
  ruleId: 'hero-cta',
  why: 'The opening of this page explains and offers no next step. The page has one further down or in its navigation.',
  *find({ page, actions }) {
    const found = heroOf(page)
    if (found === null || /<form\b/i.test(page.text.slice(found.hero.start, found.hero.end))) return
    const { title, hero } = found
    if (!/^(section|header)$/.test(hero.name) && !IS_START.test(page.path)) return
    if (ASKS.test(page.path)) return
    const inHero = actions.filter(({ element }) => isInside(element, hero))
    if (
      inHero.some((one) => one.looksLikeButton || isGoal(one)) ||
      elementsIn(hero).some(({ name }) => name === 'input')
    )
      return
    const ways = actions.filter((one) => isGoal(one) && isCopyable(one, page) && !isOwnPage(one, page))
    const [way] = [...ways].sort(
      (a, b) => goalRank(a) - goalRank(b) || Number(b.looksLikeButton) - Number(a.looksLikeButton),
    )
    if (way === undefined || way.purpose === null) return
    const last = [...siblingsAfter(title)].findLast(({ name }) => /^(p|h2)$/.test(name)) ?? title
    const copy = page.text.slice(way.element.start, way.element.end)
    yield {
      mechanism: 'clarity',
      name: `Put ${quoted(way.label)} into the opening of the page`,
      anchor: `${title.tag} "${wordsIn(title)}"`,
      topics: [wordsIn(title), way.label, 'hero'],
      displayName: `${quoted(way.label)} below the title`,
      says: way.label,
      changes: [insertAfter(page, last, copy)],
      change: `${quoted(way.label)} stands below the title ${quoted(wordsIn(title))}`,
      goal: way.purpose,
      because: 'visitors who are convinced early see the next step without searching for it',
      effect: 3,
    }
  },
}

/** The elements that stand beside the title, from it on. */
const siblingsAfter = (title: PageElement): PageElement[] =>
  (title.parent?.children ?? []).filter(
    (one): one is PageElement => one.kind === 'element' && one.start >= title.start && isAlwaysShown(one),
  )

/** A link that leads back to the page it stands on. */
const isOwnPage = ({ to }: PageAction, { path }: PageTree): boolean => {
  const own = path
    .split('/')
    .at(-1)
    ?.replace(/\.\w+$/, '')
  return (
    to !== null &&
    to
      .replace(/[?#].*$/, '')
      .replace(/\/$/, '')
      .split('/')
      .at(-1)
      ?.replace(/\.\w+$/, '') === own
  )
}
