import { displayWidth, escapeControls, escapeLines, truncate } from '../output.js'
import { type Color, colorize, padEnd, padStart, type TerminalStyle, wrapText } from './terminal-style.js'

export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  readonly color?: (row: Row) => Color | undefined
  readonly alignRight?: boolean
  /** Smallest width on a narrow terminal. @default the full width */
  readonly minWidth?: number
  /** On a narrow terminal, columns with the highest number are dropped first. @default never dropped */
  readonly dropPriority?: number
}

/** A column of figures, aligned to the right. */
export function figures<Row>(
  title: string,
  text: (row: Row) => string,
  dropPriority?: number,
  more: Pick<Column<Row>, 'color'> = {},
): Column<Row> {
  return { title, text, alignRight: true, ...(dropPriority === undefined ? {} : { dropPriority }), ...more }
}

const GAP = 2

/** Rows under a header in capitals. Fits the terminal; in a pipe nothing is truncated. */
export function renderTable<Row>(
  style: TerminalStyle,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string {
  const cells = (column: Column<Row>): string[] => rows.map((row) => escapeControls(column.text(row)))
  let shown = columns.map((column) => {
    const texts = cells(column)
    const width = Math.max(displayWidth(column.title), ...texts.map(displayWidth))
    return { column, texts, width, least: Math.min(width, column.minWidth ?? width) }
  })
  if (style.columns !== undefined) {
    const available = style.columns
    const leastWidth = (): number => shown.reduce((sum, { least }) => sum + least + GAP, -GAP)
    while (leastWidth() > available) {
      const last = shown
        .filter(({ column }) => column.dropPriority !== undefined)
        .sort((a, b) => (b.column.dropPriority ?? 0) - (a.column.dropPriority ?? 0))[0]
      if (last === undefined) break
      shown = shown.filter((each) => each !== last)
    }
    // Shrink the widest column first, so that no column is cut more than needed.
    for (let over = shown.reduce((sum, { width }) => sum + width + GAP, -GAP) - available; over > 0; over--) {
      const widest = shown.filter(({ width, least }) => width > least).sort((a, b) => b.width - a.width)[0]
      if (widest === undefined) break
      widest.width--
    }
  }
  const line = (texts: readonly string[], paints: readonly (Color | undefined)[]): string =>
    texts
      .map((text, at) => {
        const { width = 0, column } = shown[at] ?? {}
        const cut = truncate(text, width)
        const padded = column?.alignRight
          ? padStart(cut, width)
          : at === texts.length - 1
            ? cut
            : padEnd(cut, width)
        return colorize(style, paints[at], padded)
      })
      .join(' '.repeat(GAP))
      .trimEnd()
  return [
    line(
      shown.map(({ column }) => column.title.toUpperCase()),
      shown.map(() => 'dim'),
    ),
    ...rows.map((row, at) =>
      line(
        shown.map(({ texts }) => texts[at] ?? ''),
        shown.map(({ column }) => column.color?.(row)),
      ),
    ),
    '',
  ].join('\n')
}

export type RecordField = readonly [name: string, text: string, paint?: Color | undefined]

/** One field per line. Long texts wrap beside the names. */
export function renderRecord(style: TerminalStyle, fields: readonly RecordField[]): string {
  const names = Math.max(...fields.map(([name]) => displayWidth(name)))
  const beside = style.columns === undefined ? undefined : style.columns - names - GAP
  return fields
    .map(([name, text, color]) => {
      const safe = escapeLines(text)
      const lines = beside === undefined ? safe.split('\n') : wrapText(safe, Math.max(10, beside))
      return lines
        .map((line, at) =>
          `${colorize(style, 'dim', padEnd(at === 0 ? name : '', names + GAP))}${colorize(style, color, line)}`.trimEnd(),
        )
        .join('\n')
    })
    .join('\n')
    .concat('\n')
}
