import { checkLabel } from '../../domain/text/labels.js'
import { escapeControls } from '../output.js'
import { colorize, type TerminalStyle, wrapText } from '../render/terminal-style.js'

export interface CheckResult {
  readonly code: string
  readonly ok: boolean
  readonly message: string
  /** Advice to the reader; empty if the check passed. */
  readonly fix: string
}

export const passed = (code: string, message: string): CheckResult => ({ code, ok: true, message, fix: '' })
export const failed = (code: string, message: string, fix: string): CheckResult => ({
  code,
  ok: false,
  message,
  fix,
})

const INDENT = 4
const WIDEST = 100

export function renderChecks(style: TerminalStyle, checks: readonly CheckResult[]): string {
  const columns = Math.min(style.columns ?? WIDEST, WIDEST) - INDENT
  return checks
    .map(({ code, ok, message, fix }) => {
      const mark = colorize(style, ok ? 'green' : 'red', ok ? '✓' : '✗')
      const lines = [
        ...wrapText(`${escapeControls(checkLabel(code))}: ${escapeControls(message)}`, columns),
        ...(fix === ''
          ? []
          : wrapText(`→ ${escapeControls(fix)}`, columns).map((line) => colorize(style, 'yellow', line))),
      ]
      return lines.map((line, at) => `${at === 0 ? `${mark} ` : '    '}${line}\n`).join('')
    })
    .join('')
}
