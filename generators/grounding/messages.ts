import type { Edit } from '../../variants/port.js'
import {
  childOf,
  everyNode,
  listOf,
  programOf,
  type SourceNode,
  syntaxOf,
  textOf,
} from '../../variants/script/syntax.js'
import { splice } from '../../variants/text.js'
import { withoutComments } from '../comments.js'
import { type Locale, localeOf, placeOf } from '../page/locales.js'

/** Files of texts that take no variants, because no code runs in them. */
export const isDataFile = (path: string): boolean => /\.(json|ya?ml)$/i.test(path)

/** Files of code with the texts of a language: `lang/en.js`. */
export const isTextsInCode = (path: string): boolean => placeOf(path) !== null && !isDataFile(path)

/** The texts of a site, and those that the edits for everybody make of them. */
export interface SiteTexts {
  before: readonly Locale[]
  after: readonly Locale[]
}

/** A text with the edits that all variants share, if the place of each is found. */
export const forEverybody = (text: string, edits: readonly Edit[]): string =>
  splice(
    text,
    edits
      .filter(({ find, variant }) => variant === undefined && text.includes(find))
      .map(({ find, replace }) => {
        const start = text.indexOf(find)
        return { start, end: start + find.length, text: replace }
      }),
  )

/** The texts of a site after the edits of an idea. */
export async function textsAfter(
  before: readonly Locale[],
  files: readonly { path: string; edits: readonly Edit[] }[],
  read: (path: string) => Promise<string | null>,
): Promise<SiteTexts> {
  const changed = new Map<string, Locale | null>()
  for (const { path, edits } of files) {
    const text = placeOf(path) === null ? null : await read(path)
    if (text !== null) changed.set(path, localeOf(path, forEverybody(text, edits)))
  }
  return { before, after: before.map((one) => changed.get(one.path) ?? one) }
}

/** The import of the functions that Paraglide makes of messages, one for each key. */
const PARAGLIDE =
  /\bimport\s+(?:\*\s*as\s+([\w$]+)|\{\s*(?:m\s+as\s+([\w$]+)|(m))\s*\})\s+from\s*["'][^"'\n]*\bparaglide\/messages(?:\.js)?["']/g
/** A file imports them once, or in a few forms. */
const MAX_IMPORTS = 4
/** A call with the key of a text: `t('cart.title')`, `$t("cart.title")`. */
const CALL_WITH_KEY = /(?<![\w.])(?:(?:this|i18n|\$i18n|props)\.)?\$?t\(\s*["']([\w.:-]+)["']/g

/** Whether an import brings in the functions of messages. */
export const importsMessages = (from: string): boolean => /\bparaglide\/messages$/.test(from)

/** The calls in code that show a text by its key. `imports` has the imports that count. */
export function messageCalls(
  text: string,
  imports: string,
): { call: string; key: string; isFunction: boolean }[] {
  const found = [...withoutComments(imports).matchAll(PARAGLIDE)]
  const names = [...new Set(found.map(([, all, other, own]) => all ?? other ?? own ?? ''))].slice(
    0,
    MAX_IMPORTS,
  )
  const byFunction = names.flatMap((name) =>
    [...text.matchAll(new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\.([\\w$]+)\\(`, 'g'))].map(
      ([, key = '']) => ({ call: `${name}.${key}`, key, isFunction: true }),
    ),
  )
  const byKey = [...text.matchAll(CALL_WITH_KEY)].map(([call, key = '']) => ({
    call: `${call})`,
    key,
    isFunction: false,
  }))
  return [...byFunction, ...byKey]
}

/** `title` is a part of `hero.title`, and `items` holds `items.first`. A plural has a form behind its key. */
const isNamed = (entry: string, key: string): boolean =>
  `.${entry}`.endsWith(`.${key}`) || `.${entry}.`.includes(`.${key}.`) || `.${entry}`.includes(`.${key}_`)

/**
 * Whether a key is one of the site's texts: of any language before, because the site can do without the
 * others, and of each language if an idea adds it.
 */
export function isTextKey({ before, after }: SiteTexts, written: string, isWhole: boolean): boolean {
  const key = written.replace(/^[\w-]+:/, '')
  const has = ({ entries }: Locale): boolean =>
    entries.has(key) || (!isWhole && [...entries.keys()].some((one) => isNamed(one, key)))
  if (before.some(has)) return true
  const groups = new Set(after.filter(has).map(({ group }) => group))
  return groups.size > 0 && after.filter(({ group }) => groups.has(group)).every(has)
}

/** The object with the texts of a file: the largest one, as `localeOf` reads it. */
function textsObject(path: string, text: string): SourceNode | undefined {
  return [...everyNode(programOf(text, syntaxOf(path)))]
    .map(({ node }) => node)
    .filter(({ type }) => type === 'ObjectExpression')
    .sort((a, b) => b.end - b.start - (a.end - a.start))[0]
}

const nameOf = (property: SourceNode): string | undefined => {
  const key = childOf(property, 'key')
  return property.type !== 'ObjectProperty' || property.computed === true || property.shorthand === true
    ? undefined
    : (textOf(key, 'name') ?? textOf(key, 'value'))
}

/** The texts of an object that has nothing else, `null` for other code. */
function plainTexts(value: SourceNode | undefined): string[] | null {
  if (value?.type === 'StringLiteral') return [textOf(value, 'value') ?? '']
  if (value?.type !== 'ObjectExpression') return null
  const inner = listOf(value, 'properties').map((one) =>
    isOwnName(nameOf(one)) ? plainTexts(childOf(one, 'value')) : null,
  )
  return inner.includes(null) ? null : inner.flatMap((one) => one ?? [])
}

const isOwnName = (name: string | undefined): boolean =>
  name !== undefined && !/^(__proto__|prototype|constructor)$/.test(name)

/**
 * A file of code with texts without the keys that edits add, and the texts of these. A key is new if its
 * object has none of that name and no other object spread in it. `now` has to parse.
 */
export function withoutNewKeys(path: string, text: string, now: string): { code: string; texts: string[] } {
  const gone: { start: number; end: number; text: '' }[] = []
  const texts: string[] = []
  const compare = (before: SourceNode, after: SourceNode): void => {
    const old = listOf(before, 'properties')
    const isPlain = old.every((one) => nameOf(one) !== undefined)
    const known = new Map(old.map((one) => [nameOf(one), childOf(one, 'value')]))
    const properties = listOf(after, 'properties')
    for (const [at, one] of properties.entries()) {
      const name = nameOf(one)
      const value = childOf(one, 'value')
      if (!isOwnName(name)) continue
      const was = known.get(name)
      const added = isPlain && !known.has(name) ? plainTexts(value) : null
      if (was?.type === 'ObjectExpression' && value?.type === 'ObjectExpression') compare(was, value)
      if (added === null) continue
      known.set(name, undefined)
      texts.push(...added)
      gone.push({ start: one.start, end: properties[at + 1]?.start ?? one.end, text: '' })
    }
  }
  const [before, after] = [textsObject(path, text), textsObject(path, now)]
  if (before !== undefined && after !== undefined) compare(before, after)
  return { code: splice(now, gone), texts }
}
