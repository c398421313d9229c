import { insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, given, has, isInCode, wordsIn } from '../../markup/tree.js'
import { anchorOf } from '../../surface.js'
import { radiosIn } from './options.js'
import { eachOf, isChosen, type State, startWith, statesOf, withoutRemarks } from './state.js'

const GIVES = /\bdonat|\bdonor|\bgive\b|\bspende|\bfaire un don\b|\bmon don\b|\bdona(r|ci[oó]n|tivo)/i
const AMOUNT = /amount|betrag|montant|importe|cantidad|donation|spende/i
const EMPTY = /^(null|undefined|0|''|"")?$/

/**
 * Amounts to give of which none is set: the middle one is, of four the second. Every other amount stays one press away and stands as it does. Not where anything else is
 * bought, nor where one is set already.
 */
export function* amount(view: View): Generator<Idea> {
  const { page } = view
  if (!GIVES.test(`${page.path} ${wordsIn(page.root)}`)) return
  const found = inCode(view) ?? inMarkup(view)
  if (found === null) return
  const { amounts, middle, change, anchor } = found
  const [before, after] = currencyOf(page.text)
  const said = `${before}${middle}${after}`
  yield {
    mechanism: 'default choice',
    pattern: 'amount-preset',
    name: `Begin with the ${amounts.length % 2 === 1 ? 'middle' : 'second'} of the ${amounts.length} amounts: ${said}`,
    anchor,
    topics: ['donation', 'amount', 'form', 'default'],
    arms: [{ name: `${said} preselected`, changes: change, says: null }],
    audience: 'visitors who have come to give',
    change: `having ${said} chosen from the start, with the others (${amounts.filter((one) => one !== middle).join(', ')}) one press away,`,
    because: 'an amount to begin from spares the first decision, and the form can be sent at once',
    goal: 'send',
    effect: 4,
  }
}

/** What stands before an amount in a page, and what after it. */
function currencyOf(text: string): [before: string, after: string] {
  const before =
    /([£€])\s?(?:\{|\d)/.exec(text)?.[1] ??
    /(\$)\d|>\s*(\$)\{/
      .exec(text)
      ?.slice(1)
      .find((one) => one !== undefined)
  const after = /(?:\}|\d)\s?(€|EUR|CHF)/.exec(text)?.[1]
  return after !== undefined ? ['', ` ${after}`] : [before ?? '', '']
}

interface Found {
  amounts: readonly number[]
  middle: number
  change: Idea['arms'][number]['changes']
  anchor: string
}

const middleOf = (amounts: readonly number[]): number | null =>
  amounts.length >= 3 &&
  amounts.length <= 7 &&
  amounts.every((one, index) => index === 0 || one > (amounts[index - 1] ?? 0))
    ? (amounts[Math.floor((amounts.length - 1) / 2)] ?? null)
    : null

function inCode({ page }: View): Found | null {
  const code = withoutRemarks(page)
  const states = statesOf(page).filter(
    (state) => AMOUNT.test(state.name) && EMPTY.test(state.says) && isChosen(page, state),
  )
  const [state, ...more] = states
  if (state === undefined || more.length > 0) return null
  const lists = [...code.matchAll(/\b(?:const|let)\s+(\w+)\s*(?::[^=]+)?=\s*\[([\d\s,.]+)\]/g)].flatMap(
    ([, name = '', numbers = '']) => {
      const amounts = numbers
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
        .map(Number)
      const middle = middleOf(amounts)
      return middle !== null && isOffered(code, name, state) ? [{ amounts, middle }] : []
    },
  )
  const [only, ...others] = lists
  if (only === undefined || others.length > 0) return null
  const isText = /^['"]/.test(state.says)
  return {
    ...only,
    change: [startWith(state, isText ? `'${only.middle}'` : `${only.middle}`)],
    anchor: `code "${state.name}"`,
  }
}

/** Whether each of a list is shown, and the one that is set looks so. */
const isOffered = (code: string, list: string, { name }: State): boolean => {
  const each = eachOf(code, list)
  return (
    each !== undefined &&
    new RegExp(`\\b${name}\\s*===?\\s*${each}\\b|\\b${each}\\s*===?\\s*${name}\\b`).test(code)
  )
}

function inMarkup({ page }: View): Found | null {
  const groups = [...radiosIn(page.root)].flatMap(([name, all]) => {
    const shown = AMOUNT.test(name) ? all.filter((one) => !isInCode(one)) : []
    return shown.length === 0 ? [] : [shown]
  })
  const [radios, ...more] = groups
  if (radios === undefined || more.length > 0) return null
  if (radios.some((one) => has(one, 'checked') || has(one, 'defaultchecked'))) return null
  const amounts = radios.map((one) => Number(given(one, 'value') ?? Number.NaN)).filter(Number.isFinite)
  const middle = middleOf(amounts)
  const radio = radios.find((one) => Number(given(one, 'value')) === middle)
  const opening = radio === undefined ? '' : page.text.slice(radio.start, radio.end)
  if (middle === null || radio === undefined || /v-model|bind:|checked=|\{\.\.\./.test(opening)) return null
  const holder = [...above(radio)].find((one) => one.tag === 'label') ?? radio
  const word = page.dialect === 'jsx' ? 'defaultChecked' : 'checked'
  return {
    amounts,
    middle,
    change: [insertAt(radio.start + '<input'.length, ` ${word}`, radio)],
    anchor: anchorOf(radio, wordsIn(holder)),
  }
}
