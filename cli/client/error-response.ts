import { errorCode } from '../../runtime/errors.js'
import { CommandError, EXIT, refusedError } from '../command-error.js'
import type { HttpResponse } from './transport.js'

/** The error body of the API. A proxy may answer with something else. */
export interface ErrorResponse {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly requestId: string | undefined
  readonly details: readonly { readonly path: string; readonly message: string }[]
  readonly retryAfter: number | undefined
}

const MAX_DETAILS = 10

export function parseErrorResponse(answer: HttpResponse): ErrorResponse {
  const body = parse(answer.text)
  const details = Array.isArray(body.details) ? body.details : []
  return {
    status: answer.status,
    code: typeof body.code === 'string' ? body.code : `HTTP ${answer.status}`,
    message:
      typeof body.message === 'string'
        ? body.message
        : `the answer is not one of svc (HTTP ${answer.status})`,
    requestId: typeof body.requestId === 'string' ? body.requestId : answer.headers['x-request-id'],
    details: details.filter(
      (detail: unknown): detail is { path: string; message: string } =>
        typeof detail === 'object' &&
        detail !== null &&
        'path' in detail &&
        typeof detail.path === 'string' &&
        'message' in detail &&
        typeof detail.message === 'string',
    ),
    retryAfter: retryAfterSeconds(answer),
  }
}

/** Seconds of `Retry-After`, given as seconds or as a date. */
export function retryAfterSeconds(
  answer: HttpResponse,
  now = Date.parse(answer.headers.date ?? ''),
): number | undefined {
  const text = answer.headers['retry-after']
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) || Number.isNaN(now) ? undefined : Math.max(0, Math.ceil((at - now) / 1_000))
}

/** The error of a refused request: message, invalid places, request id and what to try next. */
export function refusalError(
  refusal: ErrorResponse,
  subject: Readonly<Record<string, string>> = {},
): CommandError {
  const { status, code, message, details, requestId } = refusal
  const shown = details.filter(
    ({ path, message: said }) => !message.startsWith(`${path} ${said}`) || details.length > 1,
  )
  const hint = suggestionFor(refusal, subject)
  return new CommandError(status === 401 ? EXIT.unauthenticated : EXIT.refused, message, code, [
    ...shown
      .slice(0, MAX_DETAILS)
      .map((detail) => `${detail.path === '' ? 'the body' : detail.path}: ${detail.message}`),
    ...(shown.length > MAX_DETAILS ? [`and ${shown.length - MAX_DETAILS} more places`] : []),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
    ...(hint === undefined ? [] : [`try: ${hint}`]),
  ])
}

export function unreachableError(apiUrl: string, error: unknown): CommandError {
  const code = errorCode(error)
  const reason = error instanceof Error && error.message !== '' ? error.message : (code ?? String(error))
  return refusedError(`${apiUrl} cannot be reached: ${reason}`, code, [
    'try: svc doctor, or another address in SVC_API_URL',
  ])
}

function suggestionFor(
  refusal: ErrorResponse,
  subject: Readonly<Record<string, string>>,
): string | undefined {
  const { code, retryAfter } = refusal
  const id = subject.id ?? 'ID'
  switch (code) {
    case 'UNAUTHENTICATED':
      return 'svc login, or another key in SVC_API_KEY'
    case 'MISSING_PERMISSION': {
      const scope = refusal.details.map(({ path }) => path).find((path) => /^[a-z]+\.[a-z]+$/.test(path))
      return scope === undefined
        ? 'svc whoami, which names the scopes there are'
        : `a key with the scope ${scope}: svc admin key create --type api --name NAME --scopes ${scope}`
    }
    case 'API_KEY_NOT_ALLOWED_HERE':
      return 'the session of a person: svc admin session create, then svc login with its token'
    case 'WORKSPACE_MISMATCH':
      return 'svc whoami, which names the workspace of the key'
    case 'SURFACE_OVERLAP':
      return 'the same with --acknowledge-overlap, to run both'
    case 'PROPOSAL_FILES_MISSING':
      return `svc proposals revise ${id} TEXT, or svc generate --replace`
    case 'PROPOSAL_SNAPSHOT_STALE':
      return 'svc generate --replace, for proposals on the code as it is now'
    case 'GENERATION_IN_FLIGHT':
      return 'svc runs list, and again when the run is over'
    case 'REFINE_IN_FLIGHT':
      return `svc proposals show ${id}, and again when the revision is there`
    case 'EVENT_HISTORY_UNAVAILABLE':
      return 'svc events list, and again once the primary event has come in'
    case 'REPOSITORY_NOT_CONNECTED':
      return 'svc admin repository connect on the machine of the service; svc readiness shows what else is missing'
    case 'ILLEGAL_TRANSITION':
    case 'NOT_EDITABLE':
      return `svc experiments show ${id}, which shows its status`
    case 'KEY_TAKEN':
    case 'NAME_TAKEN':
      return 'another name'
    case 'PRECONDITION_FAILED':
      return 'the same again, which reads it as it is now'
    case 'NOT_FOUND':
      return subject.list
    case 'UNAVAILABLE':
    case 'RATE_LIMITED':
      return `again in ${retryAfter ?? 2} s`
    case 'INTERNAL':
      return 'again later; an operator finds the request by its id in the log of the service'
    default:
      return undefined
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    // Not JSON, from a proxy for example: the status alone is shown.
    return {}
  }
}
