import type { Change } from '../../edits.js'
import {
  above,
  attribute,
  type Element,
  elementsIn,
  given,
  has,
  isInCode,
  type Page,
} from '../../markup/tree.js'
import { classWord } from '../../surface.js'
import { classText } from './screens.js'

const BESIDE = /(?:^|[\s"'`])(sm|md|lg|xl):(?:grid-cols-(?:[2-9]|1[0-2]|\[[^\]\s]+\])|flex-row)(?=[\s"'`])/
/** Side by side on phones too, or turned round. */
const NOT_BELOW =
  /(^|[\s"'`])(grid-cols-([2-9]|1[0-2]|\[)|flex-row)(?![\w-])|(^|[\s"'`:])flex-(row|col)-reverse/
/** An order holds among the children of these alone, and on phones where they are so there too. */
const ORDERS = /(^|[\s"'`])(inline-)?(grid|flex)(?=[\s"'`])/
const COLUMN = /(?:^|\s)col-(sm|md|lg|xl)(?:-\d+)?(?=\s|$)/
const ORDER = /(^|[\s"'`:])-?order-/

/** Two columns on wide screens that stand below each other on phones, in the order of the file. */
export interface Columns {
  row: Element
  first: Element
  second: Element
  /** from which width on they stand side by side */
  from: string
  isBootstrap: boolean
  /** the page has set an order of their own */
  isOrdered: boolean
}

export const hasColumns = ({ text }: Page): boolean => BESIDE.test(text) || /["'\s]row["'\s]/.test(text)

/** All pairs of columns of a page, by the words of utility classes and of Bootstrap. */
export const columnsOf = (page: Page): Columns[] =>
  elementsIn(page.root).flatMap((row): Columns[] => {
    const own = classText(page, row)
    const isBootstrap = /(^|[\s"'`])row(?=[\s"'`]|$)/.test(own)
    if (!isBootstrap && !BESIDE.test(own)) return []
    const [first, second, ...more] = row.children.filter(
      (one): one is Element => one.kind === 'element' && one.tag !== 'br',
    )
    if (first === undefined || second === undefined || more.length > 0) return []
    if (first.tag === '#code' || second.tag === '#code' || isInCode(row)) return []
    const from = isBootstrap
      ? COLUMN.exec(given(second, 'class') ?? '')?.[1]
      : NOT_BELOW.test(own) || !ORDERS.test(own)
        ? undefined
        : BESIDE.exec(own)?.[1]
    const isOrdered = [first, second].some((one) => ORDER.test(classText(page, one)))
    return from === undefined ? [] : [{ row, first, second, from, isBootstrap, isOrdered }]
  })

/** The space above a column on phones, as much as the page has elsewhere, where it has none: a picture may begin at the edge, words may not. */
function spaceAbove(page: Page, column: Element, until: string): string {
  const isSpaced = [column, ...above(column)].some((one) =>
    /(^|[\s"'`])(p|py|pt|m|my|mt|h|min-h)-(?!0[\s"'`])/.test(classText(page, one)),
  )
  const space = isSpaced
    ? undefined
    : /(?:^|[\s"'`:])(?:p[xybt]?|m[bt]|gap)-(6|8|10)(?=[\s"'`])/.exec(page.text)?.[1]
  return space === undefined ? '' : ` max-${until}:pt-${space}`
}

/** What shows the second column first on phones, by its class alone; `null` where it takes none. @param opens nothing of the page's own stands above it */
export function shownFirst(page: Page, { second, from, isBootstrap }: Columns, opens = false): Change | null {
  const space = opens && !isBootstrap ? spaceAbove(page, second, from) : ''
  const words = isBootstrap ? `order-first order-${from}-last` : `order-first ${from}:order-none${space}`
  const own = attribute(second, 'class')
  if (own === undefined) {
    if (/^[A-Z]/.test(second.tag) || second.tag.includes('.') || has(second, ':class')) return null
    const at = second.start + 1 + second.tag.length
    return { start: at, end: at, text: ` ${classWord(page)}="${words}"`, unit: second }
  }
  const classes = given(second, 'class')
  return own.own == null || classes === null
    ? null
    : { ...own.own, text: `${words} ${classes}`, unit: { ...own.own, parent: second } }
}
