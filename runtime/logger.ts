import { type Logger, pino } from 'pino'
import type { LogLevel } from './config.js'

export type { Logger, LogLevel }

/**
 * Structured logs on standard error, one JSON object a line. Secrets and event bodies are never passed in; the paths below are a
 * second line of defence.
 */
export function createLogger(level: LogLevel, name: string): Logger {
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
    },
    pino.destination({ dest: 2, sync: true }),
  )
}
