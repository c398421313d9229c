import { unauthenticatedError, usageError } from '../command-error.js'
import type { Environment } from './config.js'
import { DEFAULT_PROFILE, readProfiles } from './profiles.js'

export const DEFAULT_API_URL = 'http://127.0.0.1:8081'

/** Where the API is and with what a command opens it. */
export interface Connection {
  /** Without a slash at the end and without `/v1`. */
  readonly apiUrl: string
  readonly apiKey: string | undefined
  readonly profile: string
  /** Who said so, for people: `SVC_API_URL`, `profile staging`, `default`. */
  readonly urlSource: string
  readonly keySource: string
}

/**
 * The address of `SVC_API_URL`, else of the profile, else of this machine; the key of `SVC_API_KEY`, else of the profile. A stored key goes to no other
 * machine than the one it was stored for, whatever `SVC_API_URL` says.
 */
export function resolveConnection(environment: Environment, wanted: string | undefined): Connection {
  const stored = readProfiles(environment.configHome)
  const profile = wanted ?? environment.profile ?? stored.current
  const saved = Object.hasOwn(stored.profiles, profile) ? stored.profiles[profile] : undefined
  if (saved === undefined && profile !== DEFAULT_PROFILE && environment.apiKey === undefined)
    throw unauthenticatedError(
      `there is no profile ${JSON.stringify(profile)}: ${listProfiles(Object.keys(stored.profiles))}make it with svc login --profile ${profile}`,
    )
  const apiUrl =
    environment.apiUrl === undefined
      ? (saved?.apiUrl ?? DEFAULT_API_URL)
      : normalizeUrl(environment.apiUrl, 'SVC_API_URL')
  const urlFrom =
    environment.apiUrl !== undefined ? 'SVC_API_URL' : saved === undefined ? 'default' : `profile ${profile}`
  if (environment.apiKey !== undefined)
    return {
      apiUrl,
      urlSource: urlFrom,
      apiKey: parseApiKey(environment.apiKey),
      keySource: 'SVC_API_KEY',
      profile,
    }
  const isOtherHost = saved !== undefined && !isSameHost(saved.apiUrl, apiUrl)
  if (isOtherHost)
    throw unauthenticatedError(
      `the key of profile ${profile} is for ${saved.apiUrl}, and SVC_API_URL says ${apiUrl}: log in there with svc login --profile NAME, or set SVC_API_KEY`,
    )
  return { apiUrl, urlSource: urlFrom, apiKey: saved?.apiKey, keySource: `profile ${profile}`, profile }
}

function listProfiles(names: readonly string[]): string {
  return names.length === 0 ? '' : `there are ${names.join(', ')}; `
}

/** An address as the client keeps it. Throws CommandError, which never repeats a password. */
export function normalizeUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url === undefined ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.password !== ''
  )
    throw usageError(`${name} must be an address such as ${DEFAULT_API_URL}`)
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`
}

/** What can stand in a header; anything else was pasted wrong. */
export function parseApiKey(text: string): string {
  const key = text.trim()
  if (!/^[\x21-\x7e]{1,500}$/.test(key))
    throw unauthenticatedError('that is no key: keys begin with tsk_api_ or tsk_sess_')
  if (/^tsk_(secret|live)_/.test(key))
    throw unauthenticatedError(
      'that key is for sending events (SVC_SERVER_KEY): the API takes keys that begin with tsk_api_, and sessions, tsk_sess_',
    )
  return key
}

/** The same origin, or two ports of this machine. */
function isSameHost(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)]
  return a.origin === b.origin || (isLoopback(a) && isLoopback(b))
}

function isLoopback(url: URL): boolean {
  return url.hostname === 'localhost' || url.hostname === '[::1]' || /^127\./.test(url.hostname)
}
