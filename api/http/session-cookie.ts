import type { Exchange } from './exchange.js'
import { HttpError } from './http-error.js'

/** A page of another site cannot send it without asking the server, and the server never allows that. */
export const CONSOLE_HEADER = 'X-Svc-Console'

const NAME = 'svc_session'
/** Over https: no other host can set it. */
const SECURE_NAME = `__Host-${NAME}`
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict'

type Request = Pick<Exchange, 'method' | 'header'>

/** @returns the value of `Set-Cookie` that keeps a session in the browser */
export function sessionCookie(token: string, isSecure: boolean, maxAgeSeconds: number): string {
  return `${isSecure ? `${SECURE_NAME}=${token}; Secure` : `${NAME}=${token}`}; ${ATTRIBUTES}; Max-Age=${maxAgeSeconds}`
}

/** @returns the values of `Set-Cookie` that remove the session from the browser */
export function expiredSessionCookies(): string[] {
  return [sessionCookie('', true, 0), sessionCookie('', false, 0)]
}

/** The value of a cookie. Undefined if it is missing, or sent twice with different values. */
export function cookieOf(request: Request, name: string): string | undefined {
  const values = new Set<string>()
  for (const pair of request.header('cookie')?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (pair.slice(0, at).trim() === name) values.add(pair.slice(at + 1).trim())
  }
  const [value] = values
  return values.size === 1 ? value : undefined
}

export function sessionTokenOf(request: Request): string | undefined {
  return cookieOf(request, SECURE_NAME) ?? cookieOf(request, NAME)
}

/**
 * A browser adds cookies to requests that other sites make. So a request by cookie must come from the console
 * itself.
 *
 * @throws HttpError CROSS_SITE_REQUEST
 */
export function checkFromConsole(request: Request): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isSameOrigin(request) && (isRead || isFromConsole(request))) return
  throw new HttpError(
    'CROSS_SITE_REQUEST',
    `A session cookie is accepted only from the console: send the header ${CONSOLE_HEADER}, or use a key`,
    [{ path: `header.${CONSOLE_HEADER}`, message: 'must be sent by a page of this service' }],
  )
}

export function isFromConsole(request: Request): boolean {
  return request.header(CONSOLE_HEADER.toLowerCase()) !== undefined
}

function isSameOrigin(request: Request): boolean {
  const site = request.header('sec-fetch-site')
  // `none`: the person typed the address.
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const origin = request.header('origin')
  return origin === undefined || hostOf(origin) === request.header('host')?.toLowerCase()
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

/** Whether the browser reached this service over https, perhaps at a proxy. */
export function isSecureOrigin(request: Request): boolean {
  return request.header('origin')?.startsWith('https://') ?? false
}
