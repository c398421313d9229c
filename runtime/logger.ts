import { type Logger, type LoggerOptions, pino } from 'pino'
import type { LogLevel } from './config.js'

export type { Logger, LogLevel }

/**
 * Structured logs on standard error, one JSON object a line. Secrets and event bodies are never passed in; the paths below are a
 * second line of defence.
 *
 * @param seldomMs where set, a warning or error of the same words is written at most once in so many milliseconds, with the number of those left out
 *   as `repeated`: a store that is gone would otherwise cost a line for each of thousands of requests
 */
export function createLogger(level: LogLevel, name: string, seldomMs?: number): Logger {
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
      ...(seldomMs === undefined ? {} : { hooks: { logMethod: seldom(seldomMs) } }),
    },
    pino.destination({ dest: 2, sync: true }),
  )
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

/** pino's number of the level `warn`. */
const WARN = 40
/** Words are constants of the program, so this bound is for the case that some are not. */
const MAX_WORDS = 1_000

function seldom(everyMs: number): LogMethod {
  const said = new Map<string, { at: number; repeated: number }>()
  return function logMethod(args, method, level) {
    const [facts, words] = args as unknown as [unknown, unknown]
    if (level < WARN || typeof words !== 'string' || typeof facts !== 'object') {
      method.apply(this, args)
      return
    }
    const now = performance.now()
    const last = said.get(words)
    if (last !== undefined && now - last.at < everyMs) {
      last.repeated++
      return
    }
    const repeated = last?.repeated ?? 0
    if (said.size >= MAX_WORDS) said.clear()
    said.set(words, { at: now, repeated: 0 })
    if (repeated === 0) method.apply(this, args)
    else method.apply(this, [{ ...facts, repeated }, words] as unknown as typeof args)
  }
}
