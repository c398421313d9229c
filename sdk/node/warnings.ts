import type { SvcWarning } from './types.js'

/** The default `onWarning` writes one line of a code in this time. */
const QUIET_MS = 60_000
const MAX_WRITTEN = 1_000

/**
 * Sums up the warnings of an answer by code, event and field.
 *
 * @param answered the field of svc's answer; anything that is not a list of warnings is ignored
 * @param eventAt the name of an event of the request
 */
export function sumUpWarnings(answered: unknown, eventAt: (index: number) => string): readonly SvcWarning[] {
  const sums = new Map<string, SvcWarning>()
  for (const warning of Array.isArray(answered) ? answered : []) {
    const [, index, path] = /^\/events\/(\d+)\/(.+)$/.exec(String(warning?.path)) ?? []
    if (path === undefined || typeof warning.code !== 'string') continue
    const event = eventAt(Number(index))
    const field = path.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
    const kind = JSON.stringify([warning.code, event, field])
    const known = sums.get(kind)
    if (known === undefined)
      sums.set(kind, { code: warning.code, event, field, message: String(warning.message), count: 1 })
    else known.count++
  }
  return [...sums.values()]
}

/** Writes a line for each code and field, once, and at most one a minute for each code. */
export function warnOnStandardError(): (warning: SvcWarning) => void {
  const written = new Set<string>()
  const lastAt = new Map<string, number>()
  return ({ code, event, field, message }) => {
    const kind = `${code} ${field}`
    const now = Date.now()
    if (written.has(kind) || now - (lastAt.get(code) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return
    if (written.size < MAX_WRITTEN) written.add(kind)
    lastAt.set(code, now)
    process.stderr.write(`svc-events: warning: ${field} of ${event} ${message} (${code})\n`)
  }
}
