// Evidence: one primary action in each view is the rule of every large design system (Material, Carbon,
// GOV.UK), and pages with one link to act on convert better than those with more (Unbounce 2020: 13.5 % with
// one, 10.5 % with five). Admitted because one file shows the two buttons, and the site has a quieter style,
// or the second button only jumps down the same page.
import { goalRank, isGoal, isInFrame, type PageAction } from '../page/actions.js'
import { classAttribute, type PageChange, remove, rewordAttribute } from '../page/edits.js'
import {
  above,
  attribute,
  elementsIn,
  given,
  has,
  isInCode,
  isInside,
  type PageElement,
  type PageTree,
} from '../page/tree.js'
import { quoted } from './form-words.js'
import { heroOf } from './hero.js'
import type { PageContext, ProposalRule, RuleIdea, SiteContext } from './rule.js'

/** Endings of class names and values of properties by which sites call a quieter button. */
const QUIETER = [
  'secondary',
  'outline',
  'ghost',
  'tertiary',
  'outline-primary',
  'outlined',
  'subtle',
  'soft',
  'link',
  'quiet',
  'light',
  'text',
] as const
const PRIMARY = /^((?:[a-z]+[-_])*(?:btn|button|cta)(?:--|-|__|_))primary$/i
const BARE = /^(btn|button|cta)$/i
const STYLED_BY = ['variant', 'appearance', 'color', 'kind']

/** The same classes with the quieter one that the site has, `null` if it has none. */
function quieter(classes: string, { classes: known }: SiteContext): string | null {
  const all = classes.split(/\s+/).filter((one) => one !== '')
  const primary = all.find((one) => PRIMARY.test(one))
  const stem = PRIMARY.exec(primary ?? '')?.[1] ?? null
  const bare = all.find((one) => BARE.test(one))
  const stems = stem !== null ? [stem] : bare !== undefined ? [`${bare}-`, `${bare}--`] : []
  for (const one of stems)
    for (const ending of QUIETER) {
      const wanted = `${one}${ending}`
      if (!known.has(wanted) || all.includes(wanted)) continue
      return primary === undefined
        ? [...all, wanted].join(' ')
        : all.map((name) => (name === primary ? wanted : name)).join(' ')
    }
  return null
}

function quietened(page: PageTree, { element, classes }: PageAction, site: SiteContext): PageChange | null {
  const own = attribute(element, 'class')
  const wanted = quieter(classes, site)
  if (own !== undefined && wanted !== null) return rewordAttribute(element, own, wanted)
  if (own !== undefined && site.quietClass !== null && /(^|\s)bg-/.test(classes))
    return rewordAttribute(element, own, site.quietClass)
  // `<Button>` beside others of the site that are written `<Button variant="outline">`.
  const button = [element, ...element.children].find(
    (one): one is PageElement => one.kind === 'element' && /^[A-Z]\w*(Button|Btn)?$/.test(one.tag),
  )
  if (button === undefined || STYLED_BY.some((name) => has(button, name))) return null
  for (const name of STYLED_BY) {
    const value = QUIETER.find((one) => site.styles.get(`${button.tag} ${name}`)?.has(one))
    if (value === undefined) continue
    const start = button.start + 1 + button.tag.length
    const source = page.text.slice(button.start, button.end)
    return source.startsWith(`<${button.tag}`)
      ? { start, end: start, text: ` ${name}="${value}"`, unit: button }
      : null
  }
  return null
}

const styleOf = ({ element, classes }: PageAction): string =>
  `${element.tag} ${classes} ${STYLED_BY.map((name) => given(element, name) ?? '').join(' ')}`

export const singlePrimaryCta: ProposalRule = {
  ruleId: 'single-primary-cta',
  why: 'One action should stand out. Where two look alike, visitors weigh them against each other.',
  *find(context: PageContext) {
    const { page, actions } = context
    yield* standsOut(context)
    const hero = heroOf(page)?.hero
    if (hero !== undefined) yield* oneCounts(hero, 'opening', context)
    const pairs = new Set(actions.flatMap(({ element }) => (element.parent === null ? [] : [element.parent])))
    for (const pair of pairs)
      if (hero === undefined || !isInside(pair, hero)) yield* oneCounts(pair, 'page', context)
  },
}

/** Two buttons in one place of which one counts. */
function* oneCounts(
  place: PageElement,
  where: 'opening' | 'page',
  { page, actions, site }: PageContext,
): Generator<RuleIdea> {
  const buttons = actions.filter(
    (one) => one.looksLikeButton && !isInFrame(one.element) && isInside(one.element, place),
  )
  const [first, second, ...more] = buttons
  if (first === undefined || second === undefined || more.length > 0) return
  const goals = buttons.filter(isGoal)
  // With two goals, or none, it takes a person to say which counts.
  const [main] = goals
  if (main === undefined || goals.length !== 1 || main.purpose === null) return
  const other = main === first ? second : first
  const said = { main: quoted(main.label), other: quoted(other.label) }
  const isJump = where === 'opening' && other.to?.startsWith('#') === true
  const change = styleOf(first) === styleOf(second) ? quietened(page, other, site) : null
  if (change === null && !isJump) return
  yield {
    mechanism: 'clarity',
    name:
      change === null
        ? `Leave ${said.main} as the only button of the opening`
        : `Let ${said.main} stand out from ${said.other}`,
    anchor: `${other.element.tag} "${other.label}"`,
    topics: [main.label, other.label, where],
    displayName: change === null ? `Without ${said.other}` : `${said.other} is quieter`,
    says: null,
    changes: [change ?? remove(other.element)],
    change:
      change === null
        ? `${said.main} is the only button of the opening`
        : `${said.other} looks quieter than ${said.main}`,
    goal: main.purpose,
    because: 'two buttons side by side make visitors weigh them against each other instead of acting',
    effect: 2.5,
  }
}

const isTopNavigation = (element: PageElement): boolean =>
  element.name === 'nav' && ![...above(element)].some(({ name }) => name === 'footer')

/** The one link of a navigation that leads to an act, when all its links look alike. */
function* standsOut({ page, actions, site, lexicon }: PageContext): Generator<RuleIdea> {
  for (const nav of elementsIn(page.root).filter(isTopNavigation)) {
    if (/footer/i.test(page.path)) return
    const links = actions.filter(({ element }) => isInside(element, nav))
    const goals = links.filter(
      (one) =>
        isGoal(one) &&
        /^[/#]|\.html/.test(one.to ?? '') &&
        !/^(plans|cart|purchase)$/.test(one.purpose ?? ''),
    )
    const [main] = [...goals].sort((a, b) => goalRank(a) - goalRank(b))
    if (main === undefined || main.purpose === null || links.length < 3) continue
    if (!lexicon.purposes[main.purpose].named.test(main.label)) continue
    // A shop does not live on messages.
    if (main.purpose === 'contact' && site.isShop) continue
    if (links.some((one) => one.looksLikeButton || lexicon.tidies.test(one.label))) continue
    if (links.filter(({ to }) => to === main.to).length > 1 || isInCode(main.element)) continue
    const own = attribute(main.element, 'class')
    const isText = main.element.children.every(({ kind }) => kind === 'text')
    if (site.buttonClass === null || main.element.hasCode || !isText) continue
    const start = main.element.start + 1 + main.element.tag.length
    const change =
      own === undefined
        ? { start, end: start, text: classAttribute(page, site.buttonClass), unit: main.element }
        : rewordAttribute(main.element, own, site.buttonClass)
    if (change === null) continue
    yield {
      mechanism: 'clarity',
      name: `Make ${quoted(main.label)} in the navigation a button`,
      anchor: `${main.element.tag} "${main.label}" in the navigation`,
      topics: [main.label, 'navigation', main.purpose],
      displayName: `${quoted(main.label)} is a button`,
      says: null,
      changes: [change],
      change: `${quoted(main.label)} looks like a button in the navigation`,
      goal: main.purpose,
      because: 'it is what the site lives on, and looks like every other link there',
      effect: 2.4,
    }
    return
  }
}
