/** The demo's declaration. The first variant is the shop as it is. */
export const PAGE = 'public/index.html'

const HEADLINE = 'A tent for every weather'
const PROMISE = '<p class="promise">Sewn in small numbers, repaired for life.</p>'

export const WINNER = 'free-returns'
const EDITS = [
  { find: HEADLINE, replace: 'Sleep in it before you keep it', variant: WINNER },
  {
    find: PROMISE,
    replace: '<p class="promise">Thirty nights to try it. Not yours? <em>Send it back, free.</em></p>',
    variant: WINNER,
  },
  {
    find: PROMISE,
    replace: '<p class="promise">Ordered by noon, at your door tomorrow.</p>',
    variant: 'next-day',
  },
]

export const DECLARATION = {
  name: 'What the home page promises',
  key: 'home-promise',
  hypothesis: 'Who may send a tent back for free dares to order it.',
  mechanism: 'Less risk before the order',
  variants: [
    { displayName: 'Today', trafficSplit: 34 },
    { displayName: 'Free returns', trafficSplit: 33 },
    { displayName: 'Next day', trafficSplit: 33 },
  ],
  conversionTargets: [
    { eventName: 'order_placed', direction: 'increase' },
    { eventName: 'signed_in', direction: 'increase' },
  ],
  surfaces: [{ path: PAGE, anchor: '.hero' }],
  changes: [{ path: PAGE, action: 'modify', edits: EDITS }],
}

/** The share of visitors who order, by variant: what the experiment has to find. */
export const ORDERS: Readonly<Record<string, number>> = { today: 0.11, [WINNER]: 0.16, 'next-day': 0.115 }

/** The page with the winner's edits as written by hand. */
export function winnerByHand(page: string): string {
  return EDITS.filter(({ variant }) => variant === WINNER).reduce(
    (text, { find, replace }) => text.replace(find, () => replace),
    page,
  )
}
