import { insertAt, removeWith } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, besides, type Element, elementsIn, given, isInCode, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, isButton, isHeading, labelOf, lineBreakBefore, sourceOf } from '../../surface.js'
import { commitButton, goalOf, goalOfWay, inFrame } from '../evidence/repeat-beside.js'
import { SECONDARY } from './default-choice.js'

export function* sections(view: View): Generator<Idea> {
  yield* mainButtonFirst(view)
  yield* componentsEarlier(view)
  yield* askAgain(view)
}

const LONGEST = 5_500

/** What a section is called: its component's name, its id, and where it is none of a component's, the words of its heading. */
const named = (element: Element): string => {
  const isComponent = /^[A-Z]|^[a-z]+-/.test(element.tag)
  const heading = isComponent ? undefined : elementsIn(element).find(isHeading)
  return `${isComponent ? element.tag : ''} ${given(element, 'id') ?? ''} ${heading === undefined ? '' : wordsIn(heading)}`
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/-/g, ' ')
    .replace(/\s+/g, ' ')
}

const VOICES =
  /\b(testimonials?|reviews|customers|clients|logos|(?:customer|client) (?:stories|logos|reviews)|partners|partenaires|sponsors|t[eé]moignages?|trusted|quotes?|stories|kundenstimmen|referenzen|opiniones|speak about us|they speak|as seen|press|(?:customers?|clients?|users?|people|they) (?:are )?sa(?:y|id|ying)|parlent de nous)\b/i
const PRICES = /\b(pricing|prices?|plans|tarifs?|preise|precios)\b/i
const HOW =
  /\b(how (it|this) works|how to start|so funktioniert|comment ça marche|cómo funciona|how it works section|process|steps)\b/i
const OPENING =
  /\b(hero|banner|intro|introduction|header|head|nav|navbar|masthead|jumbotron|announcement|head slice|slider|carousel)\b/i
const CLOSING = /\b(footer|cta|call to action|newsletter|contact|bottom)\b/i

/** Pages whose sections somebody has put in an order for everybody. */
const ASIDE = /(^|[/_.-])(admin|dashboard|account|settings|docs?|blog|legal|privacy|terms|components?\/ui)/i

interface Earlier {
  is: RegExp
  name: string
  effect: number
  mechanism: 'proof' | 'order' | 'clarity'
  pattern: string
  least: number
  audience: string
  because: string
}

const EARLIER: readonly Earlier[] = [
  {
    is: VOICES,
    name: 'what others say',
    effect: 4,
    mechanism: 'proof',
    pattern: 'voices-earlier',
    least: 3,
    audience: 'visitors who do not know the product yet',
    because: 'many never come as far down as it stands now',
  },
  {
    is: PRICES,
    name: 'the prices',
    effect: 3,
    mechanism: 'order',
    pattern: 'prices-earlier',
    least: 2,
    audience: 'visitors who come to compare',
    because: 'what it costs is what many look for first, and now they have to scroll for it',
  },
  {
    is: HOW,
    name: 'how it works',
    effect: 3,
    mechanism: 'clarity',
    pattern: 'how-earlier',
    least: 2,
    audience: 'visitors who do not know yet what is asked of them',
    because: 'who sees the few steps there are is readier to take the first',
  },
]

const BACKERS = /\b(logos|partners|partenaires|sponsors|clients|trusted)\b/i

const shortName = (name: string): string => (name.length > 50 ? `${name.slice(0, 49)}…` : name)

/** Words that stand in for others that have still to be written. */
const PLACEHOLDER =
  /lorem ipsum|dolor sit amet|behind the word mountains|blind texts|your (text|content) here/i
export const isPlaceholder = (element: Element): boolean => PLACEHOLDER.test(wordsIn(element))

/** What is passed by, by the headings that visitors see. */
function listOf(passed: readonly Element[]): string {
  const names = passed
    .map((one) => elementsIn(one).find(isHeading))
    .flatMap((heading) => (heading === undefined ? [] : shortName(wordsIn(heading))))
    .filter((one) => one !== '')
  const many = passed.length === 1 ? 'the section above it' : `the ${passed.length} sections above it`
  return names.length === 0
    ? many
    : `${many} (“${names.slice(0, 3).join('”, “')}”${names.length < passed.length || names.length > 3 ? ', …' : ''})`
}

const isBlock = (element: Element): boolean =>
  /^[A-Z]|^[a-z]+-/.test(element.tag) ||
  (/^(section|article)$/.test(element.tag) && wordsIn(element).length > 20)

/** Where the opening ends, as a place in the row: what stands before the row may be it. */
function openingOf(row: readonly Element[], parent: Element): number | null {
  const own = row.findLastIndex((one, index) => index <= 3 && OPENING.test(named(one)))
  if (own >= 0) return own
  const [first] = row
  const before = [parent, ...above(parent)]
    .slice(0, 3)
    .flatMap((one) => besides(one).filter((other) => other.end <= (first?.start ?? 0)))
  const isGiven = parent.attributes.some(({ name }) => /^hero/i.test(name))
  return isGiven || before.some((one) => OPENING.test(named(one))) ? -1 : null
}

/**
 * Sections of a page: those in which others speak, the prices, or how it works come right after its opening. Writes no text. Not where they stand there already, nor
 * for pages of which no part is an opening.
 */
function* componentsEarlier(view: View): Generator<Idea> {
  const { page } = view
  const seen = new Set<Element>()
  if (ASIDE.test(page.path)) return
  for (const element of elementsIn(page.root)) {
    const parent = element.parent
    if (parent === null || seen.has(parent) || !isBlock(element)) continue
    seen.add(parent)
    // What code shows or leaves out stays where it is.
    const row = besides(element).filter(({ tag }) => tag !== '#code')
    if (row.filter(isBlock).length < 4 || row.filter(isBlock).length < row.length - 2) continue
    const opening = openingOf(row, parent)
    if (opening === null) continue
    for (const { is, name, effect, mechanism, pattern, least, audience, because } of EARLIER) {
      const at = row.findIndex((one, index) => index > opening && isBlock(one) && is.test(named(one)))
      const section = row[at]
      // Who is trusted keeps its place before everything else.
      const isProven = mechanism !== 'proof' && VOICES.test(named(row[opening + 1] ?? parent))
      const from = isProven ? opening + 1 : opening
      const second = row[from + 1]
      if (section === undefined || second === undefined || at - from < least || second === section) continue
      if (CLOSING.test(named(section)) || section.end - section.start > LONGEST) continue
      if (second.end - second.start > LONGEST || !isBlock(second)) continue
      const gap = lineBreakBefore(page, section)
      if (isPlaceholder(section)) continue
      const heading = elementsIn(section).find(isHeading)
      const own = shortName(heading === undefined ? '' : wordsIn(heading))
      const kind = BACKERS.test(named(section)) ? 'who stands behind it' : name
      const passed = row.slice(from + 1, at).filter(isBlock)
      yield {
        mechanism,
        pattern,
        name: `Show ${kind} right after the opening${own === '' ? '' : `: “${own}”`}`,
        anchor: anchorOf(section, section.tag === 'section' ? named(section).trim() : section.tag),
        topics: ['sections', 'home', mechanism === 'proof' ? 'social proof' : name, named(section).trim()],
        arms: [
          {
            name: `${kind.charAt(0).toUpperCase()}${kind.slice(1)} second`,
            changes: [
              insertAt(second.start, sourceOf(page, section) + (gap || ' '), second),
              removeWith(gap, section),
            ],
            says: null,
          },
        ],
        audience,
        change: `showing ${kind} before ${listOf(passed)}`,
        because,
        goal: mechanism === 'order' ? 'purchase' : goalOf(view),
        effect,
      }
    }
  }
}

/**
 * A page that asks once, at its top, and ends without asking again: its own button stands once more at the end of the last section. Not on short pages, nor
 * where the last section has a button or a form.
 */
function* askAgain(view: View): Generator<Idea> {
  const { page, forms } = view
  const button = commitButton(view)
  if (button === null || forms.length > 0 || given(button, 'id') !== null) return
  const label = labelOf(button)
  const all = [...elementsIn(page.root)]
  const sectionsOf = blocksOf(all)
  const last = sectionsOf.at(-1)
  if (label === null || last === undefined || sectionsOf.length < 4 || last.start < button.end) return
  if (isInCode(last) || [...elementsIn(last)].some((one) => isButton(one))) return
  const others = all.filter(
    (one) =>
      one !== button && isButton(one) && bare(wordsIn(one)) === bare(label.value) && one.start > button.end,
  )
  if (others.some((one) => one.start > (sectionsOf[1]?.start ?? 0))) return
  const holder = last.children.findLast((one): one is Element => one.kind === 'element' && !isHeading(one))
  if (holder === undefined || holder.end - holder.start > LONGEST) return
  const source = sourceOf(page, button)
  if (source.length > 800) return
  const gap = lineBreakBefore(page, holder)
  yield {
    mechanism: 'friction',
    pattern: 'ask-again-at-end',
    name: `Ask again at the end of the page: “${label.value}”`,
    anchor: anchorOf(last),
    topics: ['call to action', 'sections', label.value],
    arms: [
      {
        name: `“${label.value}” once more`,
        changes: [insertAt(holder.end, (gap || ' ') + source, holder)],
        says: label.value,
      },
    ],
    audience: 'visitors who read the page to its end',
    change: `showing its own button “${label.value}” once more at the end of the last section`,
    because: 'who is convinced at the end need not go back up to act',
    goal: goalOf(view),
    effect: 3,
  }
}

/** The parts that a page falls into: its sections, or the most parts beside each other that each have a heading or many words. */
function blocksOf(all: readonly Element[]): Element[] {
  const isPart = (one: Element): boolean => wordsIn(one).length > 80 && !inFrame(one)
  const own = all.filter(
    (one) => one.tag === 'section' && isPart(one) && ![...above(one)].some(({ tag }) => tag === 'section'),
  )
  if (own.length >= 4) return own
  const rows = all
    .filter(({ tag }) => /^(div|main|body|)$/.test(tag))
    .map((one) =>
      one.children.filter(
        (child): child is Element =>
          child.kind === 'element' &&
          child.tag === 'div' &&
          isPart(child) &&
          elementsIn(child).some(isHeading),
      ),
    )
  return rows.sort((a, b) => b.length - a.length)[0] ?? []
}

/** How the opening tag of a button says that it is the quieter one. */
const QUIET =
  /\b(?:variant|priority|color|kind)\s*[=:]\s*\{?["'](?:outline|secondary|ghost|tertiary|light|text|link|alternative)["']|\bbtn-(?:outline-\w+|secondary|light|link|ghost)\b|\boutline\b(?=[\s/>])/

export const isQuiet = (page: View['page'], { start }: Element): boolean =>
  QUIET.test(page.text.slice(start, page.text.indexOf('>', start) + 1))

/**
 * Two ways on beside each other in an opening, of which the quieter one stands first: the main one comes first. Writes no text. Not in dialogs and forms,
 * where what calls things off stands where the site has it everywhere.
 */
function* mainButtonFirst(view: View): Generator<Idea> {
  const { page } = view
  for (const first of elementsIn(page.root)) {
    if (!isWayOn(first) || first.parent === null || inFrame(first)) continue
    const row = besides(first).filter(isWayOn)
    const [one, second, ...more] = row
    if (one !== first || second === undefined || more.length > 0) continue
    if (!isQuiet(page, first) || isQuiet(page, second) || wordsIn(second) === '' || wordsIn(first) === '')
      continue
    if (
      [...above(first)].some(
        ({ tag }) => /^(form|dialog|modal|.*dialog.*|.*modal.*)$/i.test(tag) || /\.form$/i.test(tag),
      )
    )
      continue
    if (SECONDARY.test(bare(wordsIn(first)))) continue
    const opening = [...above(first)].find((outer) =>
      OPENING.test(`${named(outer)} ${given(outer, 'class') ?? ''}`),
    )
    if (
      opening === undefined &&
      !OPENING.test(page.path.replace(/[/_.-]/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2'))
    )
      continue
    yield {
      mechanism: 'order',
      pattern: 'main-button-first',
      name: `Put “${wordsIn(second)}” before “${wordsIn(first)}”`,
      anchor: anchorOf(second),
      topics: ['call to action', 'button', 'hero', wordsIn(first), wordsIn(second)],
      arms: [
        {
          name: `“${wordsIn(second)}” first`,
          changes: [
            { start: first.start, end: first.end, text: sourceOf(page, second), unit: first },
            { start: second.start, end: second.end, text: sourceOf(page, first), unit: second },
          ],
          says: null,
        },
      ],
      audience: 'visitors who see the opening of the page',
      change: `placing the main button “${wordsIn(second)}” before the quieter “${wordsIn(first)}”`,
      because: 'what is read first, and comes first on a phone, is pressed more often',
      goal: goalOfWay(second),
      effect: 3,
    }
    return
  }
}

export const isWayOn = (element: Element): boolean =>
  isButton(element) || (/^(a|link)$/i.test(element.tag) && given(element, 'href') !== null)
