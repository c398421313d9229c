import { api, unwrap } from './api'
import { toApiError } from './api-error'
import { setSignedIn } from './session'

const FRAGMENT = /^#code=([A-Za-z0-9_-]{16,200})$/
/** Version 0.4 kept the token of a tab here. */
const OLD_STORAGE_KEY = 'svc.session'

/** Takes the code of a sign-in link out of the address, or the token out of old storage; null if neither. */
export function takeCredential(): string | null {
  const stored = sessionStorage.getItem(OLD_STORAGE_KEY)
  sessionStorage.removeItem(OLD_STORAGE_KEY)
  const code = FRAGMENT.exec(window.location.hash)?.[1]
  if (code === undefined) return stored
  window.history.replaceState(null, '', window.location.pathname + window.location.search)
  return code
}

/** Asks the server whether this browser has a session. */
export async function restoreSession(): Promise<void> {
  try {
    setSignedIn((await unwrap(api.GET('/sign-in'))).signedIn)
  } catch {
    // The pages report the failure, and can retry.
    setSignedIn(true)
  }
}

/**
 * Exchanges a one-time code or a session token, which is not stored, for a session of this browser. Throws
 * ApiError.
 */
export async function signIn(credential: string): Promise<void> {
  await unwrap(api.POST('/sessions', { headers: { Authorization: `Bearer ${credential}` } }))
  setSignedIn(true)
}

/** Ends the session at the server. Throws ApiError if that failed: the session goes on. */
export async function signOut(): Promise<void> {
  try {
    await unwrap(api.DELETE('/sessions/{sessionId}', { params: { path: { sessionId: 'current' } } }))
  } catch (thrown) {
    const failure = toApiError(thrown)
    if (failure.status !== 401) throw failure
  }
  setSignedIn(false)
}
