import { parse } from 'yaml'
import { LOOKS_LIKE_ADDRESS, UNSEEN, withoutControls } from './code-facts.js'

/** Files of texts repeat keys, and have tags of their own. */
const YAML = { uniqueKeys: false, logLevel: 'silent' } as const

/** Texts by their paths; of other values what they are. */
function valuesOf(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null) {
    into.set(path, Array.isArray(value) ? '[]' : '{}')
    for (const [key, inner] of Object.entries(value))
      valuesOf(inner, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, into)
  } else into.set(path, typeof value === 'string' ? value : `${typeof value} ${value}`)
  return into
}

/** Markup, entities, and placeholders of messages: `{name}`, `%s`, `$t(…)`, `@:key`, `|`. */
const PIECES = /<[^>]*>?|&(?!(?:amp|nbsp|shy);|\s)#?\w*;?|\{\{?\s*[\w.-]*|%[sd({]|\$t\(|@[:.]|\|/g

/** The markup, placeholder or address of a new text that no other text of its file has. */
export function strangeIn(value: string, all: readonly string[]): string | undefined {
  if (all.includes(value)) return undefined
  const isStrange = UNSEEN.test(value) || LOOKS_LIKE_ADDRESS.test(withoutControls(value))
  if (isStrange || value.split('{').length !== value.split('}').length) return value
  return value.match(PIECES)?.find((one) => !all.some((each) => each.includes(one)))
}

/** A rule that a change of a file of texts breaks, and what breaks it. */
interface DataOffence {
  rule: 'data' | 'old text'
  what: string
}

/**
 * The addition or change in a file of texts, JSON or YAML, that is not allowed; undefined without one.
 * Everyone sees its texts, so each one stays, and a new one has only pieces that others have.
 */
export function newInData(path: string, text: string, now: string): DataOffence | undefined {
  const read = (source: string): Map<string, string> => {
    const bare = source.replace(/^\ufeff/, '')
    return valuesOf(/\.json$/i.test(path) ? JSON.parse(bare) : parse(bare, YAML))
  }
  const data = (what: string): DataOffence => ({ rule: 'data', what })
  let before: Map<string, string>
  let after: Map<string, string>
  try {
    before = read(text)
    after = read(now)
  } catch {
    // Not parsing is the violation.
    return data('what its parser does not read')
  }
  for (const [key, value] of before) if (after.get(key) !== value) return { rule: 'old text', what: key }
  const all = [...before.values()]
  for (const [key, value] of after) {
    if (before.has(key)) continue
    if (/\/(__proto__|prototype|constructor)(\/|$)/.test(key)) return data(key)
    const strange = strangeIn(value, all)
    if (strange !== undefined) return data(strange)
  }
  return undefined
}
