import { useSyncExternalStore } from 'preact/compat'

/*
 * The token of whoever is signed in: in this tab and for as long as it is open, never in an address, a cookie or storage that stays.
 */

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

/** @param why what the page for signing in says, where it was not asked for */
export function signOut(why: string | null = null): void {
  token = null
  reason = why
  sessionStorage.removeItem(KEY)
  changed()
}

export const currentToken = (): string | null => token
export const signOutReason = (): string | null => reason

/** The token, and again whenever it changes; null while nobody is signed in. */
export function useToken(): string | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentToken)
}
