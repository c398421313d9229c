import {
  childOf,
  everyNode,
  listOf,
  programOf,
  type SourceNode,
  syntaxOf,
  textOf,
} from '../../variants/script/syntax.js'

/** A file with the texts of one language. */
export interface Locale {
  path: string
  language: string
  /** the path without its language, which files with the same keys share */
  group: string
  /** texts by key, nested keys joined by dots */
  entries: ReadonlyMap<string, string>
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
    return entries.size === 0 ? null : { path, ...place, entries }
  }
  const isJson = /\.json$/i.test(path)
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
  const entries = new Map<string, string>()
  if (largest !== null) collect(largest, '', entries)
  return entries.size === 0 ? null : { path, ...place, entries }
}

function collect(object: SourceNode, prefix: string, into: Map<string, string>): void {
  for (const property of listOf(object, 'properties')) {
    const keyNode = childOf(property, 'key')
    const value = childOf(property, 'value')
    const name = textOf(keyNode, 'name') ?? textOf(keyNode, 'value')
    if (property.computed === true || name === undefined || value === undefined) continue
    const key = prefix === '' ? name : `${prefix}.${name}`
    const words = textOf(value, 'value')
    if (value.type === 'ObjectExpression') collect(value, key, into)
    else if (value.type === 'StringLiteral' && words !== undefined) into.set(key, words)
  }
}

const LINE =
  /^([ \t]*)((?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^\s'"#&*!|>%@`{[\-?:][^:#\n]*?|[^\s'"#&*!|>%@`{[?:][^:#\n]*?))[ \t]*:(?:[ \t]+(.*?))?[ \t]*\r?$/

/** The keys of a YAML file with texts on the same line. Texts of several lines are left out. */
function linesOf(text: string): Map<string, string> {
  const entries = new Map<string, string>()
  const above: { indent: number; name: string }[] = []
  let offset = 0
  for (const line of text.split('\n')) {
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
    entries.set([...path, name].join('.'), value)
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
    natural.filter(([key, value]) => key === value).length * 2 > natural.length
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

/** The text of a key in the main language. If several groups have the key, `namespace` decides. */
export function textOfKey({ main }: Texts, key: string, namespace: string | undefined): string | undefined {
  const named = main.filter(({ group }) => namespace !== undefined && group.split('/').at(-1) === namespace)
  for (const [groups, own] of [
    [named, key],
    [main, namespace === undefined ? key : `${namespace}.${key}`],
    [main, key],
  ] as const) {
    const having = groups.filter(({ entries }) => entries.has(own))
    const [only, ...more] = having
    const entry = only?.entries.get(own)
    if (entry === undefined) continue
    // Code fills in placeholders and markup.
    return more.length > 0 || /[{}<>]|&\w+;/.test(entry) ? undefined : entry
  }
  return undefined
}
