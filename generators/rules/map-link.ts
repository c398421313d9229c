// Evidence: 76 % of those who search on a phone for something nearby visit a business within a day (Google
// 2016), and on the way they need directions. Admitted because one file shows the address and that it is no
// link, and the imports of the page show that it has no map.
import { isAddress, isLine, labelLength, withoutName } from '../lexicon/address.js'
import { isInFrame } from '../page/actions.js'
import { linksWithin, type PageChange } from '../page/edits.js'
import { isHome } from '../page/page-paths.js'
import { isEntry } from '../page/reach.js'
import {
  above,
  collapsed,
  isInCode,
  type PageElement,
  type PageTree,
  type Text,
  textsIn,
  wordsIn,
} from '../page/tree.js'
import { quoted } from './place-words.js'
import type { ProposalRule } from './rule.js'
import { isReadableLink, isWritten, linkStyle, type Way } from './ways.js'

const PLACES =
  /contact|kontakt|contato|contatti|dove-?siamo|iletisim|location|standort|anfahrt|address|footer|header|top-?bar|find-?us|visit|home|index|hero/i
/** Addresses of customers, and texts in which an address is news or law. */
const OF_OTHERS =
  /invoice|receipt|order|check-?out|cart|profile|account|ship|deliver|legal|blog|news|team|career|calendar|event|email/i
/** Pages on which people look for the way, and files that stand around all pages. */
const FOR_ALL =
  /about|[uü]ber-?uns|chi-?siamo|over-?ons|^o-nas$|hakkimizda|layout|(^|[/_])app$|^(main|root)$/i
/** Lines of law. */
const LEGAL =
  /©|&copy;|\(c\)|copyright|all rights?\b|alle rechte|tutti i diritti|tous droits|wszelkie prawa|tüm hakları|\bkvk\b|\bbtw\b|\bnip\b|\bregon\b|vergi (no|dairesi)|todos (los|os) d|\bp(art(ita)?)?\.? ?iva\b|tax (id|number)|umsatzsteuer|\bvat\b|\bust\b|\bsiret\b|\bcnpj\b|\bn\.?i\.?f\b|\bhrb\b|\bregistered (office|in)\b|\b(company|registration) (no|number)\b/i
/** Companies by their form, which stand in such lines. */
const COMPANY =
  /\b(gmbh|mbh|ug|kg|ohg|ltd|llc|inc|plc|s\.? ?r\.? ?l|s\.? ?p\.? ?a|s\.?n\.?c|s\.? ?l|sarl|sas|eurl|b\.?v|pty|ltda|lda)\b\.?(?!\p{L})/iu
const MAX_LINE = 250
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

/** Whether the address stands in a line of law: beside a copyright, the number of a tax, or a company. */
function isLegal({ texts: [first] }: Found): boolean {
  if (first === undefined) return false
  const { parent, value } = first
  const lines = [parent, ...above(parent)].slice(0, 3).map(wordsIn)
  return COMPANY.test(value) || lines.some((line) => line.length < MAX_LINE && LEGAL.test(line))
}

/** Whether the page is one of many that each have a frame of their own, and none for the way. */
function isDeep({ path, dialect }: PageTree, ways: readonly Way[]): boolean {
  const bare = path.replace(/(\/(index|\+?page))?\.\w+$/i, '').replace(/^.*\//, '')
  const depth = (one: string): number => one.split('/').length
  const isFirst = /(^|\/)index\.html?$/i.test(path) && ways.every((one) => depth(one.path) >= depth(path))
  const isPlace = isHome(path) || isFirst || PLACES.test(bare) || FOR_ALL.test(bare)
  return isEntry(path) && !isPlace && (dialect !== 'html' || ways.some((one) => one.path !== path))
}

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
    return linksWithin({ ...first, end: last.end }, [{ start, end: last.end, opening }])
  })
}

export const mapLink: ProposalRule = {
  ruleId: 'map-link',
  why: 'An address that is no link has to be copied into a map by hand.',
  *find({ page, bound, ways, hasMapBeside, comesToCustomers, isOnPhones }) {
    const { path } = page
    if (
      comesToCustomers ||
      OF_OTHERS.test(path) ||
      isDeep(
        page,
        ways.filter(({ kind }) => kind === 'own'),
      ) ||
      hasMapBeside(path)
    )
      return
    const addresses = addressesIn(page).filter((found) =>
      found.texts.every(
        (one) =>
          !isLegal(found) &&
          one.isPlain &&
          !isLinked(one.parent) &&
          !isInCode(one.parent) &&
          isReadableLink(page, one.parent) &&
          isOnPhones(one.parent) &&
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

/** Without what stands before the street and may be the name of a business. */
const directionsTo = (address: string): string =>
  `https://www.google.com/maps/dir/?api=1&destination=${encodeURIComponent(
    withoutName(address)
      .replace(/\s*[|•·]\s*/g, ', ')
      .replace(/\s*\([^()]*\)$/, ''),
  )
    .replace(/%20/g, '+')
    .replace(/'/g, '%27')}`
