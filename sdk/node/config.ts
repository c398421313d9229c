import { MAX_BATCH_EVENTS } from './memory-queue.js'
import type { SvcFailure, SvcOptions, SvcWarning } from './types.js'
import { warnOnStandardError } from './warnings.js'

/** A longer timer would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1
/** The default `onError` writes one line of a kind in this time. */
const QUIET_MS = 10_000

export interface ResolvedOptions {
  readonly url: string
  readonly key: string
  readonly flushAt: number
  readonly flushIntervalMs: number
  readonly maxQueueBytes: number
  readonly timeoutMs: number
  readonly spool: string | undefined
  readonly isDurable: boolean
  readonly gzip: boolean
  readonly onError: (failure: SvcFailure) => void
  readonly warnings: boolean
  readonly onWarning: (warning: SvcWarning) => void
}

/** Fills in the environment and the defaults. Never throws. */
export function resolveOptions(options: SvcOptions): ResolvedOptions {
  return {
    url: options.url ?? process.env.SVC_INGEST_URL ?? 'http://127.0.0.1:8080',
    key: options.key ?? process.env.SVC_SERVER_KEY ?? '',
    flushAt: bounded(options.flushAt, 1, MAX_BATCH_EVENTS, MAX_BATCH_EVENTS),
    flushIntervalMs: bounded(options.flushIntervalMs, 0, MAX_TIMER_MS, 1_000),
    maxQueueBytes: bounded(options.maxQueueBytes, 0, Number.MAX_SAFE_INTEGER, 64 * 1_048_576),
    timeoutMs: bounded(options.timeoutMs, 1, MAX_TIMER_MS, 10_000),
    spool: typeof options.spool === 'string' ? options.spool : undefined,
    isDurable: options.durable === true,
    gzip: options.gzip ?? true,
    onError: options.onError ?? reportToStandardError(),
    warnings: options.warnings ?? process.env.NODE_ENV === 'development',
    onWarning: options.onWarning ?? warnOnStandardError(),
  }
}

/** The standard for no number. */
export function bounded(value: number | undefined, min: number, max: number, standard: number): number {
  return typeof value !== 'number' || Number.isNaN(value) ? standard : Math.min(max, Math.max(min, value))
}

function reportToStandardError(): (failure: SvcFailure) => void {
  const reported = new Map<string, number>()
  return ({ code, message }) => {
    const now = Date.now()
    if (now - (reported.get(code) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return
    reported.set(code, now)
    process.stderr.write(`svc-events: ${code}: ${message}\n`)
  }
}
