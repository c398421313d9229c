import { seededRandom } from '../random.js'

export interface RequestBody {
  readonly bytes: Buffer
  readonly events: number
  /** Byte offsets of the twelve variable characters of each insertId. */
  readonly idOffsets: readonly number[]
}

const ID_PLACEHOLDER = '@@@@@@@@@@@@'

/** A request of events of about 350 bytes: ten properties each, and nine in ten have an insertId. */
export function makeBody(seed: number, events = 500): RequestBody {
  const random = seededRandom(seed)
  const word = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('')
  const now = Date.now()
  const list = Array.from({ length: events }, (_, i) => ({
    event: ['page_viewed', 'product_viewed', 'cart_added', 'signed_up', 'purchased'][
      Math.floor(random() * 5)
    ],
    ...(random() < 0.7
      ? { userId: `user-${Math.floor(random() * 100_000)}` }
      : { anonymousId: `visitor-${Math.floor(random() * 100_000)}` }),
    timestamp: new Date(now - Math.floor(random() * 3_600_000)).toISOString(),
    ...(random() < 0.9
      ? { insertId: `${ID_PLACEHOLDER}-${word(4)}-${word(4)}-${String(i).padStart(12, '0')}` }
      : {}),
    properties: {
      path: `/products/${word(8)}`,
      referrer: `https://example.test/${word(14)}`,
      country: word(2),
      plan: word(4),
      amount: Math.floor(random() * 10_000) / 100,
      quantity: Math.floor(random() * 10),
      session: word(12),
      experiment: word(6),
      mobile: random() < 0.5,
      title: `${word(5)} ${word(7)}`,
    },
  }))
  const bytes = Buffer.from(JSON.stringify({ events: list, sentAt: new Date(now).toISOString() }))
  const idPlaces: number[] = []
  for (
    let at = bytes.indexOf(ID_PLACEHOLDER);
    at >= 0;
    at = bytes.indexOf(ID_PLACEHOLDER, at + ID_PLACEHOLDER.length)
  )
    idPlaces.push(at)
  return { bytes, events, idOffsets: idPlaces }
}

/** Gives every event of a body a new insertId. */
export function renewIds(body: RequestBody, unique: number): void {
  const text = unique.toString(36).padStart(ID_PLACEHOLDER.length, '0')
  for (const place of body.idOffsets) body.bytes.write(text, place, 'latin1')
}
