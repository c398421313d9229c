import { api, unwrap } from './api'

const FRAGMENT = /^#code=([A-Za-z0-9_-]{16,200})$/

/** The code of a link that signs in once, which is out of the address afterwards; null where there is none. */
export function takeCodeFromUrl(): string | null {
  const code = FRAGMENT.exec(window.location.hash)?.[1]
  if (code === undefined) return null
  window.history.replaceState(null, '', window.location.pathname + window.location.search)
  return code
}

/** The session token that a code is good for, once and for some minutes. */
export async function exchangeCode(code: string): Promise<string> {
  const headers = { Authorization: `Bearer ${code}` }
  const { token } = await unwrap(api.POST('/sessions', { headers }))
  return token
}
