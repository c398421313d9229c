import { api, unwrap } from './api'

const FRAGMENT = /^#code=([A-Za-z0-9_-]{16,200})$/

/** Takes the code of a sign-in link out of the address; null if there is none. */
export function takeCodeFromUrl(): string | null {
  const code = FRAGMENT.exec(window.location.hash)?.[1]
  if (code === undefined) return null
  window.history.replaceState(null, '', window.location.pathname + window.location.search)
  return code
}

/** Exchanges a code, valid once and for a few minutes, for a session token. */
export async function exchangeCode(code: string): Promise<string> {
  const headers = { Authorization: `Bearer ${code}` }
  const { token } = await unwrap(api.POST('/sessions', { headers }))
  return token
}
