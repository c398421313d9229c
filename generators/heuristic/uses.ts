/** What a file names of others, by its text without comments, as they are compared: lower case, without marks. Folders that are gone through end with `/`. */
export function usesOf(text: string): string[] {
  const found = new Set<string>()
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

/** Whether a file is a part that nothing names, so that no visitor sees it. */
export function isNeverShown(path: string, uses: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const folders = path.split('/')
  const file = folders.pop() ?? ''
  const place = folders.findLast((one) => PARTS.test(one) || PAGES.test(one))
  if (place === undefined || !PARTS.test(place) || folders.some((one) => ANYWHERE.test(one))) return false
  const base = plain(file)
  if (/\.(html?|global\.vue)$/i.test(file) || /^(index|page|layout|main|app)$/.test(base)) return false
  for (const [use, from] of uses) {
    if (from.size === 1 && from.has(path)) continue
    // Kits that import by themselves put the folders' names before a part's.
    const isNamed = /\.vue$/i.test(file) ? use.endsWith(base) : use === base
    if (use.endsWith('/') ? folders.some((one) => `${plain(one)}/` === use) : isNamed) return false
  }
  return true
}
