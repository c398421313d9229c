import { useSyncExternalStore } from 'preact/compat'

/* The session token, kept in this tab only: never in the address, a cookie or permanent storage. */

const KEY = 'svc.session'
const listeners = new Set<() => void>()
let token: string | null = sessionStorage.getItem(KEY)
let reason: string | null = null

function changed(): void {
  for (const listener of listeners) listener()
}

export function signIn(next: string): void {
  token = next
  reason = null
  sessionStorage.setItem(KEY, next)
  changed()
}

/** @param why shown on the sign-in page if the person did not sign out */
export function signOut(why: string | null = null): void {
  token = null
  reason = why
  sessionStorage.removeItem(KEY)
  changed()
}

export const currentToken = (): string | null => token
export const signOutReason = (): string | null => reason

/** The current token; null if signed out. */
export function useToken(): string | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentToken)
}
