import type { OutgoingEvent } from '../client.js'
import { seededRandom } from '../random.js'

const DAY_MS = 24 * 60 * 60 * 1_000
const PRODUCTS = ['tent', 'stove', 'lantern', 'sleeping_bag', 'backpack'] as const
const COUNTRIES = ['SE', 'DE', 'FR', 'NL', 'IT', 'ES'] as const

/**
 * A small shop over the six days before `end`: anonymous visitors look around, some sign up (which links
 * them), fill the cart and buy. Every event has an insertId. The same seed gives the same events.
 */
export function shopEvents(seed: number, visitors: number, end: number): OutgoingEvent[] {
  const random = seededRandom(seed)
  const pick = <T>(choices: readonly [T, ...T[]]): T =>
    choices[Math.floor(random() * choices.length)] ?? choices[0]
  const events: Array<OutgoingEvent & { readonly at: number }> = []
  for (let visitor = 0; visitor < visitors; visitor++) {
    let at = end - Math.floor(random() * 6 * DAY_MS)
    const anonymousId = `visitor-${seed}-${visitor}`
    let userId: string | undefined
    const country = pick(COUNTRIES)
    const plan = pick(['free', 'free', 'free', 'club'])
    let sequence = 0
    const add = (event: string, properties: Record<string, unknown>): void => {
      // Seconds to minutes between two steps, sometimes hours.
      at += Math.floor((random() < 0.06 ? 3_600_000 * (1 + 10 * random()) : 60_000 * random()) + 500)
      if (at > end) return
      events.push({
        at,
        event,
        ...(userId === undefined ? { anonymousId } : random() < 0.5 ? { userId } : { userId, anonymousId }),
        timestamp: new Date(at).toISOString(),
        insertId: `${anonymousId}-${end}-${sequence++}`,
        properties: { country, plan, ...properties },
      })
    }
    add('page_viewed', { path: '/' })
    const looks = Math.floor(random() * 4)
    for (let i = 0; i < looks; i++)
      add('product_viewed', { product: pick(PRODUCTS), price: Math.round(20 + 180 * random()) })
    if (random() < 0.35) {
      userId = `user-${seed}-${visitor}`
      add('signed_up', { method: pick(['email', 'email', 'google']) })
      const last = events.at(-1)
      if (last?.event === 'signed_up') events[events.length - 1] = { ...last, anonymousId, userId }
    }
    if (looks > 0 && random() < 0.5) {
      add('cart_added', { product: pick(PRODUCTS), price: Math.round(20 + 180 * random()) })
      if (random() < (userId === undefined ? 0.45 : 0.75)) {
        add('checkout_started', {})
        if (random() < 0.7)
          add('purchased', { total: Math.round(20 + 280 * random()), coupon: random() < 0.2 })
      }
    }
  }
  return events.sort((a, b) => a.at - b.at).map(({ at: _, ...event }) => event)
}
