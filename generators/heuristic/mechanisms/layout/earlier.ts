import { type Change, insertAt, removeWith } from '../../edits.js'
import type { Dress, Idea, Part, View } from '../../idea.js'
import { besides, type Element, elementsIn, given, wordsIn } from '../../markup/tree.js'
import { anchorOf, isButton, isField, isHeading, lineBreakBefore, sourceOf } from '../../surface.js'
import { plain } from '../../uses.js'
import { byWeight } from '../act/ways.js'
import { commitButton, goalOf, LEADS_ON } from '../evidence/repeat-beside.js'
import { opensSite } from '../opening/hero.js'
import {
  CALL,
  CLOSING,
  HOW,
  isBlock,
  isComponent,
  isPlaceholder,
  OPENING,
  PRICES,
  partIn,
  partName,
  QUESTIONS,
  VOICES,
} from './blocks.js'
import { fits, headingOf, isOneGround, lookOfBlock, rowsIn } from './neighbours.js'

export function* earlier(view: View): Generator<Idea> {
  const { page } = view
  if (ASIDE.test(page.path)) return
  // A part’s own file says whether it can be moved, and that is not known at first.
  if (page.dialect !== 'html' && view.site === null) return
  for (const { row, parent, opening } of rowsIn(view, 4, page.dialect === 'html')) {
    for (const kind of EARLIER) yield* blockEarlier(view, row, { kind, opening, parent })
    yield* questionsAtPrices(view, row, opening)
    yield* callMidway(view, row, opening)
  }
}

/** A longer block is moved by nobody who has to read the change. */
const LONGEST = 14_000

/** Pages whose sections somebody has put in an order for everybody. */
const ASIDE =
  /(^|[/_.-])(error|404|products?(?!ion)|product-detail|cart|checkout|admin|dashboard|account|settings|docs?|blog|legal|privacy|terms|components?\/ui)/i

interface Earlier extends Pick<Idea, 'effect' | 'mechanism' | 'pattern' | 'audience' | 'because'> {
  is: RegExp
  name: string
  /** how many places it has to be late */
  least: number
}

const EARLIER: readonly Earlier[] = [
  {
    is: VOICES,
    name: 'what others say',
    // Every team thinks of it by itself, and knows better which of its voices are worth it.
    effect: 2,
    mechanism: 'proof',
    pattern: 'voices-earlier',
    least: 3,
    audience: 'visitors who do not know the product yet',
    because: 'many never come as far down as it stands now',
  },
  {
    is: PRICES,
    name: 'the prices',
    effect: 2,
    mechanism: 'order',
    pattern: 'prices-earlier',
    least: 2,
    audience: 'visitors who come to compare',
    because: 'what it costs is what many look for first, and now they have to scroll for it',
  },
  {
    is: HOW,
    name: 'how it works',
    effect: 2,
    mechanism: 'clarity',
    pattern: 'how-earlier',
    least: 3,
    audience: 'visitors who do not know yet what is asked of them',
    because: 'who sees the few steps there are is readier to take the first',
  },
]

/** People speak, each for themselves. */
const QUOTES = /\b(testimonials?|reviews|quotes|t[eé]moignages?|kundenstimmen|opiniones|sa(?:y|id|ying))\b/i

const BACKERS = /\b(logos|partners|partenaires|sponsors|clients?|trusted)\b/i

const DRAWN = /margin\w*\s*:\s*['"]?-\d|(?:^|[\s"'])-m[tby]?-\d/i

/** Where a section says itself that nobody has said it so. */
const MADE_UP =
  /\b(composite|fictional|fictitious|illustrative|not (actual|real) (clients|customers)|fiktiv\w*|beispielhaft\w*|fictifs?|fictives?|à titre d['’]exemple|ficticios?|ilustrativ\w*)\b/i

/** People and companies that examples have. */
const OF_EXAMPLES =
  /\b(Acme|Globex|Initech|Hooli|Umbrella Corp\w*|John Doe|Jane Doe|(?:Max|Erika) Mustermann|Jean Dupont|Juan Pérez)\b/

/** What stands before it now, by the headings that visitors see. */
function listOf(view: View, passed: readonly Element[]): string {
  const names = passed.map((one) => headingOf(view, one)).filter((one) => one !== '')
  const listed = names.slice(0, 3).join('”, “')
  const isAll = names.length === passed.length && names.length <= 3
  if (isAll && passed.length === 1) return `“${listed}”`
  const many = passed.length === 1 ? 'another section' : `${passed.length} other sections`
  return `${many}${names.length === 0 ? '' : ` (“${listed}”${isAll ? '' : ', …'})`}`
}

const partOf = ({ site }: View, block: Element): Part | undefined => site?.parts[plain(partIn(block).tag)]

/** Pages that tell a story, in the order that it has. */
const TELLS = /about|story|team|mission|ueber-?uns|a-propos|qui-sommes|nosotros/i
const VOUCHES =
  /\b(case stud(y|ies)|security|trust|trusted|credentials|ratings?|certifi\w*|awards?|stats|numbers|referenzen)\b/i

/** Whether a block can stand earlier as it is: no stand-in, no list of partners to be won, and on a page that opens the site. */
const isMovable = (view: View, block: Element, { mechanism, is }: Earlier): boolean => {
  const part = partOf(view, block)
  if (part?.isStandIn === true || TELLS.test(view.page.path)) return false
  if (mechanism === 'proof' && (part?.asks === true || elementsIn(block).some(isButton))) return false
  // Where nothing can be taken, nothing is compared.
  if (is === PRICES && part?.asks === false) return false
  if (is === PRICES && view.page.dialect === 'html' && !/[$€£]|\d/.test(wordsIn(block))) return false
  return view.page.dialect === 'html' || opensSite(view.page.path)
}

const size = ({ start, end }: Element): number => end - start

/** A block with all that is in it after another one of its row, `next` being the one that stands there now. */
const moved = (page: View['page'], block: Element, after: Element | undefined, next: Element): Change[] => {
  const gap = lineBreakBefore(page, block)
  const source = sourceOf(page, block)
  // What is remarked on between the two is said of the second.
  const isRemarked = after !== undefined && page.text.slice(after.end, next.start).trim() !== ''
  const place =
    after !== undefined && (isRemarked || size(after) < size(next)) && size(after) <= LONGEST
      ? insertAt(after.end, (gap || ' ') + source, after)
      : insertAt(next.start, source + (gap || ' '), next)
  return [
    { ...place, longest: LONGEST },
    { ...removeWith(gap, block), longest: LONGEST },
  ]
}

const anchored = (block: Element): string =>
  anchorOf(block, /^[a-z]+$/.test(partIn(block).tag) ? partName(block) : partIn(block).tag)

/**
 * Sections of a page: those in which others speak, the prices, or how it works come right after its opening. Writes no text. Not where they stand there already, nor
 * for pages of which no part is an opening.
 */
function* blockEarlier(
  view: View,
  row: readonly Element[],
  { kind, opening, parent }: { kind: Earlier; opening: number; parent: Element },
): Generator<Idea> {
  const { page } = view
  const { is, name, least, mechanism, pattern, audience, because, effect } = kind
  const find = (what: RegExp, after: number): number =>
    row.findIndex((one, index) => index > after && isBlock(one) && what.test(partName(one)))
  const found = find(is, opening)
  // Names of companies right after the opening stay there; what people say of it may still come late.
  const hasNames =
    mechanism === 'proof' && found === opening + 1 && BACKERS.test(partName(row[found] ?? parent))
  const at = hasNames ? find(QUOTES, found) : found
  const section = row[at]
  // Who is trusted keeps its place before everything else.
  const isProven = hasNames || (mechanism !== 'proof' && VOICES.test(partName(row[opening + 1] ?? parent)))
  // Nobody weighs a price before knowing for what: one section says so first.
  const first = opening + (isProven ? 1 : 0) + (is === PRICES ? 1 : 0)
  // Where it would not look right there, it may one section further down.
  const from = [first, first + 1].find(
    (one) => at - one >= least && fits(view, row, { at, after: one, last: opening }),
  )
  const second = from === undefined ? undefined : row[from + 1]
  if (section === undefined || from === undefined || second === undefined || second === section) return
  if (CLOSING.test(partName(section)) || size(section) > LONGEST || !isMovable(view, section, kind)) return
  // What draws the section up to the one before it belongs to it.
  const before = row[at - 1]
  if (
    before !== undefined &&
    elementsIn(before).length === 0 &&
    DRAWN.test(page.text.slice(before.start, before.end))
  )
    return
  if (mechanism === 'proof' && row.slice(from + 1, at).some((one) => isAsked(view, one))) return
  // An article is one of several, whatever it speaks of.
  if (mechanism === 'proof' && partIn(section).tag === 'article') return
  // Voices that nobody has raised are better not heard first.
  if (mechanism === 'proof' && [MADE_UP, OF_EXAMPLES].some((one) => one.test(wordsIn(section)))) return
  // Others vouch for it there already.
  if (mechanism === 'proof' && row.slice(from + 1, from + 3).some((one) => VOUCHES.test(partName(one))))
    return
  if (size(second) > LONGEST || !isBlock(second) || isPlaceholder(section)) return
  const own = headingOf(view, section)
  const isNames = BACKERS.test(partName(section)) && !QUOTES.test(`${partName(section)} ${own}`)
  const what = isNames ? 'who stands behind it' : name
  const where = placeAfter(view, row, { from, opening })
  const look = lookOfBlock(view, section)
  // Of a part of which two files have the name nobody knows how it looks where it comes to stand.
  if (isComponent(partIn(section)) && look !== null && isUnknown(look)) return
  // A call to come along is no voice, and what leads away is better passed late.
  if (mechanism === 'proof' && (INVITES.test(own) || (look?.leadsOut ?? 0) > 1)) return
  const isVouched = row.slice(0, opening + 1).some((one) => lookOfBlock(view, one)?.vouches === true)
  const act = from === undefined ? null : askedFor(view, row, { opening, from, at })
  const goal = mechanism === 'order' ? 'plan' : goalOf(view)
  // Names alone are passed by, one voice is none, an opening that vouches for itself has said it, and what nobody asks for below nobody can be seen to do.
  const isLedOn =
    page.dialect === 'html' &&
    row.slice(0, opening + 1).some((one) => (lookOfBlock(view, one)?.leads ?? []).length > 0)
  const isLittle =
    isNames ||
    (look?.voices === 1 && page.dialect !== 'html') ||
    (mechanism === 'proof' &&
      (isVouched ||
        (act === null && !leadsOn(view) && !isLedOn) ||
        isOffered(view, second) ||
        leadsTo(view, second, act)))
  // Of a page that stands in one file it is known what there is to be pressed, wherever it leads.
  const isCounted = own !== '' && (act !== null || page.dialect === 'html')
  yield {
    mechanism,
    pattern,
    name: `Show ${what} ${where}${own === '' ? '' : `: “${own}”`}`,
    anchor: anchored(section),
    topics: ['sections', 'home', mechanism === 'proof' ? 'social proof' : name, partName(section)],
    arms: [
      {
        name: `${what.charAt(0).toUpperCase()}${what.slice(1)} ${where}`,
        changes: moved(page, section, row[from], second),
        says: null,
      },
    ],
    audience,
    change: `showing ${what} ${where}, and not only after ${listOf(view, row.slice(from + 1, at))},`,
    because,
    // What the page itself asks for; what other pages do is no aim of this one.
    goal,
    when: act === null ? LEADS_ON : `any link to ${act} is pressed, wherever it stands, in all variants`,
    effect: isLittle || (mechanism === 'proof' && !isCounted) ? 1 : effect,
  }
}

/** Whether there is something to be pressed at all. */
const leadsOn = (view: View): boolean =>
  commitButton(view) !== null || (view.site?.ways ?? []).some(({ isButton: isLoud }) => isLoud)

/** What is to be had stands before what others say of it. */
const OFFERED =
  /\b(listings?|products?|catalog\w*|collections?|categor\w*|menu|shop|featured|sellers?|rooms?|apartments?|suites|villas|ferienwohnungen|wohnungen|courses?|angebote?|produkte|produits|productos|produse|zimmer|chambres|habitaciones)\b/i

const isOffered = (view: View, next: Element | undefined): boolean =>
  next !== undefined && OFFERED.test(`${partName(next)} ${headingOf(view, next)}`)

/** It would push down what leads to where more are wanted. */
const leadsTo = (view: View, next: Element | undefined, act: string | null): boolean =>
  next !== undefined && act !== null && lookOfBlock(view, next)?.leads.includes(act) === true

/** What is filled in is what the page is for: it comes no later. */
const FILLED_IN =
  /\b(form|booking|reservation|search|calculator|configurator|finder|rechner|anfrage|buchung|devis|reservas?)\b/i

const isAsked = (view: View, next: Element | undefined): boolean =>
  next !== undefined && (FILLED_IN.test(partName(next)) || partOf(view, next)?.showsField === true)

/** Where something comes to stand, as visitors see it. */
function placeAfter(
  view: View,
  row: readonly Element[],
  { from, opening }: { from: number; opening: number },
): string {
  const before = row[from]
  if (from > opening && before !== undefined) {
    const heading = headingOf(view, before)
    if (heading !== '') return `after “${heading}”`
    return from === opening + 1 ? 'one section after the opening' : 'earlier'
  }
  const shown = row.slice(0, opening + 1).filter((one) => !FRAME.test(partName(one)))
  if (shown.length <= 1) return 'right after the opening'
  const last = row[opening]
  if (last !== undefined && lookOfBlock(view, last)?.isPicture === true)
    return 'right after the opening and its picture'
  const heading = last === undefined ? '' : headingOf(view, last)
  return heading === '' ? 'earlier' : `after “${heading}”`
}

const FRAME = /\b(nav|navbar|navigation|announcement|header|top ?bar|menu)\b/i

/** Where the opening leads that something below leads to as well, or a bar: who has read so far can go there. `null` where that is not told. */
function askedFor(
  view: View,
  row: readonly Element[],
  { opening, from, at }: { opening: number; from: number; at: number },
): string | null {
  const leads = row.map((one) => lookOfBlock(view, one)?.leads ?? [])
  const below = new Set(leads.flatMap((all, index) => (index > from && index !== at ? all : [])))
  const inBars = byWeight((view.site?.ways ?? []).filter((way) => way.isFramed && way.isAlways))
  const framed = inBars.flatMap(([way]) => (way === undefined || way.label === '' ? [] : way.href))
  const wanted = leads.slice(0, opening + 1).flat()
  const [first] = wanted
  // What leads to a place of the page is better not moved away from it.
  if (first === undefined || first.startsWith('#')) return null
  const others = wanted.filter((href) => !href.startsWith('#'))
  // Else the button that goes along in the bar.
  const [button] = inBars.flatMap((ways) => ways.filter((way) => way.isButton && !way.href.startsWith('#')))
  // The button of the bar is what the site is there for.
  return (
    others.find((href) => href === button?.href) ??
    others.find((href) => below.has(href)) ??
    others.find((href) => framed.includes(href)) ??
    button?.href ??
    null
  )
}

const isUnknown = ({ heading, ground, voices, leads }: Dress): boolean =>
  heading === '' && ground === '' && voices === null && leads.length === 0

const INVITES =
  /^(join|follow|subscribe|contact|get|try|sign up|become|meet|werde|folge|mach mit|rejoi|suivez|inscri|únete|síguenos|contác)/i

/** Answers to questions that stand far from the prices, about which most of them are: they come right after these. Writes no text. */
function* questionsAtPrices(view: View, row: readonly Element[], last: number): Generator<Idea> {
  const { page } = view
  // What opens a page of prices is none of them.
  const prices = row.findLastIndex(
    (one, index) =>
      index >= last && isBlock(one) && PRICES.test(partName(one)) && !OPENING.test(partName(one)),
  )
  const at = row.findIndex((one) => isBlock(one) && QUESTIONS.test(partName(one)))
  const [questions, next] = [row[at], row[prices + 1]]
  if (prices < 0 || questions === undefined || next === undefined || at - prices < 2) return
  if (partOf(view, questions)?.isStandIn === true) return
  // Where nothing can be taken beside the prices none is taken there.
  const priced = row[prices]
  const part = priced === undefined ? undefined : partOf(view, priced)
  if (part !== undefined && !part.asks) return
  const inner = priced === undefined ? [] : elementsIn(priced)
  if (part === undefined && priced !== undefined && !isComponent(partIn(priced)) && !inner.some(isButton))
    return
  if (!fits(view, row, { at, after: prices, last })) return
  if (size(questions) > LONGEST || size(next) > LONGEST || isPlaceholder(questions)) return
  yield {
    mechanism: 'order',
    pattern: 'questions-at-prices',
    name: 'Answer questions right after the prices',
    anchor: anchored(questions),
    topics: ['sections', 'faq', 'pricing', partName(questions)],
    arms: [
      { name: 'Questions after the prices', changes: moved(page, questions, row[prices], next), says: null },
    ],
    audience: 'visitors who have seen the prices and hesitate',
    change: `showing the questions and answers right after the prices, and not only after ${listOf(view, row.slice(prices + 1, at).filter(isBlock))},`,
    because: 'doubts come up where the price is read, and are answered best there',
    goal: 'plan',
    effect: 2,
  }
}

/** What goes along with the window, and has no place among the sections. */
const FLOATS = /\b(sticky|floating|fixed|modal|popup|pop up|drawer|toast|overlay)\b/i

/** How many blocks are read before somebody is asked again, and how many more before the end asks. */
const MIDWAY = 3
const MIN_AFTER = 2

/** Whether blocks are entries of one list: of one tag and class, but for what only changes their ground, each with a heading. */
function areAlike(one: Element | undefined, other: Element | undefined): boolean {
  if (one === undefined || other === undefined) return false
  const [a, b] = [partIn(one), partIn(other)]
  const base = (block: Element): string => (given(block, 'class') ?? '').split(/\s+/)[0] ?? ''
  const isNamed = (block: Element): boolean => /^[a-z]/.test(block.tag) && elementsIn(block).some(isHeading)
  return a.tag === b.tag && base(a) !== '' && base(a) === base(b) && isNamed(a) && isNamed(b)
}

/** So many alike in a row are a list, which nothing parts. */
const MIN_LISTED = 3

function partsList(row: readonly Element[], place: number): boolean {
  if (!areAlike(row[place - 1], row[place])) return false
  let [first, end] = [place - 1, place]
  while (areAlike(row[first - 1], row[first])) first -= 1
  while (areAlike(row[end], row[end + 1])) end += 1
  return end - first + 1 >= MIN_LISTED
}

/** Whether a block has words, as far as is known: what another file shows has. */
const hasWords = (one: Element): boolean => isBlock(one) && (isComponent(partIn(one)) || saysMore(one))
const saysMore = (one: Element): boolean => wordsIn(one).length >= FEW_LETTERS
/** Names of others, or figures alone, are passed by. */
const FEW_LETTERS = 120

/** Where a copy of a call can stand: three blocks with words after the last way to act or to the same address, and two before the end. `null` where nowhere. */
function midwayIn(view: View, row: readonly Element[], opening: number, at: number): number | null {
  const looks = row.map((one) => lookOfBlock(view, one))
  const call = row[at]
  const to = new Set(looks[at]?.leads ?? [])
  const asks = (one: Element, index: number): boolean =>
    [one, ...elementsIn(one)].some(isButton) || (looks[index]?.leads ?? []).some((href) => to.has(href))
  for (let place = opening + MIDWAY + 1; place < at && call !== undefined; place++) {
    const last = row.findLastIndex((one, index) => index < place && index > opening && asks(one, index))
    const read = row.slice(Math.max(last, opening) + 1, place).filter(hasWords)
    const after = row.slice(place, at).filter(hasWords)
    if (read.length < MIDWAY || after.length < MIN_AFTER || partsList(row, place)) continue
    const own = looks[at]?.ground ?? ''
    const grounds = [looks[place - 1]?.ground ?? '', looks[place]?.ground ?? '']
    if (own !== '' && grounds.some((one) => one !== '' && isOneGround(own, one))) continue
    // What it is asked for is told before, and not after.
    if (row.slice(place, at).some((one) => HOW.test(partName(one)))) continue
    return place
  }
  return null
}

/**
 * A page that asks at its end, behind many sections: the same part stands once more in the middle. Writes no text. Not for a part with fields or ids, which would be
 * there twice, nor on pages that ask in between already, close to another way to act, in a list of blocks that are alike, beside one of its own ground, or before what
 * explains the offer.
 */
function* callMidway(view: View, row: readonly Element[], opening: number): Generator<Idea> {
  const { page } = view
  const isCall = (one: Element): boolean => CALL.test(partName(one)) && !FLOATS.test(partName(one))
  const at = row.findIndex((one, index) => index > opening && isCall(one))
  const call = row[at]
  const place = at < 0 ? null : midwayIn(view, row, opening, at)
  const before = place === null ? undefined : row[place]
  if (call === undefined || before === undefined || !isBlock(before)) return
  const part = partOf(view, call)
  if (TELLS.test(page.path) || part?.hasIds === true || part?.isStandIn === true) return
  if (size(call) > 1_800 || size(before) > LONGEST) return
  if ([call, ...elementsIn(call)].some((one) => given(one, 'id') !== null || isField(one))) return
  if (row.some((one, index) => index !== at && index > opening && CALL.test(partName(one)))) return
  const own = headingOf(view, call)
  const next = headingOf(view, before)
  yield {
    mechanism: 'friction',
    pattern: 'call-midway',
    name: `Ask once more in the middle of the page${own === '' ? '' : `: “${own}”`}`,
    anchor: anchored(call),
    topics: ['sections', 'call to action', partName(call)],
    arms: [
      {
        name: 'In the middle and at the end',
        changes: [
          {
            ...insertAt(before.start, sourceOf(page, call) + (lineBreakBefore(page, before) || ' '), before),
            longest: LONGEST,
          },
        ],
        says: null,
      },
    ],
    audience: 'visitors who are convinced before they come to the end',
    change: `showing the page’s own call to act${own === '' ? '' : ` (“${own}”)`} ${next === '' ? 'in the middle' : `before “${next}”`} too`,
    because: 'many never come to the end of a long page, where it stands now',
    // What it asks for may be on another site, or on the phone: that it is pressed, wherever it stands, all variants can show.
    goal: 'click',
    when: 'that call is pressed, wherever on the page it stands, in all variants',
    // Whether a bar or the opening asks for the same all the while is not known.
    effect: 2,
  }
}

/** Whether a page has parts of which the rest of the site says what is in them. */
export const hasParts = ({ page }: View): boolean =>
  elementsIn(page.root).some((one) => isBlock(one) && besides(one).filter(isBlock).length >= 4)
