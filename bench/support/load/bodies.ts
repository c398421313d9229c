import { seededRandom } from '../random.js'

export interface RequestBody {
  readonly bytes: Buffer
  readonly events: number
  /** Positions of the twelve variable characters of each insertId. */
  readonly idPlaces: readonly number[]
}

const MARK = '@@@@@@@@@@@@'

/**
 * How a client writes the same request: compact as JSON.stringify; indented; with spaces after colons and
 * commas as Python; with Russian titles; with everything beyond ASCII and every slash escaped as PHP.
 */
export const SHAPES = ['compact', 'indented', 'spaced', 'russian', 'escaped'] as const
export type Shape = (typeof SHAPES)[number]

/** A request of events, about 350 bytes each: ten properties, and nine of ten an insertId of UUID length. */
export function makeBody(seed: number, events = 500, shape: Shape = 'compact'): RequestBody {
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
    ...(random() < 0.9 ? { insertId: `${MARK}-${word(4)}-${word(4)}-${String(i).padStart(12, '0')}` } : {}),
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
      title: titleOf(`${word(5)} ${word(7)}`, shape),
    },
  }))
  const bytes = Buffer.from(written({ events: list, sentAt: new Date(now).toISOString() }, shape))
  const idPlaces: number[] = []
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + MARK.length)) idPlaces.push(at)
  return { bytes, events, idPlaces }
}

function titleOf(title: string, shape: Shape): string {
  if (shape !== 'russian' && shape !== 'escaped') return title
  return title.replace(/[a-z]/g, (letter) => String.fromCharCode(0x430 + letter.charCodeAt(0) - 97))
}

function written(request: object, shape: Shape): string {
  switch (shape) {
    case 'indented':
      return JSON.stringify(request, null, 2)
    case 'spaced':
      return JSON.stringify(request).replaceAll('":', '": ').replaceAll(',"', ', "').replaceAll('},{', '}, {')
    case 'escaped':
      return JSON.stringify(request)
        .replaceAll('/', '\\/')
        .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    default:
      return JSON.stringify(request)
  }
}

/** Gives every event of a body a new insertId. */
export function renewIds(body: RequestBody, unique: number): void {
  const text = unique.toString(36).padStart(MARK.length, '0')
  for (const place of body.idPlaces) body.bytes.write(text, place, 'latin1')
}
