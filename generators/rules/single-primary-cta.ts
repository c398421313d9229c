// Evidence: one primary action in each view is the rule of every large design system (Material, Carbon,
// GOV.UK). Admitted because one file shows that two buttons share their classes, and the site has a quieter
// one.
import { isGoal, type PageAction } from '../page/actions.js'
import { type PageChange, rewordAttribute } from '../page/edits.js'
import { isAlwaysShown } from '../page/forms.js'
import { attribute, isInside } from '../page/tree.js'
import { quoted } from './form-words.js'
import { heroOf } from './hero-cta.js'
import type { ProposalRule, SiteContext } from './rule.js'

/** Endings of class names by which sites call a quieter button. */
const QUIETER = [
  'secondary',
  'outline',
  'ghost',
  'tertiary',
  'outline-primary',
  'link',
  'quiet',
  'light',
  'text',
] as const
const PRIMARY = /^((?:[a-z]+[-_])*(?:btn|button|cta)(?:--|-|__|_))primary$/i
const BARE = /^(btn|button|cta)$/i

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

export const singlePrimaryCta: ProposalRule = {
  ruleId: 'single-primary-cta',
  why: 'The opening has two buttons of the same weight. The site has a quieter style, which other pages use.',
  *find({ page, actions, site }) {
    const hero = heroOf(page)?.hero
    if (hero === undefined) return
    const buttons = actions.filter(
      (one) => one.looksLikeButton && isInside(one.element, hero) && isAlwaysShown(one.element),
    )
    const [first, second, ...more] = buttons
    if (first === undefined || second === undefined || more.length > 0 || first.classes !== second.classes)
      return
    const goals = buttons.filter(isGoal)
    // With two goals, or none, it takes a person to say which counts.
    const [main] = goals
    if (main === undefined || goals.length !== 1 || main.purpose === null) return
    const other = main === first ? second : first
    const change = quietened(other, site)
    if (change === null) return
    yield {
      mechanism: 'clarity',
      name: `Let ${quoted(main.label)} stand out from ${quoted(other.label)}`,
      anchor: `${other.element.tag} "${other.label}"`,
      topics: [main.label, other.label, 'hero'],
      displayName: `${quoted(other.label)} is quieter`,
      says: null,
      changes: [change],
      change: `${quoted(other.label)} looks quieter than ${quoted(main.label)}`,
      goal: main.purpose,
      because: 'two buttons that look alike make visitors weigh them against each other instead of acting',
      effect: 2.5,
    }
  },
}

function quietened({ element, classes }: PageAction, site: SiteContext): PageChange | null {
  const own = attribute(element, 'class')
  const wanted = quieter(classes, site)
  return own === undefined || wanted === null ? null : rewordAttribute(element, own, wanted)
}
