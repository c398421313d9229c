import { displayWidth, type Terminal } from '../output.js'

export interface TerminalStyle {
  /** Undefined in a pipe: then nothing is truncated, and times are absolute. */
  readonly columns: number | undefined
  readonly color: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

export function terminalStyle(terminal: Terminal, now: number): TerminalStyle {
  return { columns: terminal.size?.columns, color: terminal.supportsColor ?? false, now }
}

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const
export type Color = keyof typeof CODES

export function colorize(
  style: Pick<TerminalStyle, 'color'>,
  color: Color | undefined,
  text: string,
): string {
  if (!style.color || color === undefined || text === '') return text
  const [on, off] = CODES[color]
  return `\u001b[${on}m${text}\u001b[${off}m`
}

const STATUS_COLORS: Readonly<Record<string, Color>> = {
  proposed: 'cyan',
  approved: 'blue',
  generating_pr: 'yellow',
  pr_open: 'blue',
  pr_failed: 'red',
  ready: 'blue',
  running: 'green',
  paused: 'yellow',
  ended: 'magenta',
  settling: 'yellow',
  shipped: 'green',
  rejected: 'red',
  dismissed: 'dim',
  concluded: 'dim',
  queued: 'yellow',
  succeeded: 'green',
  done: 'green',
  failed: 'red',
  draft: 'yellow',
}

export function statusColor(status: string): Color | undefined {
  return STATUS_COLORS[status]
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** The age of a time, such as `5m ago`, on a terminal; ISO 8601 in a pipe. */
export function formatAge(style: TerminalStyle, iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return '-'
  if (style.columns === undefined) return iso
  const passed = style.now - Date.parse(iso)
  const distance = Math.abs(passed)
  if (distance < 1_000) return 'now'
  if (distance > 60 * 86_400_000) return iso.slice(0, 10)
  const unit = UNITS.find(([, ms]) => distance >= ms) ?? UNITS[3]
  const amount = `${Math.floor(distance / unit[1])}${unit[0]}`
  return passed > 0 ? `${amount} ago` : `in ${amount}`
}

/** A time with its age, such as `2026-11-22 08:00:00Z (2h ago)`. */
export function formatTime(style: TerminalStyle, iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return '-'
  if (style.columns === undefined) return iso
  const at = `${iso.slice(0, 19).replace('T', ' ')}Z`
  const passed = formatAge(style, iso)
  return at.startsWith(passed) ? at : `${at} (${passed})`
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)))
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - displayWidth(text))) + text
}

/** Wraps words to lines of at most `columns`, keeping line breaks. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    for (const word of paragraph.split(/\s+/)) {
      if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > columns) {
        lines.push(line)
        line = word
      } else line = line === '' ? word : `${line} ${word}`
    }
    lines.push(line)
  }
  return lines
}
