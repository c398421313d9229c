import type { Goal, Idea, View } from '../../idea.js'
import { programOf } from '../../reach.js'
import { byWeight, kindOf } from '../act/ways.js'
import { LEADS_ON } from '../evidence/repeat-beside.js'
import { goalOfPage } from '../opening/hero.js'

const GOALS: Readonly<Record<NonNullable<ReturnType<typeof kindOf>>, Goal>> = {
  'sign up': 'sign up',
  purchase: 'click',
  book: 'contact',
  contact: 'contact',
}

/** What visitors are to do on the site that they arrive at, where a part of it stands in their way. */
export function aimOf(view: View, isPage: boolean): Pick<Idea, 'goal' | 'when'> {
  const { page, site } = view
  const own = isPage ? goalOfPage(view) : 'click'
  const [best = []] = byWeight(
    (site?.ways ?? []).filter(({ path }) => path !== page.path && programOf(path) === programOf(page.path)),
  )
  const kind = best[0] === undefined ? null : kindOf(best[0])
  const goal = own === 'click' && kind !== null ? GOALS[kind] : own
  return goal === 'click' ? { goal, when: LEADS_ON } : { goal }
}
