import { type Node, withoutIdle } from './imports.js'

/** What a file names of others, by its text without comments, as they are compared: lower case, without marks. Folders that are gone through end with `/`. */
export function usesOf(code: string): string[] {
  const found = new Set<string>()
  const text = withoutIdle(code)
  for (const [, path = ''] of text.matchAll(PATHS)) {
    const parts = path.split('/')
    const last = parts.at(-1) ?? ''
    if (path.includes('*')) found.add(`${plain(parts.findLast((part) => !part.includes('*')) ?? '')}/`)
    else
      for (const part of [last, ...(/^index\b/.test(last) ? parts.slice(-2, -1) : [])]) found.add(plain(part))
  }
  for (const [, tag = ''] of text.matchAll(TAGS)) found.add(plain(tag))
  for (const [, names = ''] of text.matchAll(NAMED))
    for (const [name] of names.matchAll(/[A-Z]\w*/g)) found.add(plain(name))
  return [...found].filter((one) => one !== '')
}

/** What is commented out, in code and in markup. */
export const REMARKS = /\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<=^|[\s;{}(),])\/\/[^\n]*/g

/** What is commented out is used by nobody. */
export const withoutComments = (text: string): string => text.replace(REMARKS, '')

/** Paths in quotes: of imports, of what is loaded later, of lists of files and of pages. */
const PATHS = /["'`]((?:[\w@~.*()[\]-]*\/)+[\w.*()[\]-]*|[\w-]+\.html?)(?:[?#][^"'`\s]*)?["'`]/g
const TAGS = /<([A-Z][\w.]*|[a-z][a-z0-9]*(?:-[a-z0-9]+)+)/g
/** What an import or an export takes by name. */
const NAMED = /\b(?:im|ex)port\s+(?:type\s+)?([^"'`;=()]{1,2000}?)\s+from\b/g

/** What a part is called: its file, or its folder. */
export function nameOf(path: string): string {
  const [file = '', folder = ''] = path.split('/').reverse()
  return /^index\./.test(file) ? folder : file
}

/** A path with the words of its names apart: `SignUpForm` as `Sign-Up-Form`. */
export const wordedPath = (path: string): string => path.replace(/([a-z])([A-Z])/g, '$1-$2')

export const plain = (name: string): string =>
  name
    .replace(/\.(?:[cm]?[jt]sx?|vue|svelte)$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

/** Folders of parts that pages are made of, and folders of pages, which frameworks show by their place. */
const PARTS = /^(components?|sections|widgets|blocks)$/i
const PAGES = /^(pages|routes|views|screens|layouts)$/i
/** Parts that texts of other kinds, or everything, may name. */
const ANYWHERE = /^(content|global|mdx|ui)$/i

/** Files that show a part to nobody who visits. */
export const NO_PAGE = /\.(test|spec|stories)\.|(^|\/)(__tests__|tests?|stories|storybook)\//i

/** Whether a file is a part that is shown only where another one names it, and not by where it is. */
function hasToBeNamed(path: string): boolean {
  const folders = path.split('/')
  const file = folders.pop() ?? ''
  const place = folders.findLast((one) => PARTS.test(one) || PAGES.test(one))
  if (place === undefined || !PARTS.test(place) || folders.some((one) => ANYWHERE.test(one))) return false
  return !/\.(html?|global\.vue)$/i.test(file) && !/^(index|page|layout|main|app)$/.test(plain(file))
}

type Uses = ReadonlyMap<string, ReadonlySet<string>>

/** The files that name a part by what it is called, or go through a folder that it is in. */
function namersOf(
  path: string,
  names: readonly string[],
  uses: Uses,
  folders: readonly string[],
): Set<string> {
  const found = new Set<string>()
  const take = (use: string): void => {
    for (const by of uses.get(use) ?? []) if (by !== path && !NO_PAGE.test(by)) found.add(by)
  }
  for (const name of names) take(name)
  // Kits that import by themselves put the folders' names before a part's.
  if (/\.vue$/i.test(path))
    for (const use of uses.keys()) if (names.some((name) => use.endsWith(name))) take(use)
  const own = new Set(
    path
      .split('/')
      .slice(0, -1)
      .map((one) => `${plain(one)}/`),
  )
  for (const use of folders) if (own.has(use)) take(use)
  return found
}

/**
 * Parts that nobody names who is shown: by no other file, by tests, or by parts alone that are named by nobody themselves. An index that hands a part on names it
 * for those who take it from there by that name.
 */
export function neverNamed(nodes: readonly Node[], uses: Uses): ReadonlySet<string> {
  const folders = [...uses.keys()].filter((use) => use.endsWith('/'))
  const handed = handedNames(nodes)
  const left = new Map<string, ReadonlySet<string>>()
  for (const { path } of nodes)
    if (hasToBeNamed(path)) {
      const base = plain(path.slice(path.lastIndexOf('/') + 1))
      const names = [...new Set([base, ...(handed.names.get(base) ?? [])])]
      left.set(path, namersOf(path, names, uses, folders))
    }
  const isNamed = (by: ReadonlySet<string>): boolean =>
    [...by].some((one) => !left.has(one) && !handed.barrels.has(one))
  for (let size = -1; size !== left.size; ) {
    size = left.size
    for (const [path, by] of left) if (isNamed(by)) left.delete(path)
  }
  return new Set(left.keys())
}

/** What files that only hand on call what they hand on, by the name of its file; and those of which that is known. */
function handedNames(nodes: readonly Node[]): {
  barrels: ReadonlySet<string>
  names: ReadonlyMap<string, string[]>
} {
  const names = new Map<string, string[]>()
  const exported = new Map<string, string[]>()
  for (const { path, imports } of nodes) {
    const own = plain(nameOf(path))
    exported.set(own, [...(exported.get(own) ?? []), ...imports.exports])
  }
  const barrels = nodes.filter(({ imports }) => imports.isBarrel)
  for (const { imports } of barrels)
    for (const { from, names: pairs } of imports.handsOn) {
      const base = plain(from.slice(from.lastIndexOf('/') + 1))
      const called = pairs === null ? (exported.get(base) ?? []) : pairs.map(([own]) => own)
      names.set(base, [...(names.get(base) ?? []), ...called.filter((one) => one !== 'default').map(plain)])
    }
  return { barrels: new Set(barrels.map(({ path }) => path)), names }
}
