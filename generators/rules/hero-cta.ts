// Evidence: a call to action that is seen without scrolling is the most accepted of landing page rules
// (Nielsen Norman Group: 57 % of viewing time above the fold). Admitted because one file shows that the
// opening has no way on, and that the site has one elsewhere, in the same file or in its navigation.

import type { Lexicon } from '../lexicon/lexicon.js'
import { goalRank, isGoal, isInFrame, type PageAction, placeAt, purposeOfLink } from '../page/actions.js'
import { classAttribute, insertAfter } from '../page/edits.js'
import { above, elementsIn, has, isInside, type PageElement, type PageTree, wordsIn } from '../page/tree.js'
import { quoted } from './form-words.js'
import { ASKS, heroOf, IS_START, isOpeningPart } from './hero.js'
import type { PageContext, ProposalRule } from './rule.js'

const MAX_COPIED = 300
interface Way {
  label: string
  to: string
  goal: NonNullable<PageAction['purpose']>
  markup: string
  evidence?: readonly { path: string; says: string }[]
}

const saysSomething = (label: string, { vagueLinks }: Lexicon): boolean =>
  /\p{Script=Latin}/u.test(label) && !vagueLinks.includes(label.toLowerCase())

/** The best link to an act that the file has, copied as it is written. */
function ownWay({ page, actions, lexicon }: PageContext): Way | null {
  const [way] = actions
    .filter(
      (one) =>
        isGoal(one) &&
        saysSomething(one.label, lexicon) &&
        isCopyable(one, page) &&
        !isOwnPage(one.to ?? '', page),
    )
    .sort((a, b) => goalRank(a) - goalRank(b) || Number(b.looksLikeButton) - Number(a.looksLikeButton))
  return way === undefined || way.purpose === null
    ? null
    : {
        label: way.label,
        to: way.to ?? '',
        goal: way.purpose,
        markup: page.text.slice(way.element.start, way.element.end),
      }
}

/** The best link to an act that another file of the site has, mostly its navigation. */
function siteWay({ page, lexicon, site }: PageContext): Way | null {
  const links = site.links
    .map((link) => ({ ...link, purpose: purposeOfLink(link.label, link.to, lexicon) }))
    .filter(
      (one) =>
        isGoal(one) &&
        saysSomething(one.label, lexicon) &&
        one.path !== page.path &&
        !isOwnPage(one.to, page),
    )
    .filter(({ to }) => to.startsWith('/') || (to.startsWith('#') && site.anchors.has(to.slice(1))))
    .sort((a, b) => goalRank(a) - goalRank(b))
  const [way] = links
  if (way === undefined || way.purpose === null) return null
  const className = classAttribute(page, site.buttonClass)
  return {
    label: way.label,
    to: way.to,
    goal: way.purpose,
    markup: `<a href="${way.to}"${className}>${way.label}</a>`,
    evidence: [
      { path: way.path, says: way.to },
      { path: way.path, says: way.label },
    ],
  }
}

/** The link to all products. */
function shopWay({ page, lexicon, site }: PageContext): Way | null {
  const link = site.links.find(({ to }) => to.startsWith('/') && placeAt(to) === 'products')
  if (link === undefined) return null
  const label = lexicon.places.products
  return {
    label,
    to: link.to,
    goal: 'cart',
    markup: `<a href="${link.to}"${classAttribute(page, site.buttonClass)}>${label}</a>`,
    evidence: [{ path: link.path, says: link.to }],
  }
}

/** Whether a link can stand elsewhere in the same file as it is written. */
function isCopyable({ element, to }: PageAction, page: PageTree): boolean {
  const source = page.text.slice(element.start, element.end)
  return (
    to !== null &&
    !/^(#$|javascript:|mailto:|tel:)/.test(to) &&
    ![...above(element)].some(({ tag }) => tag === '#code') &&
    !element.hasCode &&
    !has(element, 'id') &&
    source.length <= MAX_COPIED &&
    !/[{}]/.test(source)
  )
}

export const heroCta: ProposalRule = {
  ruleId: 'hero-cta',
  why: 'The opening of this page explains and offers no next step. The site has one further down or in its navigation.',
  *find(context) {
    const { page, actions } = context
    const found = heroOf(page)
    if (found === null || /<form\b/i.test(page.text.slice(found.hero.start, found.hero.end))) return
    const { title, hero } = found
    const isOpening = isOpeningPart(page.path)
    if (!/^(section|header)$/.test(hero.name) && !IS_START.test(page.path) && !isOpening) return
    if (ASKS.test(page.path)) return
    const inHero = actions.filter(({ element }) => isInside(element, hero) && !isInFrame(element))
    if (
      inHero.some((one) => isGoal(one) || !onlyExplains(one, context)) ||
      elementsIn(hero).some((one) => IS_WAY.test(one.name) && !isLinkTag(one))
    )
      return
    const beside = inHero.find((one) => one.looksLikeButton) ?? inHero[0]
    const first = ownWay(context) ?? (isOpening || IS_START.test(page.path) ? siteWay(context) : null)
    // A shop lives on what it sells.
    const isBeside = context.site.isShop && /^(contact|sign up)$/.test(first?.goal ?? '')
    const way = isBeside ? shopWay(context) : first
    if (way === null || inHero.length > 1) return
    const after =
      beside?.element ?? [...siblingsAfter(title)].findLast(({ name }) => /^(p|h2)$/.test(name)) ?? title
    const markup =
      beside === undefined || beside.element.tag !== 'a' ? way.markup : likeLink(page, beside, way)
    yield {
      mechanism: 'clarity',
      name: `Put ${quoted(way.label)} into the opening of the page`,
      anchor: `${title.tag} "${wordsIn(title)}"`,
      topics: [wordsIn(title), way.label, 'hero'],
      displayName: `${quoted(way.label)} in the opening`,
      says: way.label,
      changes: [insertAfter(page, after, markup)],
      change:
        beside === undefined
          ? `${quoted(way.label)} stands below the title ${quoted(wordsIn(title))}`
          : `${quoted(way.label)} stands beside ${quoted(beside.label)}`,
      goal: way.goal,
      because: 'visitors who are convinced early see the next step without searching for it',
      effect: 3,
      ...(way.evidence === undefined ? {} : { evidence: way.evidence }),
    }
  },
}

const IS_WAY = /input|search|form|cta|button|link/
const isLinkTag = ({ name }: PageElement): boolean => /^(a|link)$/.test(name)
/** A link that jumps down the page, or says as little as "Learn more". */
const onlyExplains = ({ to, element, label }: PageAction, { lexicon }: PageContext): boolean =>
  to !== null && isLinkTag(element) && (/^#./.test(to) || lexicon.vagueLinks.includes(label.toLowerCase()))

/** A link that looks like the one beside it. */
const likeLink = (page: PageTree, { classes }: PageAction, { to, label }: Way): string =>
  `<a href="${to}"${classAttribute(page, classes)}>${label}</a>`

/** The elements that stand beside the title, from it on. */
const siblingsAfter = (title: PageElement): PageElement[] =>
  (title.parent?.children ?? []).filter(
    (one): one is PageElement => one.kind === 'element' && one.start >= title.start && one.tag !== '#code',
  )

/** A link that leads back to the page it stands on. */
function isOwnPage(to: string, { path }: PageTree): boolean {
  const last = (address: string): string | undefined =>
    address
      .replace(/[?#].*$/, '')
      .replace(/\/$/, '')
      .split('/')
      .at(-1)
      ?.replace(/\.\w+$/, '')
  return last(to) === last(path)
}
