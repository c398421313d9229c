/** What a file takes from another one. `names`: what of it, by the names that it has there; `null`: all. */
export interface Taken {
  from: string
  names: string[] | null
  /** the names that it has for them itself, in the same order */
  as?: string[]
}

/** What a file hands on from another one: pairs of the name that it has here and there, `null` for all. */
interface HandedOn {
  from: string
  names: [own: string, there: string][] | null
}

/** A file as far as it says what else is shown. */
export interface Node {
  path: string
  imports: Imports
  uses: readonly string[]
}

export interface Imports {
  takes: Taken[]
  handsOn: HandedOn[]
  /** names that it exports itself */
  exports: string[]
  /** what it takes from and never names again */
  idle?: string[]
  /** it does nothing but hand on: what nobody takes from it goes no further */
  isBarrel: boolean
}

const FROM =
  /\b(import|export)\s+(?!type\s+[\w{*])((?:[\w$]+\s*,\s*)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^{}"'`]*\}|[\w$]+))\s*from\s*["']([^"'\n]+)["'];?/g
const TYPES = /\b(?:import|export)\s+type\s+[^"'`;]{1,2000}?from\s*["'][^"'\n]+["'];?/g
/** What is loaded for its effects, later, or as many at once; a part that code fills in may be anything. */
const LOADS =
  /\b(?:import|require|glob|globEager|context|lazy)\s*\(\s*(?:\/\*[\s\S]*?\*\/\s*)?(["'`])([^"'`\n]+)\1/g
const EFFECT = /\bimport\s*["']([^"'\n]+)["'];?/g
/** Files that lists of routes name, and scripts of pages. */
const NAMED_FILES = /["'`]((?:\.{0,2}|[@~#$]?[\w-]+)\/(?:[\w@.[\]()$*-]+\/)*[\w@.[\]()$*-]+)["'`]/g
const EXPORTS =
  /\bexport\s+(?:default\s+)?(?:async\s+)?(?:function\*?|const|let|var|class|enum)\s+([\w$]+)|\bexport\s*\{([^{}]*)\}(?!\s*from)/g

/** Strings of one line: a name in them is none of code. */
const STRINGS = /"[^"\n]*"|(?<=[=(,:[{?&|]\s*|^\s*)'[^'\n]*'/gm

const PARTS_LISTED = /\bcomponents\s*:\s*\{[^{}]*\}/g
const LISTS_PARTS = /\bcomponents\s*:\s*\{/
/** `SignUpForm` as templates may write its tag: `sign-up-form`. */
export const tagOf = (name: string): string => name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '-').toLowerCase()

/** Whether a template may show any of the parts that are taken by these names: what is only listed among its parts has no tag any more. */
function tagsIn(text: string): (names: readonly string[]) => boolean {
  const rest = text.replace(FROM, '').replace(PARTS_LISTED, '')
  const isAny = /<component\b/.test(rest)
  return (names) =>
    isAny ||
    names.some((name) => !/^[A-Z]/.test(name) || rest.includes(name) || rest.includes(`<${tagOf(name)}`))
}

/** A template without what it takes and never shows. */
export function withoutIdle(text: string): string {
  if (!LISTS_PARTS.test(text) || !text.includes('<template')) return text
  const isShown = tagsIn(text)
  return text.replace(FROM, (whole, word: string, what: string) => {
    const pairs = word === 'import' ? pairsOf(what) : null
    return pairs === null || isShown(pairs.map(([own]) => own)) ? whole : ''
  })
}

/**
 * What a file takes from others and hands on, as its text without comments says it. Types are shown to nobody.
 * @param unshown parts that it takes and never shows
 */
export function importsOf(code: string, unshown: ReadonlySet<string> = new Set()): Imports {
  // Templates name what they show in other ways too.
  const isTemplate = /<template|<script/i.test(code)
  const text = code.replace(TYPES, '')
  const takes: Taken[] = []
  const idle: string[] = []
  let words: ReadonlySet<string> | null = null
  /** Whether any of what is taken is named again: what is only taken is shown nowhere. */
  const isUsed = (names: readonly string[]): boolean => {
    words ??= new Set(
      text
        .replace(FROM, '')
        .replace(STRINGS, '')
        .match(/[\w$]+/g),
    )
    return names.some((name) => words?.has(name) === true || name === 'React')
  }
  const tags = isTemplate ? tagsIn(text) : null
  const handsOn: HandedOn[] = []
  const exports: string[] = []
  for (const [, word, what = '', from = ''] of text.matchAll(FROM)) {
    const pairs = pairsOf(what)
    if (word === 'export') handsOn.push({ from, names: pairs })
    else if (
      pairs !== null &&
      (pairs.every(([own]) => unshown.has(own)) || !(tags ?? isUsed)(pairs.map(([own]) => own)))
    )
      idle.push(from)
    else
      takes.push({
        from,
        names: pairs?.map(([, there]) => there) ?? null,
        ...(pairs === null ? {} : { as: pairs.map(([own]) => own) }),
      })
  }
  for (const [, , from = ''] of text.matchAll(LOADS))
    takes.push({ from: from.replace(/\$\{[^}]*\}/g, '*'), names: null })
  for (const [, from = ''] of text.matchAll(EFFECT)) takes.push({ from, names: null })
  const rest = text.replace(FROM, '').replace(LOADS, '').replace(EFFECT, '')
  for (const [, from = ''] of rest.matchAll(NAMED_FILES)) takes.push({ from, names: null })
  for (const [, one, list = ''] of text.matchAll(EXPORTS)) {
    if (one !== undefined) exports.push(one)
    exports.push(...list.split(',').flatMap((part) => /([\w$]+)\s*$/.exec(part.trim())?.[1] ?? []))
  }
  if (/\bexport\s+default\b/.test(text)) exports.push('default')
  const isBarrel = handsOn.length > 0 && /^[\s;]*(["']use \w+["'][\s;]*)?$/.test(rest)
  return { takes, handsOn, exports, isBarrel, ...(idle.length === 0 ? {} : { idle }) }
}

/** `A, { B as C }` as pairs of the name here and there; `null` for all of a file. */
function pairsOf(what: string): [string, string][] | null {
  if (what.includes('*')) return null
  const alone = /^([\w$]+)/.exec(what)?.[1]
  const listed = /\{([^{}]*)\}/.exec(what)?.[1] ?? ''
  return [
    ...(alone === undefined ? [] : [[alone, 'default'] as [string, string]]),
    ...listed.split(',').flatMap((part): [string, string][] => {
      const found = /^(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?$/.exec(part.trim())
      return found?.[1] === undefined ? [] : [[found[2] ?? found[1], found[1]]]
    }),
  ]
}
