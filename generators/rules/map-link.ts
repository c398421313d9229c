// Evidence: after a local search on a phone most people ask for directions or call (Google, Understanding
// Consumers' Local Search Behavior 2014: 67 % want directions in ads, 76 % visit within a day). Admitted
// because one file shows the address, that it is no link, and that it shows no map either.
import { isAddress, isLine, labelLength } from '../lexicon/address.js'
import { isInFrame } from '../page/actions.js'
import type { PageChange } from '../page/edits.js'
import {
  above,
  collapsed,
  isInCode,
  type PageElement,
  type PageTree,
  type Text,
  textsIn,
} from '../page/tree.js'
import { quoted } from './place-words.js'
import type { ProposalRule } from './rule.js'
import { isWritten, linkStyle } from './ways.js'

/** Another way to a map: a link, a frame, a component, or an address that code puts together. */
const HAS_MAP =
  /google\.\w+(\.\w+)?\/maps|maps\.(google|app|apple)|goo\.gl\/|g\.page\/|openstreetmap|waze\.com|yandex\.\w+\/maps|mapbox|leaflet|<(?!map-?pin|map-?marker)[\w-]*map[\s/>]|\b\w*(maps?|directions?|route)(href|url|link|src)\b|\bhref=\{[^}]*\b\w*(map|direction)/i
const PLACES =
  /contact|kontakt|contato|contatti|location|standort|anfahrt|address|footer|header|top-?bar|find-?us|visit|home|index|hero/i
/** Addresses of customers, and texts in which an address is news or law. */
const OF_OTHERS =
  /invoice|receipt|order|check-?out|cart|profile|account|ship|deliver|legal|blog|news|team|career|calendar|event|email/i
const MAX_ADDRESSES = 4
/** Characters from the first line of an address to the beginning of another one. */
const MAX_GAP = 300

/** An address in one line, or in two or three lines that follow each other. */
interface Found {
  texts: readonly Text[]
  said: string
}

const isLinked = (parent: PageElement): boolean =>
  [parent, ...above(parent)].some(({ name }) => /^(a|button|label|option|\w*link)$/.test(name))

/** The words of a text without the label before it, and where they begin. */
function bare({ start, end }: Text, { text }: PageTree): { start: number; said: string } {
  const raw = text.slice(start, end)
  const skipped = labelLength(raw)
  return { start: start + skipped, said: collapsed(raw.slice(skipped)).replace(/[\s,·–-]+$/, '') }
}

/** Whether texts stand in one element or in children of one, and close together. */
const isTogether = ([first, ...more]: readonly Text[]): boolean =>
  more.every(({ parent, start }) => {
    const around = [first?.parent, first?.parent.parent]
    return start - (first?.end ?? 0) < MAX_GAP && [parent, parent.parent].some((one) => around.includes(one))
  })

function addressesIn(page: PageTree): Found[] {
  const texts = textsIn(page.root).filter(({ value }) => /[\p{L}\d]/u.test(value))
  const found: Found[] = []
  for (let at = 0; at < texts.length; at++) {
    const lines = [3, 2, 1]
      .map((count) => texts.slice(at, at + count))
      .find((some) => {
        const said = some.map((one) => bare(one, page).said)
        const isWhole = some.length === 1 || said.every(isLine)
        return isWhole && isTogether(some) && isAddress(said.join(', '))
      })
    if (lines === undefined) continue
    found.push({ texts: lines, said: lines.map((one) => bare(one, page).said).join(', ') })
    at += lines.length - 1
  }
  return found
}

/** One link around the lines of an element, or one in each element. */
function linked({ texts }: Found, opening: string, page: PageTree): PageChange[] {
  const parents = [...new Set(texts.map(({ parent }) => parent))]
  return parents.flatMap((unit) => {
    const own = texts.filter(({ parent }) => parent === unit)
    const [first, last] = [own[0], own.at(-1)]
    if (first === undefined || last === undefined) return []
    const { start } = bare(first, page)
    return [
      { start, end: start, text: opening, unit },
      { start: last.end, end: last.end, text: '</a>', unit },
    ]
  })
}

export const mapLink: ProposalRule = {
  ruleId: 'map-link',
  why: 'An address that is no link has to be copied into a map by hand.',
  *find({ page, bound }) {
    const { path, text } = page
    if (HAS_MAP.test(text) || OF_OTHERS.test(path)) return
    const addresses = addressesIn(page).filter(({ texts }) =>
      texts.every(
        (one) =>
          one.isPlain &&
          !isLinked(one.parent) &&
          !isInCode(one.parent) &&
          !isWritten(one.parent, bound) &&
          (PLACES.test(path) || isInFrame(one.parent) || one.parent.name === 'address'),
      ),
    )
    const [first] = addresses
    if (first === undefined || addresses.length > MAX_ADDRESSES) return
    const style = linkStyle(page)
    const isSame = addresses.every(({ said }) => said === first.said)
    const named = isSame ? `the address ${quoted(first.said)}` : `the ${addresses.length} addresses`
    yield {
      mechanism: 'friction',
      name: `Open directions with a tap on ${named}`,
      anchor: `${first.texts[0]?.parent.tag ?? ''} "${first.said}"`,
      topics: ['contact', 'address', 'map', first.said],
      displayName: 'Address as a link',
      says: null,
      changes: addresses.flatMap((one) => linked(one, `<a href="${directionsTo(one.said)}"${style}>`, page)),
      change: `a tap on ${named} opens directions to it`,
      goal: 'visit',
      because: 'on a phone few people copy an address into a map, and some of them never find the way',
      effect: 3,
    }
  },
}

const directionsTo = (address: string): string =>
  `https://www.google.com/maps/dir/?api=1&destination=${encodeURIComponent(
    address.replace(/\s*\([^()]*\)$/, ''),
  )
    .replace(/%20/g, '+')
    .replace(/'/g, '%27')}`
