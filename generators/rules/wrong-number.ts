// Evidence: a link that calls or writes to another one than it shows cannot be meant. Admitted because one
// element says both, or one file has a link to a sample of a template and shows one number in full.

import { isSampleNumber } from '../lexicon/calling-code.js'
import { rewordAttribute } from '../page/edits.js'
import {
  type Attribute,
  attribute,
  elementsIn,
  type PageElement,
  type PageTree,
  wordsIn,
} from '../page/tree.js'
import { addressOf, digitsOf, isSampleMail, keyOf, mailsIn, numbersIn } from './contact-texts.js'
import { quoted } from './place-words.js'
import type { ProposalRule } from './rule.js'
import { isWritten } from './ways.js'

const ADDRESS = /^(tel|mailto):([^?{<$%,]*)(\?.*)?$/i
/** Numbers in full: others may be a price, a date or a part of one. */
const IN_FULL = /^\+/
const MAX_WRONG = 6
/** Shorter ones are emergency calls and codes. */
const MIN_DIGITS = 7

/** A link that leads to another number or address than the page shows. */
interface Wrong {
  link: PageElement
  href: Attribute
  leadsTo: string
  shown: string
}

/** The only number that the file says in full, without those that its links lead to. */
function onlyNumberIn({ text }: PageTree): string | null {
  const said = text.split(/["'`<>\n]/).flatMap((part) => (/tel:|\/\//.test(part) ? [] : numbersIn(part)))
  const inFull = said.filter((one) => IN_FULL.test(one))
  const [first] = inFull
  return first !== undefined && new Set(said.map(keyOf)).size === 1 ? first : null
}

/** Whether an address differs from what is shown, and by more than an extension or the code of a country. */
function isOther(shown: string, leadsTo: string): boolean {
  if (shown.includes('@')) return leadsTo.includes('@') && keyOf(shown) !== keyOf(leadsTo)
  const [one, other] = [shown, leadsTo].map((said) => said.replace(/\D/g, ''))
  if (one === undefined || other === undefined || /\p{L}/u.test(leadsTo)) return false
  if (other.length > 0 && other.length < MIN_DIGITS) return false
  return other === '' || !(one.includes(keyOf(other)) || other.includes(keyOf(one)))
}

function wrongIn(page: PageTree): Wrong[] {
  return elementsIn(page.root).flatMap((link): Wrong[] => {
    const href = attribute(link, 'href')
    const [, kind, address = ''] = href?.own == null ? [] : (ADDRESS.exec(href.value ?? '') ?? [])
    if (href === undefined || kind === undefined) return []
    const leadsTo = address.trim()
    const isCall = kind.toLowerCase() === 'tel'
    const words = wordsIn(link)
    const [shown, ...more] = isCall ? numbersIn(words) : mailsIn(words)
    if (shown !== undefined)
      return more.length > 0 || !isOther(shown, leadsTo) ? [] : [{ link, href, leadsTo, shown }]
    const isSample = isCall && isSampleNumber(digitsOf(leadsTo)) && !/\d{4}/.test(words) && !link.hasCode
    const other = isSample ? onlyNumberIn(page) : null
    return other === null ? [] : [{ link, href, leadsTo, shown: other }]
  })
}

export const wrongNumber: ProposalRule = {
  ruleId: 'wrong-number',
  why: 'The link leads to another number or address than the page shows.',
  *find({ page, bound, callingCodes, contacts }) {
    // If the other pages say the address of the link, what this one says is wrong.
    const isRight = ({ leadsTo, shown }: Wrong): boolean =>
      shown.includes('@') && contacts.filesThatSay(leadsTo) > contacts.filesThatSay(shown)
    const wrong = wrongIn(page).filter((one) => !isWritten(one.link, bound) && !isRight(one))
    const first = wrong.find(({ shown }) => !shown.includes('@')) ?? wrong[0]
    if (first === undefined || wrong.length > MAX_WRONG) return
    const changes = wrong.flatMap(
      ({ link, href, shown }) => rewordAttribute(link, href, addressOf(shown, callingCodes)) ?? [],
    )
    const isCall = !first.shown.includes('@')
    const isSample = isCall ? isSampleNumber(digitsOf(first.leadsTo)) : isSampleMail(first.leadsTo)
    const target = quoted(first.shown)
    yield {
      mechanism: 'friction',
      name: isCall
        ? `Let the link call ${target}, the number that the page shows`
        : `Let the link write to ${target}, the address that the page shows`,
      anchor: `${first.link.tag} "${wordsIn(first.link)}"`,
      topics: ['contact', isCall ? 'phone' : 'mail', first.shown],
      displayName: isCall ? 'Number as shown' : 'Address as shown',
      says: null,
      changes,
      change: `a tap ${isCall ? 'calls' : 'writes to'} ${target}, as the page says, ${first.leadsTo === '' ? 'instead of no one' : `and not ${quoted(first.leadsTo)}`}`,
      goal: isCall ? 'call' : 'contact',
      because: isSample
        ? 'the link has the sample of a template, which reaches no one'
        : 'one of the two is a mistake, and visitors expect the one that they read',
      effect: 5,
    }
  },
}
