// Evidence: 70 % of those who search on a phone call a business by a tap, and 47 % go on to another one if
// they cannot (Google and Ipsos 2013). Admitted because one file shows the number, where it stands, and that
// it is no link, and the names of files tell which of them is the header of all pages.

import { isInFrame } from '../page/actions.js'
import { isHome } from '../page/page-paths.js'
import { above, given, type PageElement, type PageTree, textsIn } from '../page/tree.js'
import {
  addressOf,
  type ContactText,
  isConditional,
  keyOf,
  linksAround,
  mailsIn,
  nameIn,
  numbersIn,
} from './contact-texts.js'
import { quoted } from './place-words.js'
import type { ProposalRule } from './rule.js'
import { isReadableLink, isWritten, linkStyle } from './ways.js'

const PLACES =
  /contact|kontakt|contato|contacto|contatt|iletisim|location|footer|header|top-?bar|find-?us|visit|impress|home|index|hero/i
const OF_CONTACT = /contact|kontakt|contato|contatt|iletisim|footer/i
const IS_LINK = /^(a|button|label|option|\w*link)$/
const MAX_WORDS_BESIDE = 40
/** A telephone and a mobile one. More have to say whose they are. */
const MAX_UNNAMED = 2
const MAX_NUMBERS = 8

const isLinked = (element: PageElement): boolean =>
  [element, ...above(element)].some(({ name }) => IS_LINK.test(name))

/** Whether an element is a part of the page that tells how to reach the business. */
const isAround = (element: PageElement, { path }: PageTree): boolean =>
  PLACES.test(path) ||
  isHome(path) ||
  isInFrame(element) ||
  [element, ...above(element)].some(
    (one) =>
      one.name === 'address' || OF_CONTACT.test(`${given(one, 'id') ?? ''} ${given(one, 'class') ?? ''}`),
  )

/** The numbers of a line. Beside a label they stand alone: “Fax”, and below it the digits. */
const labelledIn = (value: string, label: string): string[] =>
  label.length + value.length > 2 * MAX_WORDS_BESIDE
    ? numbersIn(value)
    : numbersIn(`${label}: ${value}`).filter((one) => value.includes(one))

/** The numbers or addresses that a page shows as text in lines that say little else, each place once. */
function shownAsText(
  page: PageTree,
  found: (value: string, label: string) => string[],
  isOpen: (one: PageElement) => boolean,
): ContactText[] {
  const texts = textsIn(page.root)
  const seen = new Set<string>()
  return texts.flatMap((line, at) => {
    const { value, isPlain, parent } = line
    const said = found(value, texts[at - 1]?.value ?? '')
    const beside = value.length - said.join('').length
    const isWhole = isPlain || (said.length === 1 && beside === 0 && nameIn(page, line) !== null)
    if (said.length === 0 || beside > MAX_WORDS_BESIDE || !isWhole || isLinked(parent) || !isOpen(parent))
      return []
    return said.flatMap((one) => {
      const place = `${line.start} ${one}`
      const isNew =
        !seen.has(place) && (isPlain || /^['"`]$/.test(page.text[page.text.indexOf(one) - 1] ?? ''))
      seen.add(place)
      return isNew ? [{ said: one, line }] : []
    })
  })
}

export const contactLinks: ProposalRule = {
  ruleId: 'contact-links',
  why: 'On a phone, a number that is no link has to be remembered and typed.',
  *find({ page, bound, callingCodes, contacts, isOnPhones }) {
    const isOpen = (one: PageElement): boolean =>
      isAround(one, page) &&
      isReadableLink(page, one) &&
      isOnPhones(one) &&
      !isWritten(one, bound) &&
      !isConditional(one, page)
    const isHere = ({ said }: ContactText): boolean => contacts.isLinkedIn(page.path, keyOf(said))
    const calls = shownAsText(page, labelledIn, isOpen).filter((one) => !isHere(one))
    const mails = shownAsText(page, mailsIn, isOpen).filter((one) => !isHere(one))
    const isNew = ({ said }: ContactText): boolean => !contacts.isLinkedInFrame(keyOf(said))
    const isCall = calls.some(isNew)
    const [first] = isCall ? calls : mails.filter(isNew)
    const numbers = new Set(calls.map(({ said }) => keyOf(said)))
    const unnamed = calls.filter(({ said, line }) => !/\p{L}{3}/u.test(line.value.replace(said, '')))
    const isList = numbers.size > MAX_UNNAMED && (unnamed.length > 1 || numbers.size > MAX_NUMBERS)
    if (first === undefined || isList) return
    const style = linkStyle(page)
    const changes = linksAround(
      [...calls, ...mails],
      page,
      (said) => `<a href="${addressOf(said, callingCodes)}"${style}>`,
    )
    const { size } = isCall ? numbers : new Set(mails.map(({ said }) => keyOf(said)))
    const kind = isCall ? 'number' : 'address'
    const named = size === 1 ? quoted(first.said) : size === 2 ? `either ${kind}` : `each ${kind}`
    yield {
      mechanism: 'friction',
      name: `Let visitors ${isCall ? 'call' : 'write to'} ${named} with a tap`,
      anchor: `${first.line.parent.tag} "${first.said}"`,
      topics: ['contact', isCall ? 'phone' : 'mail', first.said],
      displayName: isCall ? 'Number as a link' : 'Address as a link',
      says: null,
      changes,
      change: isCall
        ? `a tap on ${named} calls${mails.length > 0 ? ', and one on the e-mail address writes' : ''}`
        : `a tap on ${named} opens a message to it`,
      goal: isCall ? 'call' : 'contact',
      because: isCall
        ? 'on a phone few people copy a number by hand, and some call the next business instead'
        : 'on a phone few people copy an address by hand',
      effect: isCall ? 4 : isInFrame(first.line.parent) ? 1 : 2,
    }
  },
}
