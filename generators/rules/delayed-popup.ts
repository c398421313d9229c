// Evidence: pop-ups before visitors have seen anything are the most disliked pattern (NN/g 2017 and 2023),
// and Google ranks such pages lower. Admitted because one call says what opens and after how long.
import type { PageChange } from '../page/edits.js'
import type { PageTree } from '../page/tree.js'
import type { ProposalRule } from './rule.js'

const OPENS = /setTimeout\(\s*((?:(?!setTimeout)[\s\S]){3,240}?),\s*(\d{1,5}|\d{1,2}_\d{3})\s*,?\s*\)/g
const POP_UP = /pop-?up|modal|newsletter|dialog|overlay|interstitial|exit.?intent|welcome.?mat/i
const SHOWS =
  /\b(open|show|display)\w*\(|set\w+\(\s*true|\.showModal\(|=\s*true\b|\.add\(\s*['"](is-)?(open|visible|show|active)/i
const HIDES = /close|hide|remove|dismiss|false|unmount|toast|tooltip|focus/i
const MIN_MS = 15_000
const WAITS_S = 30

export const delayedPopup: ProposalRule = {
  ruleId: 'delayed-popup',
  why: 'A pop-up within the first seconds interrupts visitors before they know what the site offers.',
  *find({ page }) {
    const found = [...page.text.matchAll(OPENS)].filter(
      ([, body = '']) => POP_UP.test(body) && SHOWS.test(body) && !HIDES.test(body),
    )
    const [only, ...more] = found
    const delay = only?.[2]
    if (only === undefined || delay === undefined || more.length > 0) return
    const ms = Number(delay.replace('_', ''))
    if (ms >= MIN_MS) return
    const change = delayed(page, only.index, only[0], delay)
    const what = /newsletter/i.test(only[1] ?? '') ? 'newsletter pop-up' : 'pop-up'
    yield {
      mechanism: 'friction',
      name: `Wait ${WAITS_S} seconds before the ${what} opens`,
      anchor: `setTimeout after ${ms} ms`,
      topics: ['pop-up', what],
      displayName: `After ${WAITS_S} seconds`,
      says: null,
      changes: [change],
      change: `the ${what} opens after ${WAITS_S} seconds instead of ${ms / 1000}`,
      goal: what === 'pop-up' ? 'click' : 'subscribe',
      because: 'visitors who have read something know what they are asked to sign up for',
      effect: 3,
    }
  },
}

/** The number alone; the call, if the same number stands elsewhere in the file. */
function delayed({ text }: PageTree, index: number, call: string, delay: string): PageChange {
  const start = index + call.lastIndexOf(delay)
  const whole = { start: index, end: index + call.length, parent: null }
  const end = start + delay.length
  const isOnce = text.indexOf(delay) === text.lastIndexOf(delay)
  return { start, end, text: String(WAITS_S * 1000), unit: isOnce ? { start, end, parent: whole } : whole }
}
