import { LOOKS_LIKE_ADDRESS, UNSEEN, withoutControls } from './code-facts.js'

/** The characters that escapes of JSON, YAML and Markdown mean. */
const unescaped = (text: string): string =>
  text
    .replace(/\\(?:u([\da-f]{4})|x([\da-f]{2}))/gi, (_, long: string | undefined, short: string) =>
      String.fromCharCode(Number.parseInt(long ?? short, 16)),
    )
    .replace(/\\[nrt]|[\t\r]/g, '')
    .replace(/\\(?=\D)/g, '')

/** Files of texts may not gain markup, attributes or addresses, because code may show them unescaped. */
export function newInData(find: string, replace: string, text: string): string | null {
  const pieces =
    unescaped(replace).match(
      /<[a-z!/?][^>]*>?|&(?:lt|#0*60|#x0*3c)|\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>]*|\b(?:\w*script|data|blob|file|mailto):[^\s"']+|(?<![:\w])\/\/[^\s"']+|[\w:@.-]+\s*=\s*["'{`]|\bon\w+\s*=/gi,
    ) ?? []
  return pieces.find((piece) => !find.includes(piece) && !text.includes(piece)) ?? null
}

/** Texts by their paths; other values as what they are. */
function valuesOf(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'string') into.set(path, value)
  else if (typeof value === 'object' && value !== null) {
    into.set(path, Array.isArray(value) ? `${OTHER_VALUE}[]` : OTHER_VALUE)
    for (const [key, inner] of Object.entries(value)) valuesOf(inner, `${path}/${key}`, into)
  } else into.set(path, OTHER_VALUE + JSON.stringify(value))
  return into
}

/** No text of a file begins so. */
const OTHER_VALUE = '\0'

/** Placeholders of messages: `{name}`, `{{name}}`, `%s`, `$t(…)`, `@:key`, `|`. */
const FILLINGS = /\{\{?\s*[\w.-]*|%[sd({]|\$t\(|@[:.]|\|/g

/**
 * Additions of an edit to a file of texts: undefined if there are none, or if it is not read as JSON;
 * every text stays, and a new one has the markup, addresses and fillings of the old one only.
 */
export function newInJson(text: string, now: string): string | undefined {
  let before: Map<string, string>
  let after: Map<string, string>
  try {
    before = valuesOf(JSON.parse(text.replace(/^\ufeff/, '')))
    after = valuesOf(JSON.parse(now.replace(/^\ufeff/, '')))
  } catch {
    // Grounding tells it; a file with comments is checked by its source.
    return undefined
  }
  for (const path of before.keys()) if (!after.has(path)) return `a file without ${path}`
  const all = [...before.values()]
  for (const [path, value] of after) {
    const old = before.get(path)
    if (/\/(__proto__|prototype|constructor)(\/|$)/.test(path) && old === undefined) return path
    if (value === old || (old === undefined && all.includes(value))) continue
    if (value.startsWith(OTHER_VALUE) !== (old ?? value).startsWith(OTHER_VALUE)) return path
    if (old?.startsWith(OTHER_VALUE)) return `${path}: ${value.slice(1)}`
    if (UNSEEN.test(value)) return value
    const known = old === undefined ? all : [old]
    const fillings = /\b(?:plural|select)\b/.test(old ?? '') ? [] : (value.match(FILLINGS) ?? [])
    const strange =
      value
        .match(/<[^>]*>?|&#?\w*;?/g)
        ?.find(
          (one) => !/^(?:&(?:amp|nbsp|shy);?|&|< ?)$/.test(one) && !all.some((each) => each.includes(one)),
        ) ?? fillings.find((one) => !known.some((each) => each.includes(one)))
    if (strange !== undefined) return strange
    if ((value.match(/\{/g)?.length ?? 0) !== (value.match(/\}/g)?.length ?? 0)) return value
    if (
      LOOKS_LIKE_ADDRESS.test(withoutControls(value)) ||
      (old !== undefined && isName(old.replace(/<[^>]*>/g, '')))
    )
      return value
  }
  return undefined
}

/** An address, a key or a file and no text. */
const isName = (text: string): boolean => /^\S*[/#?=_@]\S*$|^\S+\.\w+$/.test(text)
