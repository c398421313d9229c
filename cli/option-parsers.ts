import { InvalidArgumentError } from 'commander'
import { validate as isUuid } from 'uuid'
import { EXPOSURES_SCOPE, type KeyScope, SCOPES, type Scope } from '../domain/key.js'
import { nameProblem, normalizeName } from '../domain/name.js'
import { parseRfc3339 } from '../domain/rfc3339.js'

/** Parsers of option values. Each throws InvalidArgumentError, which ends the command with a usage error. */

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const MAX_DAYS = 3_650

/** A duration such as `30d`, `12h` or `90m` in milliseconds, at most ten years. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9})([mhd])$/.exec(text)
  const milliseconds = match === null ? 0 : Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]
  if (milliseconds <= 0 || milliseconds > MAX_DAYS * UNIT_MS.d)
    throw new InvalidArgumentError(
      `It must be a length of time such as 30d, 12h or 90m, at most ${MAX_DAYS}d.`,
    )
  return milliseconds
}

/** Scope names separated by commas. An empty text gives none. */
export function parseScopes(text: string): Scope[] {
  return parseNames(text, SCOPES, 'the four')
}

/** Scopes of any key: the four, or the one of server keys. */
export function parseKeyScopes(text: string): KeyScope[] {
  return parseNames(text, [...SCOPES, EXPOSURES_SCOPE], 'they')
}

function parseNames<Name extends string>(text: string, known: readonly Name[], subject: string): Name[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  for (const name of names)
    if (!known.some((scope) => scope === name))
      throw new InvalidArgumentError(
        `There is no scope ${JSON.stringify(name)}: ${subject} are ${known.join(', ')}.`,
      )
  return known.filter((scope) => names.includes(scope))
}

/** 1 to 200 characters without control characters. */
export function parseName(text: string): string {
  const name = normalizeName(text)
  if ([...name].length > 200) throw new InvalidArgumentError('It must have at most 200 characters.')
  const problem = nameProblem(name)
  if (problem !== undefined) throw new InvalidArgumentError(`It ${problem}.`)
  return name
}

export function parseEmail(text: string): string {
  const email = text.trim()
  // Only finds typing errors.
  if (
    email.length > 254 ||
    !/^[^\s@,;<>"]+@[^\s@,;<>".]+(\.[^\s@,;<>".]+)*$/u.test(email) ||
    /\p{Cc}/u.test(email)
  )
    throw new InvalidArgumentError('It must be an email address such as ada@example.com.')
  return email
}

export function parseId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be an id, as create and list show them.')
  return text.toLowerCase()
}

export interface Limit {
  /** Null means no limit. In an object, because commander turns null into text. */
  readonly limit: number | null
}

/** A whole number from `min` to `max`, or the word that removes the limit. */
export function parseLimit(min: number, max: number, word: string): (text: string) => Limit {
  return (text) => {
    if (text === word) return { limit: null }
    const limit = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (!(limit >= min && limit <= max))
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}, or ${word}.`)
    return { limit }
  }
}

export function parseCount(min: number, max: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (!(count >= min && count <= max))
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    return count
  }
}

/** A time with its zone, or an age. */
export type Moment = { readonly at: Date } | { readonly agoMs: number }

export function parseMoment(text: string): Moment {
  const at = parseRfc3339(text)
  if (at !== undefined) return { at: new Date(at) }
  try {
    return { agoMs: parseDuration(text) }
  } catch {
    throw new InvalidArgumentError(
      'It must be a time such as 2026-03-01T12:00:00Z, or how long ago it was, such as 2d, 12h or 90m.',
    )
  }
}

/** A UTC day. */
export function parseDay(text: string): string {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseRfc3339(`${text}T00:00:00Z`) : undefined
  if (at === undefined) throw new InvalidArgumentError('It must be a day such as 2026-03-01.')
  return text
}

export function parseSearch(text: string): string {
  if (text.trim() === '' || text.length > 200 || text.includes('\0'))
    throw new InvalidArgumentError('It must be 1 to 200 characters.')
  return text
}
