import { type ErrorTable, ServiceError } from '../../runtime/errors.js'

const EMBEDDED_POSTGRES_ERRORS = {
  unusable: { retryable: false },
  disk_full: { retryable: false },
} as const satisfies ErrorTable

/**
 * The embedded Postgres cannot start or run. The message is one line that says what to do, and maybe the end
 * of its log: initdb and the server report a full disk only there.
 */
export class EmbeddedPostgresError extends ServiceError<keyof typeof EMBEDDED_POSTGRES_ERRORS> {
  constructor(message: string, options: ErrorOptions = {}) {
    const code = /no space left on device/i.test(message) ? 'disk_full' : 'unusable'
    super(message, { ...options, code, ...EMBEDDED_POSTGRES_ERRORS[code] })
  }
}
