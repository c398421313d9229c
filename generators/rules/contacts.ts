import { MAIL } from '../lexicon/mail-address.js'
import { keyOf } from './contact-texts.js'

const LINKED =
  /(?:["'`{=]\s*tel:|wa\.me\/|[?&]phone=)\s*(\+?[\d\s()./-]{7,20}\d)|\bmailto:([\w.+-]+@[\w.-]+\w)/g
const MAILTO = /mailto:[^"'`\s?)]*/g
/** `tel:${phone}`, `'tel:' + phone`, `tel:{phone}` */
const COMPUTED = /\b(tel|mailto):(?:\$?\{|["'`]\s*\+|["'`]\s*\.concat)/g
/** Files that are shown above or below all pages. */
const IS_HEADER = /header|nav(bar|igation|ig)?\b|top-?bar|(^|\/)(_?layout|_app|app)\.\w+$/i
const IS_FOOTER = /footer/i

/** The numbers and addresses that links of a site use, file by file. */
export class Contacts {
  readonly #linked = new Map<string, ReadonlySet<string>>()
  readonly #said = new Map<string, number>()

  add(path: string, text: string): void {
    const keys = [...text.matchAll(LINKED)].map(([, number, mail]) => keyOf(number ?? mail ?? ''))
    const computed = [...text.matchAll(COMPUTED)].map(([, kind = '']) => kind)
    const mails: readonly string[] = text.replace(MAILTO, ' ').match(MAIL) ?? []
    for (const key of new Set(mails.map(keyOf))) this.#said.set(key, this.filesThatSay(key) + 1)
    if (keys.length + computed.length > 0) this.#linked.set(path, new Set([...keys, ...computed]))
  }

  /** Whether a file has a link to a number or address, or links that code computes. */
  isLinkedIn(path: string, key: string): boolean {
    const keys = this.#linked.get(path)
    return keys?.has(key) === true || keys?.has(key.includes('@') ? 'mailto' : 'tel') === true
  }

  /** The number of files that say an address in words. */
  filesThatSay(mail: string): number {
    return this.#said.get(keyOf(mail)) ?? 0
  }

  /** Whether the header of all pages has such a link. For an address the footer is enough. */
  isLinkedInFrame(key: string): boolean {
    const isFrame = (path: string): boolean =>
      !/\.html?$/i.test(path) && (IS_HEADER.test(path) || (key.includes('@') && IS_FOOTER.test(path)))
    return [...this.#linked.keys()].some((path) => isFrame(path) && this.isLinkedIn(path, key))
  }
}
