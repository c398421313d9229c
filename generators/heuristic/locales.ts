import {
  childOf,
  everyNode,
  listOf,
  programOf,
  type SourceNode,
  syntaxOf,
  textOf,
} from '../../variants/script/syntax.js'
import { onlyPlaceOf } from '../../variants/text.js'
import { LANGUAGES, type Language } from './words/language.js'
import { saidAs } from './words/sayings.js'

/** A key with its text: `start` to `end` is the property as it is written. */
interface Entry {
  value: string
  start: number
  end: number
  /** the last part of the key, and the quotes around it and around the value */
  name: string
  nameQuote: string
  valueQuote: string
}

/** A file with the texts of one language. */
export interface Locale {
  path: string
  text: string
  language: string
  /** the same for the files of all languages with the same keys: the path without its language */
  group: string
  entries: ReadonlyMap<string, Entry>
}

const FOLDER = /(^|\/)(locales?|i18n|langs?|languages|messages|translations)(\/|$)/i
const CODE = /^([a-z]{2})(?:[-_][A-Za-z]{2,4})?$/
const LONGEST = 600_000

/** The language and group of a file of texts, by its path; `null` for other files. */
export function placeOf(path: string): { language: string; group: string } | null {
  const ending = /\.(json|[cm]?[jt]s)$/i.exec(path)
  if (ending === null || !FOLDER.test(path)) return null
  const parts = path.slice(0, ending.index).split('/')
  const at = parts.findLastIndex((part, index) => index >= parts.length - 2 && CODE.test(part))
  const language = CODE.exec(parts[at] ?? '')?.[1]
  return language === undefined ? null : { language, group: parts.with(at, '*').join('/') }
}

/** The texts of a file by key, nested keys joined by dots; `null` where it cannot be read or has none. */
export function localeOf(path: string, text: string): Locale | null {
  const place = placeOf(path)
  if (place === null || text.length > LONGEST) return null
  const isJson = /\.json$/i.test(path)
  const lead = isJson ? '(' : ''
  let program: SourceNode
  try {
    program = programOf(
      isJson ? `(${text.replace(/^\ufeff/, ' ')})` : text,
      isJson ? { typescript: false, jsx: false } : syntaxOf(path),
    )
  } catch {
    return null
  }
  let largest: SourceNode | null = null
  for (const { node } of everyNode(program))
    if (
      node.type === 'ObjectExpression' &&
      (largest === null || node.end - node.start > largest.end - largest.start)
    )
      largest = node
  const entries = new Map<string, Entry>()
  if (largest !== null) collect(largest, '', text, lead.length, entries)
  return entries.size === 0 ? null : { path, text, ...place, entries }
}

function collect(
  object: SourceNode,
  prefix: string,
  text: string,
  shift: number,
  into: Map<string, Entry>,
): void {
  for (const property of listOf(object, 'properties')) {
    const keyNode = childOf(property, 'key')
    const value = childOf(property, 'value')
    if (property.computed === true || keyNode === undefined || value === undefined) continue
    const name = textOf(keyNode, 'name') ?? textOf(keyNode, 'value')
    if (name === undefined) continue
    const key = prefix === '' ? name : `${prefix}.${name}`
    const words = textOf(value, 'value')
    if (value.type === 'ObjectExpression') collect(value, key, text, shift, into)
    else if (value.type === 'StringLiteral' && words !== undefined) {
      const first = text[keyNode.start - shift] ?? ''
      into.set(key, {
        value: words,
        start: property.start - shift,
        end: property.end - shift,
        name,
        nameQuote: /["']/.test(first) ? first : '',
        valueQuote: text[value.start - shift] ?? '"',
      })
    }
  }
}

/** Texts of all languages that are known. */
export interface Texts {
  locales: readonly Locale[]
  /** the language that pages are read in, English where there is any: one file a group */
  main: readonly Locale[]
}

export function textsOf(locales: readonly Locale[]): Texts {
  const sorted = [...locales].sort((a, b) => (a.path < b.path ? -1 : 1))
  const language = sorted.some((one) => one.language === 'en') ? 'en' : sorted[0]?.language
  return { locales: sorted, main: sorted.filter((one) => one.language === language) }
}

/** A key of one group, as text: what `newKey` takes. */
export interface Found {
  value: string
  key: string
}

/**
 * The text of a key in the main language. Where several groups have it, the one that is named like `namespace`; none where that does not tell.
 */
export function textOfKey({ main }: Texts, key: string, namespace: string | undefined): Found | undefined {
  const named = main.filter(({ group }) => namespace !== undefined && group.split('/').at(-1) === namespace)
  for (const [groups, own] of [
    [named, key],
    [main, namespace === undefined ? key : `${namespace}.${key}`],
    [main, key],
  ] as const) {
    const having = groups.filter(({ entries }) => entries.has(own))
    const [only, ...more] = having
    const entry = only?.entries.get(own)
    if (only === undefined || entry === undefined) continue
    // Placeholders and markup in a text are worked out by code.
    return more.length > 0 || /[{}<>]/.test(entry.value)
      ? undefined
      : { value: entry.value, key: `${only.group}#${own}` }
  }
  return undefined
}

const isWritten = (language: string): language is Language => LANGUAGES.some((one) => one === language)

/** A plain edit of a file of texts. */
export interface Addition {
  path: string
  find: string
  added: string
}

/**
 * A new key with other words beside an old one, in each language's file that has the old one: in the main language the words, in another what means the
 * same there, and where that is not known the control's own text. `null` where a file cannot take it.
 */
export function newKey(
  { locales, main: mains }: Texts,
  found: string,
  words: string,
): { name: string; additions: Addition[] } | null {
  const [group, key = ''] = found.split('#')
  const own = mains.find((one) => one.group === group)
  const main = own?.entries.get(key)
  if (own === undefined || main === undefined || /["'\\{}<>\n]/.test(words)) return null
  const last = key.split('.').at(-1) ?? key
  const slug = words
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.slice(0, 4)
    .join(/-/.test(last) ? '-' : '_')
  if (slug === undefined) return null
  const isCamel = /^[a-z]+[A-Z]/.test(last) || (!/[_-]/.test(last) && main.nameQuote === '')
  const name = isCamel
    ? `${last}${slug
        .split('_')
        .map((one) => one.charAt(0).toUpperCase() + one.slice(1))
        .join('')}`
    : `${last}_${slug}`
  const said = isWritten(own.language) ? saidAs(words, own.language) : null
  const additions: Addition[] = []
  for (const { path, text, language, group: theirs, entries } of locales) {
    const entry = entries.get(key)
    if (entry === undefined || theirs !== group) continue
    if (entries.has(key.slice(0, key.length - last.length) + name)) return null
    const other =
      language === own.language
        ? words
        : said !== null && isWritten(language)
          ? (said
              .in(language)
              .find(
                (_, index, all) => index === Math.min(said.in(said.language).indexOf(words), all.length - 1),
              ) ?? entry.value)
          : entry.value
    const find = text.slice(entry.start, entry.end)
    if (
      typeof onlyPlaceOf(text, find) !== 'number' ||
      other.includes(entry.valueQuote) ||
      /[\\\n]/.test(other)
    )
      return null
    const indent = /(\r?\n[ \t]*)$/.exec(text.slice(0, entry.start))?.[1] ?? ' '
    additions.push({
      path,
      find,
      added: `,${indent}${entry.nameQuote}${name}${entry.nameQuote}: ${entry.valueQuote}${other}${entry.valueQuote}`,
    })
  }
  return { name, additions }
}
