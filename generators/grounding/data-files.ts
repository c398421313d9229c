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

/** Texts by their paths; of other values what they are. */
function valuesOf(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null) {
    into.set(path, Array.isArray(value) ? '[]' : '{}')
    for (const [key, inner] of Object.entries(value)) valuesOf(inner, `${path}/${key}`, into)
  } else into.set(path, typeof value === 'string' ? value : `${typeof value} ${value}`)
  return into
}

/** Markup, entities, and placeholders of messages: `{name}`, `%s`, `$t(…)`, `@:key`, `|`. */
const PIECES = /<[^>]*>?|&(?!(?:amp|nbsp|shy);|\s)#?\w*;?|\{\{?\s*[\w.-]*|%[sd({]|\$t\(|@[:.]|\|/g

/**
 * The addition or change in a file of texts that is not allowed; undefined without one. Everyone sees
 * its texts, so each one stays, and a new one has only pieces that others have.
 */
export function newInJson(text: string, now: string): string | undefined {
  let before: Map<string, string>
  let after: Map<string, string>
  try {
    before = valuesOf(JSON.parse(text.replace(/^\ufeff/, '')))
    after = valuesOf(JSON.parse(now.replace(/^\ufeff/, '')))
  } catch {
    return 'what is no JSON'
  }
  for (const [path, value] of before) if (after.get(path) !== value) return `another text at ${path}`
  const all = [...before.values()]
  for (const [path, value] of after) {
    if (before.has(path) || all.includes(value)) continue
    if (/\/(__proto__|prototype|constructor)(\/|$)/.test(path)) return path
    const isStrange = UNSEEN.test(value) || LOOKS_LIKE_ADDRESS.test(withoutControls(value))
    if (isStrange || value.split('{').length !== value.split('}').length) return value
    const strange = value.match(PIECES)?.find((one) => !all.some((each) => each.includes(one)))
    if (strange !== undefined) return strange
  }
  return undefined
}
