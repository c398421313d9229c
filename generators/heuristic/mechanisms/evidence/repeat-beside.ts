import { insertAt } from '../../edits.js'
import type { Arm, Goal, View } from '../../idea.js'
import { isUtility } from '../../markup/kits.js'
import {
  above,
  besides,
  type Element,
  elementsIn,
  given,
  isInCode,
  type Text,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import {
  classOf,
  classWord,
  hrefOf,
  isButton,
  isHeading,
  isLink,
  labelOf,
  lineBreakBefore,
  styled,
} from '../../surface.js'
import { COMMITS } from '../../words/phrases.js'
import { ANNOUNCES } from '../../words/statements.js'

/** A class or an id of the part of a page that says what it is. */
const HERO = /(^|[\s_-])(hero|banner|jumbotron|masthead|intro|landing)/i

/** What is tried once more after it has failed. */
const ANEW = /\bagain\b|retry|erneut|noch ?mal|réessay|de nouveau|de nuevo|reintent/i

/** The button that asks most of visitors: the first that buys or signs up, of those in the page's own content. */
export function commitButton({ page }: Pick<View, 'page'>): Element | null {
  for (const element of elementsIn(page.root)) {
    // What a part is given to show on its button stands nowhere by itself.
    if (!isButton(element) || isInCode(element) || page.text[element.start] !== '<') continue
    const label = labelOf(element)?.value ?? ''
    if (COMMITS.test(label) && !ANEW.test(label) && !inFrame(element)) return element
  }
  // A page that sells nothing has a main button too: the first one in the section of its title.
  const title = [...elementsIn(page.root)].find(({ tag }) => tag === 'h1')
  const hero =
    title === undefined ? undefined : [...above(title)].find((one) => [...elementsIn(one)].some(isButton))
  if (
    hero === undefined ||
    !HERO.test(`${given(hero, 'class') ?? ''} ${given(hero, 'id') ?? ''}`) ||
    wordsIn(hero).length > 600
  )
    return null
  return (
    [...elementsIn(hero)].find(
      (one) => isButton(one) && labelOf(one) !== null && !isInCode(one) && !inFrame(one),
    ) ?? null
  )
}

/** What is pressed where nothing is known of what a page wants. */
export const LEADS_ON = 'a button of the page that leads on is pressed'

/** What a page's main button is for; without one, all that is known is whether something is pressed. */
export function goalOf(view: View): Goal {
  const button = commitButton(view)
  return button === null ? 'click' : goalOfWay(button)
}

/** Documentation, code and other sites: nobody signs up there. */
const READS = /^(https?:)?\/\/|github|gitlab|(^|\/)(docs?|documentation|guides?|tutorials?|blog)(\/|$)|^#/i

/** What a button or a link is for, by its words and where it leads. */
export function goalOfWay(way: Element): Goal {
  const words = wordsIn(way)
  const href = hrefOf(way)
  if (href !== null && READS.test(href) && !/sign-?up|register|account|checkout/i.test(href)) return 'click'
  if (href !== null && /contact|mailto:/i.test(href)) return 'contact'
  if (/\b(buy|order|add to cart|checkout)|kaufen|bestell|achet|command|comprar/i.test(words))
    return 'purchase'
  return /sign ?up|register|account|join|trial|get started|start|registr|konto|inscri|compte|cuenta/i.test(
    words,
  )
    ? 'sign up'
    : 'click'
}

/** Navigation, header and footer of a site are on every page. */
export const inFrame = (element: Element): boolean =>
  [...above(element)].some(({ tag }) => /^(nav|header|footer|aside|navbar|sidebar|dialog)$/i.test(tag))

/** What a text ends with that something has to follow. */
const GOES_ON =
  /(?<!\p{L})(?:over|more than|than|nearly|almost|about|up to|by|of|for|to|with|from|in|at|the|an?|and|or|our|your|über|mehr als|als|rund|etwa|fast|bis zu|von|für|mit|bei|auf|der|die|das|den|dem|eine?[nrm]?|und|oder|plus d[e’']|de|du|des|près de|par|pour|avec|à|sur|dans|les?|la|une?|et|ou|más de|casi|hasta|por|para|con|en|el|los|las|unas?|unos|y|o)[\s:…]*$|\p{L}['’]$/iu

/** A short statement of the page: what a whole element says, in one text, and that is neither a button, a heading, nor a field's. */
export function statement(
  { page }: View,
  form: RegExp,
  orHeading = false,
): { text: Text; element: Element } | null {
  for (const text of textsIn(page.root)) {
    const element = text.parent
    if (text.value.length > 90 || !form.test(text.value)) continue
    if (
      /^(button|label|option|title|blockquote|#code|)$/i.test(element.tag) ||
      isButton(element) ||
      isLink(element)
    )
      continue
    if ((isHeading(element) && !orHeading) || isInCode(element) || labelOf(element) !== text) continue
    // What announces, or goes on in the next element, says nothing by itself.
    if (GOES_ON.test(text.value.trim())) continue
    // A heading without a figure is the name of what stands below it.
    if (isHeading(element) && (ANNOUNCES.test(text.value) || !/\d/.test(text.value))) continue
    // A question is no promise, and what is denied or limited must not lose its condition.
    if (/[?*†]|\b(not|nicht|non|unless|except|außer|sauf|excepto)\b/i.test(text.value)) continue
    return { text, element }
  }
  return null
}

/** About what one sees at once, in characters of source. */
const NEAR = 800

/** The same in letters that are read: much of a source says how something looks. */
const NEAR_READ = 160

/** Whether a text stands near a button already: what another section parts from it does not. */
export const isBeside = ({ page }: View, button: Element, text: Text): boolean =>
  textsIn(page.root).some((one) => {
    if (!one.value.includes(text.value)) return false
    const [from, to] = one.start > button.end ? [button.end, one.start] : [one.end, button.start]
    const isNear = to - from < NEAR || readBetween(page, from, to) < NEAR_READ
    return isNear && !isPartedBySection(page, from, to)
  })

/** Whether a whole section stands between two places, of a page whose styles are not its own code. */
export const isPartedBySection = ({ root, dialect }: View['page'], from: number, to: number): boolean =>
  dialect === 'html' &&
  elementsIn(root).some(
    (one) => /^(section|article)$/.test(one.tag) && one.start >= from && one.end <= to && wordsIn(one) !== '',
  )

const readBetween = ({ root }: View['page'], from: number, to: number): number =>
  textsIn(root).reduce(
    (sum, { start, end, value }) => (start >= from && end <= to ? sum + value.length : sum),
    0,
  )

/** A text by its key, as the page shows it: the same code once more. `null` where it cannot stand beside the button. */
function shownByKey(
  { text: code }: View['page'],
  { start, end, key, parent }: Text,
  button: Element,
): string | null {
  const topmost = (element: Element): Element =>
    [element, ...above(element)].find((one) => one.parent?.parent === null) ?? element
  if (key === undefined || topmost(parent) !== topmost(button)) return null
  const open = /\{{1,2}\s*[$\w.]+\(\s*$/.exec(code.slice(Math.max(0, start - 60), start))?.[0]
  const close = /^\s*\)\s*\}{1,2}/.exec(code.slice(end, end + 20))?.[0]
  return open === undefined || close === undefined ? null : open + code.slice(start, end) + close
}

/** How frameworks call what lays its children out beside each other. */
const ROW = /(^|\s)((inline-)?flex|d-(inline-)?flex|btn-group|button-group|row)(?=\s|$)/
const COLUMN = /^(?!.*:flex-row)(?=.*(^|\s)(flex-col|flex-column)(\s|$))/

/** What a line stands below: the button, the last of those beside it, or their row, in which it would be one more. `null` where the row holds other things too. */
export function lastInRow(pressed: Element): Element | null {
  // What stands in a link is a part of it.
  const button = [...above(pressed)].filter((one) => isLink(one) || isButton(one)).at(-1) ?? pressed
  const row = button.parent
  if (row === null) return null
  const all = besides(button)
  const layout = given(row, 'class') ?? ''
  // What a site's own class makes of several buttons is not known: they may stand beside each other.
  const isOwn = row.tag === 'div' && layout.trim() !== '' && all.length > 1 && all.every(isButton)
  if (!isOwn && (!ROW.test(layout) || COLUMN.test(layout))) {
    const after = all.slice(all.indexOf(button))
    const end = after.findIndex((one) => !isButton(one))
    return (end === -1 ? after.at(-1) : after[end - 1]) ?? button
  }
  const isAlone = all.every((one) => isButton(one) || isLink(one) || elementsIn(one).some(isButton))
  return isAlone && row.parent !== null && !/^(#code|)$/.test(row.parent.tag) ? row : null
}

/** Whether a line of words alone stands below already. */
export function hasLineBelow(place: Element): boolean {
  const row = besides(place)
  const next = row[row.indexOf(place) + 1]
  const words = next === undefined ? '' : wordsIn(next)
  return (
    next !== undefined &&
    /^(p|small|span|div)$/.test(next.tag) &&
    words.length > 8 &&
    words.length < 120 &&
    !elementsIn(next).some((one) => isLink(one) || isButton(one) || isHeading(one) || /^[A-Z]/.test(one.tag))
  )
}

/** Whether what is said counts, and counts few: twenty customers speak against a site. */
export function countsFew(says: string): boolean {
  if (/%|\/\s?5|★|⭐/.test(says)) return false
  const figures = [...says.matchAll(/(\d[\d.,\s]*)(k|m|tsd|mio|mill\w*)?/gi)].map(
    ([, digits = '', unit]) => Number(digits.replace(/\D/g, '')) * (unit === undefined ? 1 : 1_000),
  )
  return figures.length > 0 && Math.max(...figures) < 100
}

/** Classes that a page has for words of less weight. */
const QUIET_WORDS =
  /^(?=.*(^|\s)(text-(xs|sm)|small|fs-[67]|caption)(\s|$))(?=.*(^|\s)(text-(?:muted\S*|(?:gray|slate|zinc|neutral|stone)-\d+|\S*secondary)|text-body-secondary|opacity-\d+)(\s|$)).*$|^(text-muted|form-text|help-text|hint|form-hint|muted)( [\w-]+)?$/

/** What holds words, and no lines of its own. */
const HOLDS_WORDS = /^(p|span|label|h[1-6]|a|small|strong|em)$/

/** What a line beneath it would stand beside: a cell of a grid that is no whole row. */
export const isCell = (place: Element): boolean =>
  /(^|[\s:])grid-cols-/.test(given(place.parent ?? place, 'class') ?? '') && spanOf(place) === ''

const spanOf = (place: Element): string =>
  (given(place, 'class') ?? '').match(/(?<=^|\s)(?:[\w-]+:)?col-span-\S+/g)?.join(' ') ?? ''

/** Whether an element is as wide as what holds it: its words stand in the middle, and so does a line beneath it. */
const isWide = (place: Element): boolean =>
  /(^|\s)(w-full|w-100|btn-block|btn-full|full-width)(\s|$)/.test(given(place, 'class') ?? '') ||
  /width:\s*['"]?100%/.test(given(place, 'style') ?? '')

/** From which width on it is as wide as its words alone, as buttons are that fill the row on phones. */
const narrowFrom = (place: Element): string | undefined =>
  /(?:^|\s)(sm|md|lg|xl):w-(?:auto|fit|max|min|\d+)(?=\s|$)/.exec(given(place, 'class') ?? '')?.[1]

/** Where its words stand from that width on: where it stands itself. */
function edgeOf(place: Element): 'left' | 'right' | null {
  const own = given(place, 'class') ?? ''
  if (/(^|[\s:])(m[xl]-auto|self-(center|end)|justify-self-(center|end))(?=\s|$)/.test(own))
    return /(^|[\s:])(ml-auto|self-end|justify-self-end)(?=\s|$)/.test(own) ? 'right' : null
  for (const outer of above(place)) {
    const aligned =
      /(?:^|\s)(?:\w+:)?(?:text-(left|start|center|right|end)|items-(start|center|end))(?=\s|$)/.exec(
        given(outer, 'class') ?? '',
      )
    const where = aligned?.[1] ?? aligned?.[2]
    if (where !== undefined) return where === 'center' ? null : /right|end/.test(where) ? 'right' : 'left'
  }
  return 'left'
}

const isQuiet = (one: Element): boolean =>
  /^(p|small|span)$/.test(one.tag) &&
  QUIET_WORDS.test(classOf(one) ?? '') &&
  !/absolute|fixed|hidden|sr-only|uppercase|float|line-through|truncate|border|\bbg-|-span-/.test(
    classOf(one) ?? '',
  )

/** A line of little weight after an element, in the classes that the nearest such line has; below a row of plans in the middle. */
export function smallLine(page: View['page'], words: string, place: Element, isBelowRow = false): string {
  const isInWords = place.parent !== null && HOLDS_WORDS.test(place.parent.tag)
  const like = [...above(place)]
    .map((outer) => elementsIn(outer).find(isQuiet))
    .find((one) => one !== undefined)
  // Where a counter stands at the edge, this does not.
  const looks =
    like === undefined
      ? isUtility(page)
        ? 'text-sm opacity-80'
        : ''
      : (classOf(like) ?? '').replace(/(^|\s)(?:\w+:)?text-(?:right|end)(?=\s|$)/g, '').trim()
  // A button needs no space below it, and a line needs some above.
  const isClose = isUtility(page) && !/(^|\s)(mt|my|m|pt|py)-/.test(looks)
  const near =
    looks !== '' && isClose
      ? `mt-${isBelowRow ? 6 : 2} ${looks.replace(/(^|\s)[pm][bxy]-\S+/g, '')}`.trim()
      : looks
  const isMiddle =
    (isBelowRow || isWide(place) || MIDDLES.test(classOf(place) ?? '')) &&
    !/(^|\s)text-(center|left|right|start|end)(\s|$)/.test(near)
  const from = isWide(place) && !isBelowRow ? narrowFrom(place) : undefined
  const edge = from === undefined ? null : edgeOf(place)
  const centred = edge === null ? ' text-center' : ` text-center ${from}:text-${edge}`
  const middle = isMiddle && near !== '' && /(^|\s)(text-|mt-|small)/.test(near) ? centred : ''
  const own = `${near}${middle} ${spanOf(place)}`.trim()
  // A paragraph has no space above it where a site takes all spaces away.
  const style = styled(page, {
    ...(own === '' && !isInWords ? { marginTop: '0.5rem' } : {}),
    ...(!isMiddle || middle !== '' ? {} : { textAlign: 'center' }),
  })
  const named = own === '' ? '' : ` ${classWord(page)}="${own}"`
  const end = page.dialect === 'html' ? '' : ' /'
  if (isInWords) return `<br${end}><small${named}>${words}</small>`
  return own === '' ? `<p${style}><small>${words}</small></p>` : `<p${named}${style}>${words}</p>`
}

/** What stands in the middle of it has what is below it there too. */
const MIDDLES = /(^|\s)justify-center(\s|$)/

/** The page's own words once more, below the button, in a small line. */
export function repeatBelow({ page }: View, button: Element, text: Text): Arm | null {
  const shown = text.key === undefined ? text.value : shownByKey(page, text, button)
  if (shown === null || button.parent === null) return null
  if (text.key === undefined && (/[<>{}&]/.test(text.value) || page.isTranslated === true)) return null
  const place = lastInRow(button)
  if (place === null) return null
  const gap = lineBreakBefore(page, place) || ' '
  return {
    name: `“${text.value}” below the button`,
    changes: [insertAt(place.end, gap + smallLine(page, shown, place), place)],
    says: text.value,
  }
}
