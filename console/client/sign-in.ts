import { api, unwrap } from './api'
import { toApiError } from './api-error'
import { setIdentityProvider, setSignedIn } from './session'

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

const REFUSAL = /^#sign-in=(\w+)$/
const REFUSALS: Readonly<Record<string, string>> = {
  failed: 'The identity provider did not sign you in. Try again.',
  unverified: 'The identity provider has not verified your email address.',
  unknown: 'No one here has your email address. Ask an owner of the workspace to invite you.',
  ambiguous: 'Several workspaces fit your email address. Ask the operator of this service to choose one.',
}

/** Takes out of the address why the identity provider did not sign the person in; null if it does not say. */
function takeRefusal(): string | null {
  const reason = REFUSAL.exec(window.location.hash)?.[1]
  if (reason === undefined) return null
  window.history.replaceState(null, '', window.location.pathname + window.location.search)
  return REFUSALS[reason] ?? REFUSALS.failed ?? null
}

/** The page that was asked for, while the browser is at the identity provider. */
const RETURN_KEY = 'svc.return-to'

/** Leaves for the identity provider. Throws ApiError. */
export async function signInWithProvider(): Promise<void> {
  const { url } = await unwrap(api.POST('/sign-in/provider'))
  sessionStorage.setItem(RETURN_KEY, window.location.pathname + window.location.search)
  window.location.assign(url)
}

/** Goes on to the page that was asked for before the identity provider. Call it before the first page. */
export function returnFromProvider(): void {
  const path = sessionStorage.getItem(RETURN_KEY)
  sessionStorage.removeItem(RETURN_KEY)
  if (path !== null && window.location.pathname === '/')
    window.history.replaceState(null, '', path + window.location.hash)
}

/** Asks the server whether this browser has a session. */
export async function restoreSession(): Promise<void> {
  try {
    const { signedIn, provider } = await unwrap(api.GET('/sign-in'))
    setIdentityProvider(provider)
    setSignedIn(signedIn, signedIn ? null : takeRefusal())
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
