import { RepositoryError } from '../errors.js'

export type Json = Readonly<Record<string, unknown>>

/** The response does not match GitHub's documentation, such as a proxy's page. Retryable. */
function unexpected(what: string): RepositoryError {
  return new RepositoryError(
    'unavailable',
    `the host answers without ${what}: see whether its address is that of GitHub's API`,
  )
}

export function objectOf(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected(what)
  return value as Json
}

export function objectsOf(value: unknown, what: string): Json[] {
  if (!Array.isArray(value)) throw unexpected(what)
  return value.map((each) => objectOf(each, what))
}

export function textIn(object: Json, key: string): string {
  const value = object[key]
  if (typeof value !== 'string') throw unexpected(key)
  return value
}

export function textOrNone(object: Json, key: string): string | undefined {
  const value = object[key]
  return typeof value === 'string' ? value : undefined
}

export function wholeIn(object: Json, key: string): number {
  const value = object[key]
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw unexpected(key)
  return value
}
