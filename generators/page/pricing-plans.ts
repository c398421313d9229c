import type { Lexicon } from '../lexicon/lexicon.js'
import { elementsIn, given, isInCode, type PageElement, type PageTree, wordsIn } from './tree.js'

export interface PricingPlan {
  element: PageElement
  heading: PageElement
  name: string
  price: number
}

export interface PlanGroup {
  parent: PageElement
  plans: readonly PricingPlan[]
}

const PRICE = /[$€£]\s?(\d+(?:[.,]\d+)*)|(\d+(?:[.,]\d+)*)\s?(?:€|EUR\b|USD\b|CHF\b)/

/** Two to four siblings, each with a heading, a price and a button or link. Product lists do not count. */
export function plansOf(page: PageTree, lexicon: Lexicon): PlanGroup[] {
  return [page.root, ...elementsIn(page.root)].flatMap((parent): PlanGroup[] => {
    const parts = parent.children.filter((one): one is PageElement => one.kind === 'element')
    if (parts.length < 2 || parts.length > 4 || isInCode(parent)) return []
    const plans = parts.flatMap((element) => planOf(element) ?? [])
    const about = `${wordsIn(parent)} ${page.path} ${given(parent, 'class') ?? ''} ${given(parts[0] ?? parent, 'class') ?? ''}`
    return plans.length === parts.length && lexicon.isPlan.test(about) ? [{ parent, plans }] : []
  })
}

function planOf(element: PageElement): PricingPlan | null {
  const headings = elementsIn(element).filter(({ name }) => /^h[2-6]$/.test(name))
  const [heading] = headings
  const found = PRICE.exec(wordsIn(element))
  const hasAction = elementsIn(element).some(({ name }) => /^(a|button|link|\w*button|\w+-?link)$/.test(name))
  if (heading === undefined || headings.length > 1 || found === null || !hasAction) return null
  const price = Number((found[1] ?? found[2] ?? '').replace(/[.,](?=\d{3}\b)/g, '').replace(',', '.'))
  return Number.isFinite(price) ? { element, heading, name: wordsIn(heading), price } : null
}
