import { withoutWords } from '../page/message-links.js'
import { isPureName, type Piece, PRIVATE } from './pieces.js'

/** A file's code in pieces small enough to be put together anew without doing anything new. */
export interface CodeFacts {
  pieces: Piece[]
  /** by key, the scopes that have it */
  known: Map<string, string[]>
  names: Set<string>
  /** parameters of functions that only compute what a list shows, whose names are free */
  locals: Set<string>
  declared: Set<string>
  /** names of content that the whole file can read: data that it writes out, and imports of such files */
  ofModule: Set<string>
  /** functions that are called: `go`, `api.go` */
  called: Set<string>
  /** names that are declared more than once, so that one may hide the other */
  redeclared: Set<string>
  used: Set<string>
  exported: Set<string>
  strings: Set<string>
}

export const noFacts = (): CodeFacts => ({
  pieces: [],
  known: new Map(),
  names: new Set(),
  locals: new Set(),
  declared: new Set(),
  ofModule: new Set(),
  called: new Set(),
  redeclared: new Set(),
  used: new Set(),
  exported: new Set(),
  strings: new Set(),
})

/** Attributes with harmless values. */
export const FREE =
  /^(class|placeholder|title|alt|label|aria-label|aria-labelledby|aria-describedby|aria-live|aria-hidden|role|lang|dir|required|aria-required|checked|defaultchecked|selected|disabled|open|hidden|autocomplete|inputmode|rows|cols|width|height|loading|key|for)$/

/** Whether a scope is another one or inside of it. */
const isWithin = (scope: string, other: string): boolean => scope === other || scope.startsWith(`${other}›`)

/** Browsers drop white space and controls in addresses. */
export const withoutControls = (text: string): string => text.replace(/[\t\r\n]|^[\s\p{Cc}]+/gu, '')

export const LOOKS_LIKE_ADDRESS =
  /^((\w*script|data|blob):|(file|https?|wss?|ftp|mailto|tel|sms):(?!\s)|\.{0,2}[\\/](?!\s))|:\/\//iu
export const IS_MARKUP = /<\s*[a-z!/?]|<$|\bon[a-z]+\s*=|\bsrc\w*\s*=|\bstyle\s*=/i
/** Characters that no one sees, but for those of emojis and of words. */
export const UNSEEN =
  /(?!\n|\r|\t|\u00ad|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const IS_ELEMENT = /^(script|iframe|embed)$/i
const FILLED = /\{[^{}]*\}?|\}/g

/** The things that code does after an edit and not before. */
export function* newInCode(before: CodeFacts, after: CodeFacts): Generator<string> {
  for (const name of after.names)
    if (!isPureName(name) && !before.names.has(name) && !before.declared.has(name) && !after.locals.has(name))
      yield name
  // A value of the whole file can be read at each place of it.
  const isOfModule = (key: string): boolean => {
    const name = /^(?:read|solid|list):([\w$]+)/.exec(key)?.[1] ?? ''
    return before.ofModule.has(name) && !before.redeclared.has(name) && !PRIVATE.test(key)
  }
  const isAround = (key: string, scope: string): boolean =>
    before.known.get(key)?.some((one) => isWithin(scope, one) || isOfModule(key)) === true
  // A property that the file reads elsewhere, of an object that the code around takes as given.
  const isReadElsewhere = (key: string, scope: string): boolean => {
    const object = /^read:(.+)\.[\w$]+$/.exec(key)?.[1]
    return object !== undefined && before.known.has(key) && isAround(`solid:${object}`, scope)
  }
  const isKnown = ({ key, scope, parts }: Piece): boolean =>
    isAround(key, scope) || parts?.every(isKnown) === true || isReadElsewhere(key, scope)
  for (const piece of after.pieces)
    if (!isKnown(piece)) for (const { source } of unknownIn(piece, isKnown)) yield source
  for (const name of before.declared)
    if (!after.declared.has(name) && after.used.has(name)) yield `code that needs ${name}, which is gone`
  for (const name of before.exported) if (!after.exported.has(name)) yield `a file without its export ${name}`
  const filled = new Set([...before.strings].flatMap((one) => one.match(FILLED) ?? []))
  const addresses = new Set([...before.strings].map(withoutWords))
  for (const one of after.strings)
    if (
      !before.strings.has(one) &&
      ((LOOKS_LIKE_ADDRESS.test(withoutControls(one)) && !addresses.has(withoutWords(one))) ||
        IS_MARKUP.test(one) ||
        IS_ELEMENT.test(one) ||
        UNSEEN.test(one) ||
        one.match(FILLED)?.some((each) => !filled.has(each)) === true)
    )
      yield one
  yield* guardsGone(before, after)
}

/** The smallest parts that make a piece unknown. */
function unknownIn(piece: Piece, isKnown: (piece: Piece) => boolean): Piece[] {
  const parts = piece.parts?.filter((one) => !isKnown(one)) ?? []
  return parts.length === 0 ? [piece] : parts.flatMap((one) => unknownIn(one, isKnown))
}

/** Handlers that let the browser send their form, so that what visitors typed stands in an address. */
function* guardsGone(before: CodeFacts, after: CodeFacts): Generator<string> {
  const scopes = new Set(after.pieces.map(({ scope }) => scope))
  for (const { key, scope } of before.pieces)
    if (
      /\.preventDefault\(\)$/.test(key) &&
      scopes.has(scope) &&
      after.known.get(key)?.includes(scope) !== true
    )
      yield `a handler without ${key}`
}
