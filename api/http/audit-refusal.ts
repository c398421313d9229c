import type { Credential } from '../../postgres/tables/credentials.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { bearerOf } from './authenticator.js'
import type { Exchange } from './exchange.js'
import type { HandlerContext } from './handler-context.js'
import type { ErrorCode, HttpError } from './http-error.js'

const DEADLINE_MS = 1_000
const MAX_PATH = 200
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
const DENIED: ReadonlySet<ErrorCode> = new Set([
  'MISSING_PERMISSION',
  'API_KEY_NOT_ALLOWED_HERE',
  'WORKSPACE_MISMATCH',
])

/** Audits a refused sign-in or a denied write. A failure is logged: the refusal itself was right. */
export async function auditRefusal(
  { refusals, services }: HandlerContext,
  exchange: Exchange,
  credential: Credential | undefined,
  requestId: string,
  { code, message }: HttpError,
): Promise<void> {
  const { method, path } = exchange
  const authorization = exchange.header('authorization')
  const refusal = { requestId, summary: `Refused ${method} ${path.slice(0, MAX_PATH)}: ${message}` }
  let recorded: Promise<void> | undefined
  if (code === 'UNAUTHENTICATED' && authorization !== undefined)
    recorded = refusals.signIn(bearerOf(authorization), refusal)
  else if (credential !== undefined && DENIED.has(code) && !READS.has(method))
    recorded = refusals.denied(credential, refusal)
  if (recorded === undefined) return
  await withTimeout(DEADLINE_MS, 'Postgres, auditing a refusal', recorded).catch((error: unknown) =>
    services.logger.warn({ err: error, requestId }, 'Refused request not audited'),
  )
}
