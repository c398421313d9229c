import type { Idea, View } from '../../idea.js'
import { sourceOf } from '../../surface.js'
import { type List, markedLists, shownName } from '../choice/marked-data.js'
import { withoutRemarks } from '../choice/state.js'

const PRICE = /^(price|prix|preis|precio|cost|amount|montant|betrag)$/i

/**
 * Plans that stand from the dearest to the cheapest although the page says that another one fits: that one comes first. Writes no text. Only for lists that the page goes
 * through as they are.
 */
export function* fittingFirst({ page }: View): Generator<Idea> {
  const code = withoutRemarks(page)
  for (const list of markedLists(code)) {
    const { items, marked, mark, name } = list
    const own = items[marked]
    if (own === undefined || mark.says === null || name === null || marked === 0 || !isFalling(list)) continue
    if (!goesThrough(code, name)) continue
    const order = [own, ...items.filter((one) => one !== own)]
    const [first, last] = [items[0], items.at(-1)]
    const place = first === undefined || last === undefined ? null : arrayAround(code, first.start, last.end)
    if (place === null) continue
    const called = shownName(own) ?? mark.says
    const dearest = first === undefined ? '' : (shownName(first) ?? '')
    yield {
      mechanism: 'default choice',
      pattern: 'fitting-plan-first',
      name: `Show “${called}” first: “${mark.says}”`,
      anchor: `code "${name}: ${called}"`,
      topics: ['pricing', 'price', 'plan', called],
      arms: [
        {
          name: `“${called}” first`,
          changes: items.map(({ start, end }, index) => ({
            start,
            end,
            text: sourceOf(page, order[index] ?? { start, end }),
            unit: { ...place, parent: null },
          })),
          says: null,
        },
      ],
      audience: 'visitors who compare what there is',
      change: `showing “${called}” first, of which the page says “${mark.says}”, and not${dearest === '' ? ' the dearest' : ` “${dearest}”, the dearest`},`,
      because:
        'the first price read is what is taken for usual, and what fits most is then found without looking for it',
      goal: 'plan',
      effect: 4,
    }
  }
}

/** Whether prices stand from the highest to the lowest. */
function isFalling({ items }: List): boolean {
  const prices = items.map(({ values }) =>
    Number([...values].find(([key]) => PRICE.test(key))?.[1] ?? Number.NaN),
  )
  return (
    prices.length >= 2 &&
    prices.every((one, index) => one > 0 && (index === 0 || one < (prices[index - 1] ?? 0)))
  )
}

/** Whether a list is shown whole and in its order, and used for nothing else. */
const goesThrough = (code: string, name: string): boolean => {
  const uses = [...code.matchAll(new RegExp(`\\b${name}\\b\\s*(?:[.[,)};="]|as\\b)`, 'g'))].length
  return (
    uses === 2 && new RegExp(`\\{#each\\s+${name}\\s+as\\b|\\b${name}\\.map\\(|\\bin\\s+${name}"`).test(code)
  )
}

function arrayAround(code: string, first: number, last: number): { start: number; end: number } | null {
  const start = code.lastIndexOf('[', first)
  const end = code.indexOf(']', last) + 1
  const [before, after] = [code.slice(start + 1, first), code.slice(last, end - 1)]
  return start >= 0 && end > 0 && before.trim() === '' && /^[\s,]*$/.test(after) ? { start, end } : null
}
