import { insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, besides, type Element, elementsIn, given, isInCode, wordsIn } from '../../markup/tree.js'
import {
  anchorOf,
  cutAt,
  isButton,
  isField,
  isHeading,
  isLink,
  lineBreakBefore,
  sourceOf,
} from '../../surface.js'
import { dressOf } from '../layout/dress.js'
import { isStartPage, opensSite } from '../opening/hero.js'

/** What leads out of the site before one has come to what it is there for. */
export function* outward(view: View): Generator<Idea> {
  yield* networksBelowAct(view)
  yield* partnersBelowContact(view)
}

const hrefOf = (one: Element): string => given(one, 'href') ?? given(one, 'to') ?? ''

const NETWORKS =
  /^https?:\/\/([\w-]+\.)*(instagram|facebook|pinterest|tiktok|youtube|linkedin|twitter|x|threads|snapchat)\.(com|net)\b/i
const FRAME = /foot|nav|header|top-?bar|menu|sidebar/i
/** The site counts these itself: they are what it wants. */
const COUNTED = /gtag|dataLayer|track|analytics|plausible|umami|posthog|data-(event|ga|gtm)/i

const isFramed = (element: Element): boolean =>
  [element, ...above(element)].some((one) =>
    FRAME.test(`${one.tag} ${given(one, 'class') ?? ''} ${given(one, 'id') ?? ''}`),
  )

/** Boxes that hold links to networks and nothing else. */
function networkRows({ page }: View): Element[] {
  return elementsIn(page.root).filter((box) => {
    if (!/^(div|ul|p)$/.test(box.tag) || isInCode(box) || wordsIn(box).length > 40) return false
    const links = elementsIn(box).filter(isLink)
    if (links.length < 2 || links.length > 6 || isFramed(box)) return false
    const holdsMore = elementsIn(box).some(
      (one) => isHeading(one) || isField(one) || (isButton(one) && !isLink(one)),
    )
    // Of boxes in each other the inner one.
    const isOuter = box.children.some(
      (one) => one.kind === 'element' && elementsIn(one).filter(isLink).length === links.length,
    )
    return !holdsMore && !isOuter && links.every((one) => NETWORKS.test(hrefOf(one)))
  })
}

/** Space on the side on which what stands above is now. */
const turned = (source: string): string =>
  source
    .replace(
      /^(<[^>]*\bstyle="[^"]*?margin:\s*)0 0 ([\d.]+[a-z]+) 0(?=[;"])/,
      (_, before, space) => `${before}${space} 0 0 0`,
    )
    .replace(/^(<[^>]*?[\s"])mb-(\d+)(?=[\s"][^>]*>)/, (_, before, space) => `${before}mt-${space}`)

/**
 * A start page that shows its networks before its first button: they stand below it. Writes no text. Not where they stand in a bar or a footer, where the site counts who presses them, nor
 * where the button stands in another part.
 */
function* networksBelowAct(view: View): Generator<Idea> {
  const { page } = view
  if (!opensSite(page.path) && !isStartPage(page.path)) return
  const [row] = networkRows(view)
  if (row === undefined || row.parent === null || COUNTED.test(page.text.slice(row.start, row.end))) return
  const ways = elementsIn(page.root).filter(
    (one) => (isLink(one) || isButton(one)) && !isFramed(one) && !elementsIn(row).includes(one),
  )
  const [act] = ways
  if (act === undefined || act.start < row.end || act.parent !== row.parent) return
  const isOwn = isButton(act) && isLink(act) && /^(?!#|https?:|\/\/|tel:|mailto:|$)/.test(hrefOf(act))
  if (!isOwn || wordsIn(act) === '') return
  const gap = lineBreakBefore(page, row)
  const says = wordsIn(act)
  yield {
    mechanism: 'order',
    pattern: 'networks-below-act',
    name: `Show “${cutAt(says, 60)}” before the links to other networks`,
    anchor: anchorOf(row, `networks ${says}`),
    topics: ['hero', 'call to action', 'social media', 'button', says],
    arms: [
      {
        name: `Networks below “${cutAt(says, 50)}”`,
        changes: [
          { start: row.start - gap.length, end: row.end, text: '', unit: row.parent },
          insertAt(act.end, (gap || ' ') + turned(sourceOf(page, row)), row.parent),
        ],
        says: null,
      },
    ],
    audience: 'visitors who see the opening of the start page',
    change: `placing the row of links to other networks below “${says}”, and not above it, where they are the first thing to press,`,
    because: 'who is led out of the site by the first thing on it seldom comes back to what it is there for',
    goal: 'click',
    when: `“${says}” in the opening is pressed, in all variants`,
    effect: 3,
  }
}

const PARTNERS =
  /\b(partner\w*|kooperation\w*|empfehlungen|befreundete|links|freunde|sponsor\w*|unterstützer|partenaires?|amis|colaboradores|amigos|friends)\b/iu
const CONTACT = /^(kontakt\w*|contact\w*|contáct\w*|anfahrt|get in touch|so erreichst du mich|anfrage\w*)\b/iu

const isSection = (one: Element): boolean => /^(section|div|article)$/.test(one.tag)
const headingOf = (one: Element): string => {
  const first = elementsIn(one).find(isHeading)
  return first === undefined ? '' : wordsIn(first)
}

/**
 * A part that names partners, and leads only to their sites, right before the contact: the contact comes first. Writes no text. Not where the two look differently, as what stands around
 * them goes by that, nor where the partners vouch for who is to be contacted.
 */
function* partnersBelowContact({ page }: View): Generator<Idea> {
  for (const section of elementsIn(page.root)) {
    if (!isSection(section) || isInCode(section)) continue
    const heading = headingOf(section)
    if (heading === '' || heading.length > 50 || !PARTNERS.test(heading)) continue
    const row = besides(section)
    const next = row[row.indexOf(section) + 1]
    if (next === undefined || !isSection(next)) continue
    const links = elementsIn(section).filter(isLink)
    const leadsOut = links.length >= 2 && links.every((one) => /^https?:\/\//.test(hrefOf(one)))
    if (!leadsOut || elementsIn(section).some((one) => isButton(one) || isField(one))) continue
    const isContact =
      CONTACT.test(headingOf(next)) &&
      elementsIn(next).some((one) => /^(tel:|mailto:|https:\/\/wa\.me)/.test(hrefOf(one)) || isField(one))
    const [own, other] = [dressOf(section), dressOf(next)]
    if (!isContact || own.ground !== other.ground || own.vouches) continue
    const said = headingOf(next)
    const hasForm = elementsIn(next).some((one) => /^form$/i.test(one.tag))
    yield {
      mechanism: 'order',
      pattern: 'partners-below-contact',
      name: `Show “${cutAt(said, 40)}” before “${cutAt(heading, 50)}”`,
      anchor: anchorOf(section, heading),
      topics: ['contact', 'partners', 'section', heading, said],
      arms: [
        {
          name: `“${cutAt(heading, 40)}” below “${cutAt(said, 30)}”`,
          changes: [
            { start: section.start, end: section.end, text: sourceOf(page, next), unit: section },
            { start: next.start, end: next.end, text: sourceOf(page, section), unit: next },
          ],
          says: null,
        },
      ],
      audience: 'visitors who have read what there is',
      change: `placing “${said}” right before “${heading}”, which leads to ${links.length} other sites and to none of its own pages,`,
      because:
        'who has read all that is offered finds the way to ask for it next, and not ways out to others',
      goal: hasForm ? 'contact' : 'click',
      ...(hasForm ? {} : { when: `a link to call or to write in “${said}” is pressed, in all variants` }),
      effect: 2,
    }
    return
  }
}
