import { formatCount } from '../../domain/text/format.js'
import { escapeControls } from '../output.js'

/** A kind of warning about a field, and how often it came. */
interface WarningCount {
  readonly code: string
  /** As in an event, such as `properties.total`. */
  readonly field: string
  readonly count: number
}

/** Warnings slow the gateway down, and the beginning of a file shows what is wrong with all of it. */
const REQUESTS_WITH_WARNINGS = 20

const TEXTS: Readonly<Record<string, string>> = {
  UNKNOWN_FIELD: 'is not a field of svc and was ignored',
  NUMBER_ROUNDED: 'has more digits than a double holds: send it as a text',
  CLAMPED_PAST: 'was older than seven days and was moved to the boundary',
  CLAMPED_FUTURE: 'was more than an hour ahead and was moved to the boundary',
  PLACEHOLDER_ID: 'is a placeholder such as undefined, which makes no link',
}

/**
 * Sums up the warnings of a file's first requests. Each answer names at most twenty, so there may be more.
 */
export class WarningTally {
  private requests = 0
  private readonly counts = new Map<string, WarningCount>()

  /** Whether the next request should ask for warnings. */
  next(): boolean {
    return ++this.requests <= REQUESTS_WITH_WARNINGS
  }

  /** @param warnings of an answer; anything else is ignored */
  add(warnings: unknown): void {
    if (!Array.isArray(warnings)) return
    for (const warning of warnings as readonly { readonly code?: unknown; readonly path?: unknown }[]) {
      const { code, path } = warning
      if (typeof code !== 'string' || typeof path !== 'string') continue
      const field = path.split('/').slice(3).join('.')
      const name = `${code} ${field}`
      this.counts.set(name, { code, field, count: (this.counts.get(name)?.count ?? 0) + 1 })
    }
  }

  list(): readonly WarningCount[] {
    return [...this.counts.values()].sort((a, b) => b.count - a.count)
  }

  /** A line for each kind of warning; empty if there is none. */
  text(): string {
    return this.list()
      .map(
        ({ code, field, count }) =>
          `warning: ${escapeControls(field)} ${TEXTS[code] ?? escapeControls(code)} (${formatCount(count)} times or more)\n`,
      )
      .join('')
  }
}
