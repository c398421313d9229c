import { type Change, insertAt } from '../../edits.js'
import {
  above,
  attribute,
  besides,
  type Element,
  elementsIn,
  given,
  has,
  type Page,
} from '../../markup/tree.js'
import { classWord, type Form, isButton, isField } from '../../surface.js'
import { isReached } from './reached.js'

interface Removed {
  field: Element
  /** what is around the field and goes with it */
  shown: Element
  /** other code reads it as it comes: something has to be sent */
  isRead: boolean
}

/** Fields taken out of a form, `null` where a hole would be left in a grid that nothing beside it can fill, or where code that stays reaches one of them. */
export function removalsOf(page: Page, { element }: Form, removed: readonly Removed[]): Change[] | null {
  const shells = removed.map((one) => ({ ...one, shell: shellOf(one.shown, element) }))
  const grids = [...new Set(shells.flatMap(({ shell }) => shell.parent ?? []))]
  const widened = grids.map((grid) =>
    widenedIn(
      page,
      grid,
      shells.map(({ shell }) => shell),
    ),
  )
  const filled: Change[] = []
  for (const one of widened) {
    if (one === null) return null
    filled.push(...one)
  }
  const gone = shells.map(({ shell, field, isRead }) => ({
    shell,
    labels: labelsOf(field, element, shell),
    text: isRead ? hidden(page, field) : '',
  }))
  if (
    isReached(
      page,
      gone.flatMap(({ shell, labels }) => [...labels, shell]),
    )
  )
    return null
  const taken = gone.flatMap(({ shell, labels, text }) => [
    ...labels.map((one) => ({ start: one.start, end: one.end, text: '', unit: one })),
    { start: shell.start, end: shell.end, text, unit: shell },
  ])
  return [...taken, ...filled]
}

/** A field with what is there for it alone. */
export function shellOf(shown: Element, form: Element): Element {
  let shell = shown
  for (const outer of above(shell)) {
    if (
      outer === form ||
      !/^(div|label|li|p|fieldset|formitem|col|span|form\.group|form-?group|form\.item|form-?field|form-?control)$/i.test(
        outer.tag,
      )
    )
      break
    const inner = [...elementsIn(outer)]
    if (inner.filter(isField).length > 1 || inner.some(isButton)) break
    shell = outer
  }
  return shell
}

/** A label that stands right before a field and is tied to none: people read it as that field's. */
export function labelBefore(shown: Element): Element | null {
  const row = besides(shown)
  const label = row[row.indexOf(shown) - 1]
  return label !== undefined &&
    label.name === 'label' &&
    given(label, 'for') === null &&
    given(label, 'htmlfor') === null &&
    !elementsIn(label).some(isField)
    ? label
    : null
}

function labelsOf(field: Element, form: Element, shell: Element): Element[] {
  const id = given(field, 'id')
  const before = labelBefore(shell)
  const tied = [...elementsIn(form)].filter(
    (one) =>
      /^label$/i.test(one.tag) &&
      id !== null &&
      id !== '' &&
      given(one, 'for') === id &&
      !(one.start >= shell.start && one.end <= shell.end),
  )
  return before === null ? tied : [before, ...tied]
}

/** Whether a form can send of a field that is not shown what it sends of one that is left empty: the page sends fields by their names. */
export const canBeSent = (page: Page, field: Element): boolean =>
  /^[\w.-]+$/.test(given(field, 'name') ?? '') &&
  !/register\(|\{\.\.\.|v-model|bind:value|ng-model/.test(page.text.slice(field.start, field.end)) &&
  (!has(field, 'value') || page.dialect === 'jsx')

/** What it had from the start, or nothing, under the same name. */
function hidden(page: Page, field: Element): string {
  const own = attribute(field, 'value')
  const value = own === undefined ? 'value=""' : page.text.slice(own.start, own.end)
  return `<input type="hidden" name="${given(field, 'name') ?? ''}" ${value}${page.dialect === 'html' ? '>' : ' />'}`
}

const COLUMNS = /(?:^|\s)((?:[a-z\d]+:)?)grid-cols-([2-4])(?=\s|$)/
const SPAN = /(?:^|\s)(?:[a-z\d]+:)?col-span-(full|\d+)(?=\s|$)/
const BOOTSTRAP = /(?:^|\s)col-(?:(?:xs|sm|md|lg|xl|xxl)-)?(\d+)(?=\s|$)/g

const STYLED_ROW = /row|grid|cols\b|columns|two|half|halves|pair|split|inline|double|duo/i

/** What has to grow so that a grid has no more holes without some of its cells; `null` where nothing does. */
function widenedIn(page: Page, grid: Element, removed: readonly Element[]): Change[] | null {
  const layout = given(grid, 'class') ?? ''
  const columns = COLUMNS.exec(layout)
  const cells = besides(grid.children.find((one): one is Element => one.kind === 'element') ?? grid)
  if (columns === null) {
    const isRow = /(^|\s)(form-)?row(\s|$)/.test(layout)
    const left = cells.filter((one) => !removed.includes(one))
    // How many stand in it beside each other its style says, which is not read.
    const asking = cells.filter((one) => [one, ...elementsIn(one)].some(isField))
    if (!isRow && STYLED_ROW.test(layout) && asking.length >= 2 && asking.length <= 4) return null
    if (
      !isRow ||
      left.length === 0 ||
      holesIn(left.map(widthIn), ALL_COLUMNS) <= holesIn(cells.map(widthIn), ALL_COLUMNS)
    )
      return []
    return wholeRows(cells, removed)
  }
  const [, at = '', many = '2'] = columns
  const most = Number(many)
  const widthOf = (one: Element): number => {
    const span = SPAN.exec(given(one, 'class') ?? '')?.[1]
    return span === undefined ? 1 : span === 'full' ? most : Math.min(most, Number(span))
  }
  const left = cells.filter((one) => !removed.includes(one))
  const before = holesIn(cells.map(widthOf), most)
  if (left.length === 0 || holesIn(left.map(widthOf), most) <= before) return []
  // What code shows may be there or not, and as often as it likes.
  if (cells.some(({ tag }) => tag === '#code')) return null
  const first = cells.findIndex((one) => removed.includes(one))
  const near = [cells[first - 1], cells[first + 1], left.at(-1)]
  const grown = near.find(
    (one) =>
      one !== undefined &&
      left.includes(one) &&
      holesIn(
        left.map((other) => (other === one ? most : widthOf(other))),
        most,
      ) <= before,
  )
  return grown === undefined ? null : grownTo(page, grown, `${at}col-span-${many}`)
}

/** The space below one of two columns where they stand below each other: alone in its row it has that of the row. */
const SPACE_BETWEEN = /\s*\bmb-[1-5](?=\s)(.*?)\s+mb-(?:sm|md|lg|xl)-0\b/

/** How many columns of a row a cell takes on wide screens. */
const widthIn = (cell: Element): number =>
  Number([...(given(cell, 'class') ?? '').matchAll(BOOTSTRAP)].at(-1)?.[1] ?? ALL_COLUMNS)

/** Those that are left of two columns, each as wide as its row; `null` where a hole would be left in a row of more. */
function wholeRows(cells: readonly Element[], removed: readonly Element[]): Change[] | null {
  const grown: Change[] = []
  for (const row of rowsOf(cells)) {
    const left = row.filter((one) => !removed.includes(one))
    const [alone, ...more] = left
    if (alone === undefined || left.length === row.length) continue
    const own = row.length === 2 && more.length === 0 ? wholeRow(alone) : null
    if (own === null) return null
    grown.push(...own)
  }
  return grown
}

/** Cells as they stand beside each other. */
function rowsOf(cells: readonly Element[]): Element[][] {
  const rows: Element[][] = []
  let used = ALL_COLUMNS
  for (const cell of cells) {
    const width = widthIn(cell)
    if (used + width > ALL_COLUMNS) {
      rows.push([])
      used = 0
    }
    rows.at(-1)?.push(cell)
    used += width
  }
  return rows
}

/** The one that is left of two columns, as wide as its row; `null` where its class cannot be written anew. */
function wholeRow(cell: Element): Change[] | null {
  const own = attribute(cell, 'class')
  if (own?.own == null || own.value === null || /\b(offset|order|push|pull)-/.test(own.value)) return null
  const widths = [...own.value.matchAll(BOOTSTRAP)]
  const isWhole = (one: string | undefined): boolean => Number(one) === ALL_COLUMNS
  const parts = widths.filter(([, columns]) => !isWhole(columns))
  if (parts.length === 0 || parts.some(([, columns]) => Number(columns) * 2 !== ALL_COLUMNS)) return null
  // What takes the whole row on phones does so everywhere, where nothing else is said.
  const isWholeFirst = widths.some(
    ([found, columns]) => isWhole(columns) && !/-(sm|md|lg|xl|xxl)-/.test(found),
  )
  const grown = parts.reduce(
    (value, [found, columns = '']) =>
      value.replace(found, isWholeFirst ? '' : found.slice(0, -columns.length) + String(ALL_COLUMNS)),
    own.value,
  )
  return [{ ...own.own, text: grown.trimStart().replace(SPACE_BETWEEN, '$1'), unit: cell }]
}
const ALL_COLUMNS = 12

function grownTo(page: Page, cell: Element, span: string): Change[] {
  const own = attribute(cell, 'class')
  if (cell.tag === 'div' && own?.own != null)
    return [{ start: own.own.end, end: own.own.end, text: ` ${span}`, unit: cell }]
  const name = classWord(page)
  return [insertAt(cell.start, `<div ${name}="${span}">`, cell), insertAt(cell.end, '</div>', cell)]
}

/** Places in rows that stay empty, where cells of some widths follow each other. */
function holesIn(widths: readonly number[], columns: number): number {
  let holes = 0
  let used = 0
  for (const width of widths) {
    if (used + width > columns) {
      holes += columns - used
      used = 0
    }
    used += width
  }
  return holes + (used === 0 ? 0 : columns - used)
}
