import { RepositoryError } from '../errors.js'
import { isObjectId } from '../names.js'

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

/** The id of a commit, tree or file, which later names it in commands and addresses. */
export function idIn(object: Json): string {
  const id = textIn(object, 'sha')
  if (!isObjectId(id)) throw unexpected('an object id')
  return id
}

/** An address that people open, as a link of the console. */
export function webAddressIn(object: Json, key: string): string {
  const address = textIn(object, key)
  if (!/^https?:\/\/[^\s"'<>\\]{1,2000}$/.test(address)) throw unexpected(`a web address in ${key}`)
  return address
}
