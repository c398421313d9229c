import { isInternational } from '../lexicon/calling-code.js'
import { MAIL } from '../lexicon/mail-address.js'
import { wordsOf } from '../lexicon/words.js'
import { withoutWords } from '../page/message-links.js'

/**
 * `tel:` with a number, also with a code of a country before it, `mailto:` with an address, a chat beside the
 * name of its service, or a map of a place, that the text says in words.
 */
export function isSpelled(given: string, text: string): boolean {
  const address = withoutWords(given)
  const place = MAP.exec(address)?.[1]
  if (place !== undefined) return isPlaceIn(text, new URLSearchParams(`of=${place}`).get('of') ?? '')
  const chat = /^https:\/\/wa\.me\/(\d+)$/.exec(address)?.[1]
  if (chat !== undefined) return /whats ?app/i.test(text) && isSpelled(`tel:+${chat}`, text)
  const [, kind, value = ''] = /^(tel|mailto):([+\w.@-]+)$/.exec(address) ?? []
  const mails: readonly string[] = text.match(MAIL) ?? []
  if (kind === 'mailto') return mails.includes(value) && !/%0[ad]/i.test(given)
  const digits = (said: string): string => said.replace(/\(0\)|[^\d+]/g, '')
  // Two numbers with a slash between them, as in `(81) 995 44 13 68 / (81) 986 11 39 70`.
  const parted = text.replaceAll(' / (', ' | (')
  const numbers = kind === 'tel' ? [text, parted].flatMap((one) => one.match(NUMBERS) ?? []).map(digits) : []
  return numbers.some((one) => one === value || isInternational(value, one))
}
const MAP =
  /^https:\/\/www\.google\.com\/maps\/(?:dir\/\?api=1&destination|search\/\?api=1&query)=([\w.+%-]+)$/
const MIN_PLACE_WORDS = 3

/** Whether the words of a place follow each other in the file, whatever tags stand among them. */
function isPlaceIn(text: string, place: string): boolean {
  const said = wordsOf(place)
  const shown = wordsOf(text.replace(/<[^<>]*>/g, ' ')).join(' ')
  return said.length >= MIN_PLACE_WORDS && ` ${shown} `.includes(` ${said.join(' ')} `)
}
export const NUMBERS = /[+(]?\d[\d\s()./-]{6,20}\d/g
