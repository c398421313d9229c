import { printable } from '../output.js'
import { type Look, paint, wrap } from '../render/look.js'

export interface Check {
  readonly code: string
  readonly ok: boolean
  readonly message: string
  /** What to do; empty where it is well. */
  readonly fix: string
}

const INDENT = 4
const WIDEST = 100

/** Checks for people, each with what to do about it. */
export function renderChecks(look: Look, checks: readonly Check[]): string {
  const columns = Math.min(look.columns ?? WIDEST, WIDEST) - INDENT
  return checks
    .map(({ code, ok, message, fix }) => {
      const mark = paint(look, ok ? 'green' : 'red', ok ? '✓' : '✗')
      const lines = [
        ...wrap(`${printable(code)}: ${printable(message)}`, columns),
        ...(fix === ''
          ? []
          : wrap(`→ ${printable(fix)}`, columns).map((line) => paint(look, 'yellow', line))),
      ]
      return lines.map((line, at) => `${at === 0 ? `${mark} ` : '    '}${line}\n`).join('')
    })
    .join('')
}
