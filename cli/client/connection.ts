import { unauthenticatedError, usageError } from '../command-error.js'
import type { Environment } from './config.js'
import { DEFAULT_PROFILE, readProfiles } from './profiles.js'

export const DEFAULT_API_URL = 'http://127.0.0.1:8081'

/** The address of the API and the key for it. */
export interface Connection {
  /** Without a trailing slash and without `/v1`. */
  readonly apiUrl: string
  readonly apiKey: string | undefined
  readonly profile: string
  /** For people: `SVC_API_URL`, `profile staging` or `default`. */
  readonly urlSource: string
  readonly keySource: string
}

/**
 * Address and key from SVC_API_URL and SVC_API_KEY, else from the profile, else of this machine. A stored
 * key is only sent to the host it was stored for.
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
      `the key of profile ${profile} is for ${saved.apiUrl}, but SVC_API_URL is ${apiUrl}: log in there with svc login --profile NAME, or set SVC_API_KEY`,
    )
  return { apiUrl, urlSource: urlFrom, apiKey: saved?.apiKey, keySource: `profile ${profile}`, profile }
}

function listProfiles(names: readonly string[]): string {
  return names.length === 0 ? '' : `there are ${names.join(', ')}; `
}

/** Throws CommandError, which never repeats a password of the URL. */
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

/** Accepts only what fits into a header. */
export function parseApiKey(text: string): string {
  const key = text.trim()
  if (!/^[\x21-\x7e]{1,500}$/.test(key))
    throw unauthenticatedError('that is not a key: keys begin with tsk_api_ or tsk_sess_')
  if (/^tsk_(secret|live)_/.test(key))
    throw unauthenticatedError(
      'that key is for sending events (SVC_SERVER_KEY): the API accepts keys that begin with tsk_api_ or tsk_sess_',
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
