import { type Logger, type LoggerOptions, pino } from 'pino'
import type { LogLevel } from './config.js'

export type { Logger, LogLevel }

/**
 * Structured logs on standard error, one JSON object a line. Callers never pass secrets or event bodies;
 * the redacted paths are a second line of defence.
 *
 * @param throttleMs writes a warning or error with the same message at most once in so many milliseconds, and
 *   counts the rest as `repeated`. Without it, a store that is down costs a line for each of thousands of
 *   requests
 */
export function createLogger(level: LogLevel, name: string, throttleMs?: number): Logger {
  return pino(
    {
      level,
      name,
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          'key',
          '*.key',
          'token',
          '*.token',
          'password',
          '*.password',
        ],
        censor: '[redacted]',
      },
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(throttleMs === undefined ? {} : { hooks: { logMethod: throttled(throttleMs) } }),
    },
    pino.destination({ dest: 2, sync: true }),
  )
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

/** pino's number for the level `warn`. */
const WARN = 40
/** Messages are constants of the program; this bounds the memory if one is not. */
const MAX_MESSAGES = 1_000

function throttled(everyMs: number): LogMethod {
  const written = new Map<string, { at: number; repeated: number }>()
  return function logMethod(args, method, level) {
    const [fields, message] = args as unknown as [unknown, unknown]
    if (level < WARN || typeof message !== 'string' || typeof fields !== 'object') {
      method.apply(this, args)
      return
    }
    const now = performance.now()
    const last = written.get(message)
    if (last !== undefined && now - last.at < everyMs) {
      last.repeated++
      return
    }
    const repeated = last?.repeated ?? 0
    if (written.size >= MAX_MESSAGES) written.clear()
    written.set(message, { at: now, repeated: 0 })
    if (repeated === 0) method.apply(this, args)
    else method.apply(this, [{ ...fields, repeated }, message] as unknown as typeof args)
  }
}
