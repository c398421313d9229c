// Evidence: 70 % of those who search on a phone call a business by a tap, and 47 % go on to another one if
// they cannot (Google and Ipsos 2013). Admitted because one file shows the number, where it stands, and that
// it is no link.

import { isSampleNumber, withCallingCode } from '../lexicon/calling-code.js'
import { isInFrame } from '../page/actions.js'
import { linkWithin } from '../page/edits.js'
import { above, isInCode, type PageTree, type Text, textsIn } from '../page/tree.js'
import { quoted } from './place-words.js'
import type { ProposalRule } from './rule.js'
import { isWritten, linkStyle } from './ways.js'

/** International, or with an area code: at least two groups of digits, or the code of a country. */
const NUMBER =
  /(?<![\w+./-])(?:(?:\+\d{1,3}[\s./-]?)?(?:\(0?\d{1,5}\)|0?\d{2,5})(?:[\s./-]{1,3}\d{2,8}){1,5}|\+\d{1,3}[\s./-]?\d{8,11})(?![\w%€$]|[./-]\d)/
/** Digits in one group, if the words beside them call them a number. */
const NAMED_NUMBER =
  /(?<=(?:phone|mobile|\btel|call|handy|portable|m[oó]vil|celular|whatsapp)\w*\.?\s*:?\s*)\d{9,11}(?!\w)/i
const MAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/
const SAMPLE_MAIL = /example|domain|yourmail|email@|your@|@test/i
const PLACES =
  /contact|kontakt|contato|contacto|location|footer|header|top-?bar|find-?us|visit|impress|home|index|hero/i
const NO_CALL = /\bfax\b|\bvat\b|\biban\b|\bust\b|\bcnpj\b|\bsiret\b|\biso\b|\bnr\.|\bid\b/i
const MAX_WORDS_BESIDE = 40
/** A telephone and a mobile one. */
const MAX_NUMBERS = 2

/** The place of a number or address in a line that says little else. */
function foundIn(line: Text, form: RegExp, { text }: PageTree) {
  const { value, isPlain, start, parent } = line
  const said = form.exec(value)?.[0]
  if (said === undefined || !isPlain || value.length - said.length > MAX_WORDS_BESIDE) return null
  const at = text.indexOf(said, start)
  const isLinked = [parent, ...above(parent)].some(({ name }) =>
    /^(a|button|label|option|\w*link)$/.test(name),
  )
  return isLinked || isInCode(parent) || at < 0 ? null : { said, at, parent, text: line }
}

export const contactLinks: ProposalRule = {
  ruleId: 'contact-links',
  why: 'On a phone, a number that is no link has to be remembered and typed.',
  *find({ page, bound, callingCodes, isOnPhones }) {
    const { root, text, path } = page
    const isAround = (one: Text): boolean => PLACES.test(path) || isInFrame(one.parent)
    const texts = textsIn(root).filter((one) => isAround(one) && isOnPhones(one.parent))
    const calls = texts.flatMap((one) => {
      const isCall = !NO_CALL.test(one.value) && !isWritten(one.parent, bound)
      const found = isCall ? (foundIn(one, NUMBER, page) ?? foundIn(one, NAMED_NUMBER, page)) : null
      const digits = found?.said.replace(/\(0\)|[^\d+]/g, '') ?? ''
      const count = digits.replace('+', '').length
      return found === null || count < 9 || count > 14 || isSampleNumber(digits)
        ? []
        : [{ ...found, to: `tel:${withCallingCode(digits, callingCodes)}` }]
    })
    const [call] = calls
    const { size } = new Set(calls.map(({ to }) => to))
    // More numbers are a list of people or places.
    if (call === undefined || size > MAX_NUMBERS || /["'`{]tel:/.test(text)) return
    const mails = /mailto:/.test(text)
      ? []
      : texts.flatMap((one) => {
          const found = foundIn(one, MAIL, page)
          return found === null || SAMPLE_MAIL.test(found.said) || isWritten(one.parent, bound)
            ? []
            : [{ ...found, to: `mailto:${found.said}` }]
        })
    const style = linkStyle(page)
    const named = size === 1 ? quoted(call.said) : `either number`
    yield {
      mechanism: 'friction',
      name: `Let visitors call ${named} with a tap`,
      anchor: `${call.parent.tag} "${call.said}"`,
      topics: ['contact', 'phone', call.said],
      displayName: 'Number as a link',
      says: null,
      changes: [...calls, ...mails].flatMap(({ said, at, text: line, to }) =>
        linkWithin(line, { start: at, end: at + said.length }, `<a href="${to}"${style}>`),
      ),
      change: `a tap on ${named} calls${mails.length > 0 ? `, and one on the e-mail address writes` : ''}`,
      goal: 'call',
      because: 'on a phone few people copy a number by hand, and some call the next business instead',
      effect: 4,
    }
  },
}
