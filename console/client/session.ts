import { useSyncExternalStore } from 'preact/compat'

/* The session is in a cookie that no script can read. This page only knows whether there is one. */

/** Undefined until the server has answered. */
let signedIn: boolean | undefined
let reason: string | null = null
const listeners = new Set<() => void>()

/** @param why shown on the sign-in page if the person did not sign out */
export function setSignedIn(next: boolean, why: string | null = null): void {
  signedIn = next
  reason = why
  for (const listener of listeners) listener()
}

/** The server refused the session. A refused sign-in reports its own reason. */
export function sessionEnded(): void {
  if (signedIn) setSignedIn(false, 'The session has ended. Sign in again to continue.')
}

/** Name of the identity provider on the sign-in page, or null. */
let provider: string | null = null

export function setIdentityProvider(name: string | null): void {
  provider = name
}

export const identityProvider = (): string | null => provider
export const signOutReason = (): string | null => reason

/** Whether this browser is signed in; undefined while that is unknown. */
export function useSignedIn(): boolean | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => signedIn,
  )
}
