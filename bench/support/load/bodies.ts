import { seededRandom } from '../random.js'

export interface RequestBody {
  readonly bytes: Buffer
  readonly events: number
  /** Byte offsets of the twelve variable characters of each insertId. */
  readonly idOffsets: readonly number[]
}

const ID_PLACEHOLDER = '@@@@@@@@@@@@'

/**
 * How a client serializes the same request: compact like JSON.stringify; indented; with spaces after colons
 * and commas like Python; with Russian titles; with non-ASCII characters and slashes escaped like PHP.
 */
export const SHAPES = ['compact', 'indented', 'spaced', 'russian', 'escaped'] as const
export type Shape = (typeof SHAPES)[number]

/** A request of events of about 350 bytes: ten properties each, and nine in ten have an insertId. */
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
      title: titleOf(`${word(5)} ${word(7)}`, shape),
    },
  }))
  const bytes = Buffer.from(serialize({ events: list, sentAt: new Date(now).toISOString() }, shape))
  const idPlaces: number[] = []
  for (
    let at = bytes.indexOf(ID_PLACEHOLDER);
    at >= 0;
    at = bytes.indexOf(ID_PLACEHOLDER, at + ID_PLACEHOLDER.length)
  )
    idPlaces.push(at)
  return { bytes, events, idOffsets: idPlaces }
}

function titleOf(title: string, shape: Shape): string {
  if (shape !== 'russian' && shape !== 'escaped') return title
  return title.replace(/[a-z]/g, (letter) => String.fromCharCode(0x430 + letter.charCodeAt(0) - 97))
}

function serialize(request: object, shape: Shape): string {
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
  const text = unique.toString(36).padStart(ID_PLACEHOLDER.length, '0')
  for (const place of body.idOffsets) body.bytes.write(text, place, 'latin1')
}
