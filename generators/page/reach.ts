import { withoutComments } from '../comments.js'
import { isPagePath, joined } from './page-paths.js'
import { addressesOf, tableOf } from './routes.js'

/** References of a file to others, read once without parsing it. */
export interface FileLinks {
  path: string
  imports: readonly string[]
  /** files that it passes on to those who import these names from it */
  passedOn: readonly { from: string; names: readonly string[] }[]
  /** names that it imports, or reads of what it imports */
  named: readonly string[]
  /** components by tag, which some frameworks need not import */
  tags: readonly string[]
  /** whether it begins with 'use client' */
  isForClients: boolean
  /** addresses within the site that it names, from the root: `/shop`, `/shop/*` if code computes a part */
  addresses: readonly string[]
  /** the routes that it gives to files which it imports */
  table: readonly { route: string; from: string }[]
}

const IMPORT =
  /\b(?:import|export)\b[^'"`;]{0,2000}?\bfrom\s*["']([^"'\n]+)["']|\b(?:import|require|lazy)\s*\(\s*["'`]([^"'`\n]+)["'`]|\bimport\s*["']([^"'\n]+)["']|\b(?:component|file|path)\s*:\s*["']([^"'\n]+)["']/g
const TYPES_ONLY = /\b(?:import|export)\s+type\b[^'"`;]{0,2000}?\bfrom\s*["'][^"'\n]+["']/g
const TAG = /<([A-Z][A-Za-z\d]+|[a-z\d]+(?:-[a-z\d]+)+)/g
const SCRIPT = /<script\b[^>]{0,500}?\bsrc=["']?(?!https?:|\/\/)([^"'\s>]+)/gi

const IS_LIST = /(^|\/)index\.[cm]?[jt]sx?$/i
/** `export { default as Card } from './Card'`, in a file that lists what others may import. */
const PASSED_ON = /\bexport\s*\{([^{}]{0,2000})\}\s*from\s*["']([^"'\n]+)["']/g
const CLAUSE = /\b(?:import|export)\b([\w$*\s{},]{1,2000}?)\bfrom\b|\.([A-Z][\w$]*)/g

export function linksOf(path: string, text: string): FileLinks {
  const whole = withoutIdleImports(path, withoutComments(text).replace(TYPES_ONLY, ''))
  const lists = IS_LIST.test(path) ? [...whole.matchAll(PASSED_ON)] : []
  const code = lists.reduce((rest, [statement]) => rest.replace(statement, ''), whole)
  const read = [
    ...[...code.matchAll(CLAUSE)].map(([, names, property]) => names ?? property ?? ''),
    // `Home as HomePage` asks another list for `Home`.
    ...lists.flatMap(([, names = '']) => names.match(/[\w$]+(?=\s+as\b)/g) ?? []),
  ]
  const table = tableOf(code)
  return {
    path,
    passedOn: lists.map(([, names = '', from = '']) => ({
      from,
      names: names.replace(/[\w$]+\s+as\s+/g, '').match(/[\w$]+/g) ?? [],
    })),
    named: [...new Set(read.flatMap((names) => names.match(/[\w$]+/g) ?? []))],
    imports: [
      ...[...code.matchAll(IMPORT)].map((found) => found.slice(1).find((one) => one !== undefined) ?? ''),
      ...[...code.matchAll(SCRIPT)].map(([, src = '']) => (/^[./]/.test(src) ? src : `./${src}`)),
    ],
    tags: /\.(vue|svelte|[jt]sx)$/i.test(path)
      ? [...new Set([...code.matchAll(TAG)].map(([, tag = '']) => tag))]
      : [],
    isForClients: isForClients(text),
    addresses: addressesOf(path, code, table.length > 0),
    table,
  }
}

/** An import of names from another file of the repository. */
const NAMED_IMPORT = /\bimport\b([\w$*\s{},]{1,2000}?)\bfrom\s*["'](?:[./~#]|@\/|src\/)[^"'\n]*["']/g

/** Code without imports of names that it does not use, whose files it does not show. */
function withoutIdleImports(path: string, code: string): string {
  // A template of Vue names components in other letters.
  if (path.endsWith('.vue')) return code
  const used = new Set(code.replace(NAMED_IMPORT, '').match(/[\w$]+/g))
  const isUsed = (names: string): boolean =>
    names
      .replace(/[\w$*]+\s+as\s+/g, '')
      .match(/[\w$]+/g)
      ?.some((name) => used.has(name)) === true
  return code.replace(NAMED_IMPORT, (statement, names: string) => (isUsed(names) ? statement : ''))
}

/** Files that are shown by their place: HTML, pages of a file router, the entry of a program. */
const IS_ENTRY =
  /\.html?$|(^|\/)(pages|routes|views|screens)\/|(^|\/)app\/(.*\/)?(page|layout|template|not-found|error|loading)\.[jt]sx?$|(^|\/)(App|main|index|_app|root|app)\.([cm]?[jt]sx?|vue|svelte)$|(^|\/)\+(page|layout|error)\.svelte$|(^|\/)layouts\/[^/]+\.vue$|(^|\/)(router|routes?)\b[^/]*$|(^|\/)router\//i

export const isEntry = (path: string): boolean => IS_ENTRY.test(path)

/** The files that entries import, directly or not. All files if the repository has no entry with a page. */
export function reachedBy(
  files: readonly FileLinks[],
  isStart: (path: string) => boolean = isEntry,
): ReadonlySet<string> {
  const entries = files.filter(({ path }) => isStart(path)).map(({ path }) => path)
  if (isStart === isEntry && !entries.some(isPagePath)) return new Set(files.map(({ path }) => path))
  const shown = shownBy(files)
  return reachedFrom(entries, (path) => shown.get(path) ?? [])
}

/** The files that each file shows, by its imports and tags. */
export function shownBy(files: readonly FileLinks[]): ReadonlyMap<string, readonly string[]> {
  const bySuffix = suffixes(files.map(({ path }) => path))
  const resolve = resolver(files, bySuffix)
  // A file of a framework is a page if it passes a page on as `default`.
  const named = new Set(['default', ...files.flatMap((one) => [...one.named, ...one.tags])])
  const isNamed = (name: string): boolean => named.has(name)
  return new Map(
    files.map(({ path, imports, tags, passedOn, named: own }) => [
      path,
      [
        ...[
          ...imports,
          ...passedOn.flatMap(({ from, names }) => (names.some(isNamed) ? [from] : [])),
        ].flatMap((from) => resolve(from, path)),
        ...tags
          .map(camel)
          .flatMap((tag) => (own.includes(tag) ? [] : (bySuffix.get(tag.toLowerCase()) ?? []))),
      ],
    ]),
  )
}

/** The starts and the paths to which they lead, directly or not. `next` is asked once for each path. */
export function reachedFrom(
  starts: readonly string[],
  next: (path: string) => readonly string[],
): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = [...starts]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    waiting.push(...next(path))
  }
  return reached
}

/** White space and comments. Step by step, because one expression for all of them takes exponential time. */
const NO_CODE = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y

function isForClients(text: string): boolean {
  let at = 0
  for (let isSkipped = true; isSkipped; ) {
    NO_CODE.lastIndex = at
    isSkipped = NO_CODE.test(text)
    if (isSkipped) at = NO_CODE.lastIndex
  }
  return /^["']use client["']/.test(text.slice(at, at + 12))
}
const SERVER_FILE = /(^|\/)app\/(.*\/)?(page|layout|template|default|not-found|loading)\.[jt]sx?$/
const PAGES_ROUTER = /(^|\/)(?<!components\/)pages\//

/**
 * Of a site with Next the files of the app router, and all that they show without a component for clients in
 * between: they run on the server only.
 */
export function onServerOf(
  files: readonly FileLinks[],
  packages: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const isNext =
    packages.has('next') || files.some(({ imports }) => imports.some((from) => /^next(\/|$)/.test(from)))
  if (!isNext) return new Set()
  const forClients = new Set(files.filter((one) => one.isForClients).map(({ path }) => path))
  const inBrowsers = reachedBy(files, (path) => forClients.has(path) || PAGES_ROUTER.test(path))
  const onServer = reachedBy(files, (path) => SERVER_FILE.test(path) && !forClients.has(path))
  return new Set([...onServer].filter((path) => !inBrowsers.has(path)))
}

/** `sign-up-form` as `SignUpForm`. */
const camel = (tag: string): string =>
  tag.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
const bare = (path: string): string =>
  path.replace(/(\/index)?\.(html?|vue|svelte|[cm]?[jt]sx?)$/i, '').toLowerCase()

/** Files by each end of their paths without the ending: `signup`, `forms/signup`, `src/forms/signup`. */
function suffixes(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const path of paths) {
    const parts = bare(path).split('/')
    for (let from = Math.max(0, parts.length - 4); from < parts.length; from++) {
      const end = parts.slice(from).join('/')
      // `<BookingCard>` is `booking/Card.vue` or `booking-card.tsx`.
      for (const key of new Set([end, end.replace(/[/_-]/g, '')])) {
        const known = found.get(key)
        if (known === undefined) found.set(key, [path])
        else known.push(path)
      }
    }
  }
  return found
}

/** Finds the files that an import may mean. */
export function resolver(
  files: readonly FileLinks[],
  bySuffix = suffixes(files.map(({ path }) => path)),
): (from: string, importer: string) => readonly string[] {
  const paths = new Set(files.map(({ path }) => path))
  return (from, importer) => resolved(from, importer, paths, bySuffix)
}

function resolved(
  from: string,
  importer: string,
  paths: ReadonlySet<string>,
  bySuffix: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  if (/^[./]/.test(from)) {
    const target = joined(importer, from)
    if (paths.has(target)) return [target]
    const wanted = bare(target).replace(/\/index$/, '')
    const end = wanted.split('/').slice(-4).join('/')
    return (bySuffix.get(end) ?? []).filter((path) => bare(path) === wanted)
  }
  if (/^[a-z@][\w.-]*$/i.test(from)) return []
  // An alias: the rest of the text is the end of a path.
  const end = bare(from.replace(/^[@~#$]?[\w-]*\//, ''))
    .replace(/\/index$/, '')
    .split('/')
    .slice(-3)
    .join('/')
  return bySuffix.get(end) ?? []
}
