import { RepositoryError, type RepositoryErrorCode } from '../errors.js'

interface ErrorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number | undefined>>
  /** Parsed JSON, or the text if it is not JSON. */
  readonly body: unknown
}

/** The wait that GitHub's documentation asks for if a response names none. */
const UNSAID_WAIT_MS = 60_000

/** GitHub's limit of new content, which it also answers as an invalid request. */
const TOO_QUICK = /submitted too quickly/i

/**
 * How long to wait, in milliseconds: `Retry-After`, else until the limit resets, else a minute. Undefined if
 * the response is not a rate limit.
 */
export function rateLimitWaitMs({ status, headers, body }: ErrorResponse, now: number): number | undefined {
  const limits = status === 403 || status === 429
  if (!limits && !(status === 422 && TOO_QUICK.test(saidIn(body)))) return undefined
  const after = Number(headers['retry-after'])
  if (headers['retry-after'] !== undefined && Number.isFinite(after)) return Math.max(1000, after * 1000)
  const reset = Number(headers['x-ratelimit-reset'])
  if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(reset))
    return Math.max(1000, reset * 1000 - now)
  const limited = status === 429 || /rate limit|abuse detection/i.test(messageIn(body))
  return limited || TOO_QUICK.test(saidIn(body)) ? UNSAID_WAIT_MS : undefined
}

/** Answers that a copy at the host gives while it lacks an object. */
const NOT_THERE_YET: ReadonlySet<RepositoryErrorCode> = new Set(['not_found', 'conflict', 'invalid', 'empty'])

/**
 * The error of a request that names what svc has just made or read. GitHub may answer it from a copy that
 * lacks the object, so a 404, 409 or 422 is retryable.
 */
export function toNewObjectError(error: RepositoryError): RepositoryError {
  return NOT_THERE_YET.has(error.code)
    ? new RepositoryError('unavailable', error.message, { cause: error })
    : error
}

/** The error for an unsuccessful response. `what` names the request for people. */
export function toRepositoryError(refusal: ErrorResponse, what: string, now: number): RepositoryError {
  const { status, headers, body } = refusal
  const said = saidIn(body)
  const wait = rateLimitWaitMs(refusal, now)
  if (wait !== undefined)
    return new RepositoryError(
      'rate_limited',
      `the host limits requests for now: it goes on by itself (${said})`,
      {
        retryAfterMs: wait,
      },
    )
  const fail = (kind: RepositoryError['code'], message: string) =>
    new RepositoryError(kind, `${message} (${what}: ${status} ${said})`)
  if (status === 401)
    return fail('unauthorised', 'the token is unknown or has expired: connect the repository with a new one')
  if (/rule violations|protected branch|protected ref|required status|not authorized to push/i.test(said))
    return fail('protected', 'rules of the repository refuse it: let the token through them')
  if (status === 403) {
    if (/archived|read-only/i.test(said))
      return fail('unsupported', 'the repository is archived: unarchive it')
    if (/too large|too_large/i.test(said))
      return fail('too_large', 'the file is larger than the host hands out')
    if (headers['x-github-sso'] !== undefined)
      return fail('unauthorised', 'the token is not authorised for the single sign-on of its organisation')
    return fail(
      'unauthorised',
      'the token may not do this: it needs to read and write contents and pull requests of the repository',
    )
  }
  if (status === 404) return fail('not_found', 'the host knows nothing of it, or the token does not see it')
  if (status === 409)
    return /empty/i.test(said)
      ? fail('empty', 'the repository has no commit yet: push one')
      : fail('conflict', 'something else is being done there')
  if (status === 410) return fail('gone', 'it is not there any more')
  if (status === 413) return fail('too_large', 'the host refuses that much')
  if (status === 422) return fail('invalid', 'the host refuses it')
  if (status === 451) return fail('unsupported', 'the repository is shut for legal reasons')
  if (status >= 500 || status === 408) {
    const after = Number(headers['retry-after'])
    return new RepositoryError('unavailable', `the host cannot answer now (${what}: ${status} ${said})`, {
      retryAfterMs: headers['retry-after'] !== undefined && after > 0 ? after * 1000 : undefined,
    })
  }
  return fail('unavailable', 'the host answers with what it should not')
}

function messageIn(body: unknown): string {
  if (typeof body === 'string') return body
  if (typeof body !== 'object' || body === null || !('message' in body)) return ''
  return String(body.message)
}

/** The response's message and its `errors`, on one line. */
function saidIn(body: unknown): string {
  const errors: unknown =
    typeof body === 'object' && body !== null && 'errors' in body ? body.errors : undefined
  const more = Array.isArray(errors)
    ? errors.map(
        (each: unknown) =>
          messageIn(each) || (each instanceof Object && 'code' in each ? String(each.code) : ''),
      )
    : []
  return [messageIn(body), ...more]
    .filter((text) => text !== '')
    .join('; ')
    .replace(/\s+/g, ' ')
    .slice(0, 300)
}
