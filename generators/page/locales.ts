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
import { isLanguage } from '../lexicon/language.js'
import { sameLabelIn } from '../lexicon/lexicons.js'

/** A key with its text. `start` to `end` is the whole property. */
interface Entry {
  value: string
  start: number
  end: number
  /** the last part of the key, with the quotes around it and around the value */
  name: string
  nameQuote: string
  valueQuote: string
  /** a line of YAML */
  isLine?: true
}

/** A file with the texts of one language. */
export interface Locale {
  path: string
  text: string
  language: string
  /** the path without its language, which files with the same keys share */
  group: string
  entries: ReadonlyMap<string, Entry>
}

const FOLDER = /(^|\/)(locales?|i18n|langs?|languages|messages|translations)(\/|$)/i
const CODE = /^([a-z]{2})(?:[-_][A-Za-z]{2,4})?$/
const SPOKEN =
  'en de fr es it pt nl pl sv da fi nb no cs sk sl hu ro bg el ja ko zh ru uk tr ar he fa hi vi th id'.split(
    ' ',
  )
/** `ui-fr.yaml`: a name that ends with a language, and does not begin with one. */
const NAMED = new RegExp(`^(?!(?:${SPOKEN.join('|')})[-_.])[a-z]+[-_.](${SPOKEN.join('|')})$`, 'i')
const LONGEST = 600_000

/** The language and group of a file of texts by its path, `null` for other files. */
export function placeOf(path: string): { language: string; group: string } | null {
  const ending = /\.(json|ya?ml|[cm]?[jt]s)$/i.exec(path)
  if (ending === null || !FOLDER.test(path)) return null
  const parts = path.slice(0, ending.index).split('/')
  const name = parts.at(-1) ?? ''
  const ends = NAMED.exec(name)?.[1]?.toLowerCase()
  if (ends !== undefined) return { language: ends, group: parts.with(-1, `${name.slice(0, -2)}*`).join('/') }
  const at = parts.findLastIndex((part, index) => index >= parts.length - 2 && CODE.test(part))
  const language = CODE.exec(parts[at] ?? '')?.[1]
  return language === undefined ? null : { language, group: parts.with(at, '*').join('/') }
}

/** The texts of a file by key, nested keys joined by dots. `null` if it cannot be read or has none. */
export function localeOf(path: string, text: string): Locale | null {
  const place = placeOf(path)
  if (place === null || text.length > LONGEST) return null
  if (/\.ya?ml$/i.test(path)) {
    const entries = linesOf(text)
    return entries.size === 0 ? null : { path, text, ...place, entries }
  }
  const isJson = /\.json$/i.test(path)
  const lead = isJson ? '(' : ''
  let program: SourceNode
  try {
    program = programOf(
      isJson ? `(${text.replace(/^\ufeff/, ' ')})` : text,
      isJson ? { typescript: false, jsx: false } : syntaxOf(path),
    )
  } catch {
    // Not readable, so it holds no translations.
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

const LINE =
  /^([ \t]*)((?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^\s'"#&*!|>%@`{[\-?:][^:#\n]*?|[^\s'"#&*!|>%@`{[?:][^:#\n]*?))[ \t]*:(?:[ \t]+(.*?))?[ \t]*\r?$/

/** The keys of a YAML file with texts on the same line. Texts of several lines are left out. */
function linesOf(text: string): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  const above: { indent: number; name: string }[] = []
  let offset = 0
  for (const line of text.split('\n')) {
    const start = offset
    offset += line.length + 1
    const [, lead = '', written = '', said = ''] = LINE.exec(line) ?? []
    if (written === '') continue
    while ((above.at(-1)?.indent ?? -1) >= lead.length) above.pop()
    const name = unquoted(written)
    if (said === '') {
      above.push({ indent: lead.length, name })
      continue
    }
    const next = /^([ \t]*)\S/.exec(text.slice(offset, offset + 200).split('\n')[0] ?? '')?.[1] ?? ''
    if (/^[|>&*!{[#]/.test(said) || next.length > lead.length || / #/.test(said)) continue
    const value = unquoted(said)
    if (/^["']/.test(value)) continue
    // A root that holds all keys is no part of them.
    const path = above.length === 1 && above[0]?.name === 'entries' ? [] : above.map((one) => one.name)
    entries.set([...path, name].join('.'), {
      value,
      start: start + lead.length,
      end: start + line.replace(/[ \t\r]+$/, '').length,
      name,
      nameQuote: '',
      valueQuote: '',
      isLine: true,
    })
  }
  return entries
}

function unquoted(written: string): string {
  const [, single, double] = /^(?:'((?:[^']|'')*)'|"((?:[^"\\])*)")$/.exec(written) ?? []
  return single === undefined ? (double ?? written) : single.replaceAll("''", "'")
}

/** The texts of all languages. */
export interface Texts {
  locales: readonly Locale[]
  /** the language that pages are read in, one file for each group */
  main: readonly Locale[]
}

/** Whether most texts are their own keys, which tells the language that the site is written in. */
const isOwnKeyed = ({ entries }: Locale): boolean => {
  const natural = [...entries].filter(([key]) => key.includes(' '))
  return (
    natural.length * 4 > entries.size &&
    natural.filter(([key, { value }]) => key === value).length * 2 > natural.length
  )
}

/** @param spoken the language of the pages themselves, `null` if it is not known */
export function textsOf(locales: readonly Locale[], spoken: string | null): Texts {
  const sorted = [...locales].sort((a, b) => (a.path < b.path ? -1 : 1))
  const has = (language: string): boolean => sorted.some((one) => one.language === language)
  const own = sorted.find(isOwnKeyed)?.language
  const language = own ?? (spoken !== null && has(spoken) ? spoken : has('en') ? 'en' : sorted[0]?.language)
  // Of `en` and `en-GB` the one with more texts.
  const most = new Map<string, Locale>()
  for (const one of sorted) {
    const known = most.get(one.group)
    if (one.language === language && (known === undefined || known.entries.size < one.entries.size))
      most.set(one.group, one)
  }
  return { locales: sorted, main: [...most.values()] }
}

/** A text with its key, as `newKey` accepts it. */
export interface KeyedText {
  value: string
  key: string
}

/** The text of a key in the main language. If several groups have the key, `namespace` decides. */
export function textOfKey(
  { main }: Texts,
  key: string,
  namespace: string | undefined,
): KeyedText | undefined {
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
    // Code fills in placeholders and markup.
    return more.length > 0 || /[{}<>]|&\w+;/.test(entry.value)
      ? undefined
      : { value: entry.value, key: `${only.group}#${own}` }
  }
  return undefined
}

/** A plain edit of a file of texts. */
export interface Addition {
  path: string
  find: string
  added: string
  /** its language, if the new words are not known in it and the control's text is kept */
  unwritten?: string
}

/**
 * A new key beside an old one, in each language's file: the new words in the main language, in others their
 * translation or else the control's text. `null` if it cannot be written into one of the files.
 */
export function newKey(
  { locales, main: mains }: Texts,
  found: string,
  words: string,
): { last: string; name: string; additions: Addition[] } | null {
  const group = found.slice(0, found.indexOf('#'))
  const key = found.slice(found.indexOf('#') + 1)
  const own = mains.find((one) => one.group === group)
  const main = own?.entries.get(key)
  if (own === undefined || main === undefined || /["'\\{}<>\n]/.test(words)) return null
  // A text that is its own key stays one.
  const isOwnKey = /\s/.test(key) || main.value === key
  const last = isOwnKey ? key : (key.split('.').at(-1) ?? key)
  const slug = words
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.slice(0, 4)
    .join(/-/.test(last) ? '-' : '_')
  if (slug === undefined) return null
  const isCamel =
    /^[a-z]+[A-Z]/.test(last) || (!/[_-]/.test(last) && main.nameQuote === '' && main.isLine !== true)
  const name = isOwnKey
    ? words
    : isCamel
      ? `${last}${slug
          .split('_')
          .map((one) => one.charAt(0).toUpperCase() + one.slice(1))
          .join('')}`
      : `${last}_${slug}`
  const additions: Addition[] = []
  for (const { path, text, language, group: theirs, entries } of locales) {
    const entry = entries.get(key)
    if (entry === undefined || theirs !== group) continue
    if (entries.has(key.slice(0, key.length - last.length) + name)) return null
    const translated =
      isLanguage(own.language) && isLanguage(language) ? sameLabelIn(words, own.language, language) : null
    const other = language === own.language ? words : (translated ?? entry.value)
    const kept = language !== own.language && other === entry.value ? { unwritten: language } : {}
    const find = text.slice(entry.start, entry.end)
    if (typeof onlyPlaceOf(text, find) !== 'number' || /["\\\n]/.test(other)) return null
    if (entry.isLine === true) {
      const line = /(\r?\n)?([ \t]*)$/.exec(text.slice(0, entry.start))
      const said = /^[\w.-]+$/.test(name) ? name : JSON.stringify(name)
      additions.push({
        path,
        find,
        ...kept,
        added: `${line?.[1] ?? '\n'}${line?.[2] ?? ''}${said}: ${JSON.stringify(other)}`,
      })
      continue
    }
    if (other.includes(entry.valueQuote)) return null
    const indent = /(\r?\n[ \t]*)$/.exec(text.slice(0, entry.start))?.[1] ?? ' '
    additions.push({
      path,
      find,
      ...kept,
      added: `,${indent}${entry.nameQuote}${name}${entry.nameQuote}: ${entry.valueQuote}${other}${entry.valueQuote}`,
    })
  }
  return { last, name, additions }
}
