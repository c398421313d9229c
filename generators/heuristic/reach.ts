import type { Node } from './imports.js'
import { plain, wordedPath } from './uses.js'

/** What pages show, by following what each file takes from others. */
export interface Reach {
  /** whether a part is shown by no page that visitors come to; `false` too where that is not known for certain */
  isOut(path: string): boolean
}

/** Files that are shown because of where they are: pages, by the folders and names that frameworks and habit have for them. */
const PAGE =
  /\.html?$|(^|\/)(pages|routes|screens|views|layouts)\/|(^|\/)app\/(.*\/)?(page|layout|template|error|global-error|not-found|loading|default|root|route)\.[cm]?[jt]sx?$/i
/** Where programs begin. */
const START =
  /(^|\/)((src|app|client|web|js|javascript|resources\/js|app\/javascript)\/)?(main|index|app|root|client|bootstrap|router|routes|error|mdx-components|entry[\w.-]*)\.([cm]?[jt]sx?|vue|svelte)$/i
const PART_FILE = /\.([jt]sx|vue|svelte)$|(^|\/)components\/.*\.js$/
/** What texts of other kinds, or everything, may show. */
const ANYWHERE = /(^|\/)(content|global|mdx|ui)\//i

/** Fewer are no base to judge by. */
const MIN_PARTS = 8
/** Where so much of a program is found by its imports, what is not found is not shown. */
const MIN_FOUND = 0.7

/**
 * @param isStaffs what only those see who run the site: what they alone reach, no visitor does
 */
export function reachOf(nodes: readonly Node[], isStaffs: (path: string) => boolean): Reach {
  const byPath = new Map(nodes.map((node) => [node.path, node]))
  const places = placesOf(nodes)
  const takers = takersOf(nodes, places)
  const unnamed = new Set([...unnamedPages(nodes, takers), ...idleFiles(nodes, places, takers)])
  const starts = nodes
    .filter(({ path }) => (PAGE.test(path) && !unnamed.has(path)) || isStart(path))
    .map(({ path }) => path)
  const all = reached(starts, byPath, places, () => true)
  const publicly = reached(
    starts.filter((path) => !isStaffs(path)),
    byPath,
    places,
    (path) => !isStaffs(path),
  )
  const shares = new Map<string, { parts: number; found: number }>()
  for (const { path } of nodes) {
    if (!PART_FILE.test(path) || PAGE.test(path)) continue
    const share = shares.get(programOf(path)) ?? { parts: 0, found: 0 }
    share.parts += 1
    if (all.has(path)) share.found += 1
    shares.set(programOf(path), share)
  }
  const isKnown = (path: string): boolean => {
    const share = shares.get(programOf(path))
    return share !== undefined && share.parts >= MIN_PARTS && share.found >= MIN_FOUND * share.parts
  }
  return {
    isOut: (path) =>
      !publicly.has(path) &&
      (unnamed.has(path) || (PART_FILE.test(path) && !ANYWHERE.test(path) && isKnown(path))),
  }
}

/** Files that are taken where nobody names them again, and nowhere else: what showed them is commented out. */
function idleFiles(nodes: readonly Node[], places: Places, takers: Takers): string[] {
  const idle = nodes.flatMap(({ path, imports }) =>
    (imports.idle ?? []).flatMap((from) => {
      const [only, ...more] = filesAt(from, path, places)
      return only === undefined || more.length > 0 || only === path ? [] : [only]
    }),
  )
  return [...new Set(idle)].filter(
    (path) => [...(takers.get(path) ?? [])].every((by) => by === path) && !/\.html?$/i.test(path),
  )
}

/** Pages of programs that name their pages one by one. */
const NAMED_PAGE = /^(.*?\/?(?:pages|views|screens))\/.*\.([jt]sx?|vue|svelte)$/
/** Of fewer nobody can tell whether they are named, or shown because of where they are. */
const MIN_NAMED = 4

/** Pages that nothing names, in folders of which nearly all others are named by a list of routes: left over, and shown nowhere. */
function unnamedPages(nodes: readonly Node[], takers: Takers): ReadonlySet<string> {
  const folders = new Map<string, string[]>()
  for (const { path } of nodes) {
    const folder = NAMED_PAGE.exec(path)?.[1]
    if (folder !== undefined && !/\.(test|spec|stories)\./.test(path))
      folders.set(folder, [...(folders.get(folder) ?? []), path])
  }
  const isNamed = (path: string): boolean => [...(takers.get(path) ?? [])].some((by) => by !== path)
  return new Set(
    [...folders.values()].flatMap((pages) => {
      const named = pages.filter(isNamed)
      return named.length >= MIN_NAMED && named.length >= MIN_FOUND * pages.length
        ? pages.filter((path) => !isNamed(path))
        : []
    }),
  )
}

/** Who shows a file, by following imports back from it; what an index hands on counts for all who take from that. */
export function whoShows(nodes: readonly Node[]): (path: string) => Showing {
  let takers: Takers | null = null
  return (path) => {
    takers ??= takersOf(nodes)
    const found = new Set([path])
    for (const one of found) for (const taker of takers.get(one) ?? []) found.add(taker)
    const all = [...found]
    return { pages: all.filter((one) => PAGE.test(one)).length, isInside: all.slice(1).some(isInside) }
  }
}

export interface Showing {
  /** how many pages show it */
  pages: number
  /** among those that show it is one for who sets the site up, was invited, or is a customer already */
  isInside: boolean
}

const INSIDE =
  /(^|[/_.-])(set-?up|install|installation|invit\w*|billing|settings|account|dashboard|back-?office)(?=[/_.-]|$)/i
const MAKES = /regist|sign-?up|log-?in|sign-?in|join/i
const isInside = (path: string): boolean => INSIDE.test(wordedPath(path)) && !MAKES.test(path)

/** The files that a file takes something from by itself. */
export function filesTakenBy(nodes: readonly Node[]): (path: string) => readonly string[] {
  let known: { places: Places; byPath: ReadonlyMap<string, Node> } | null = null
  return (path) => {
    known ??= { places: placesOf(nodes), byPath: new Map(nodes.map((node) => [node.path, node])) }
    const { places, byPath } = known
    return byPath.get(path)?.imports.takes.flatMap(({ from }) => filesAt(from, path, places)) ?? []
  }
}

type Takers = ReadonlyMap<string, ReadonlySet<string>>

/** By file, those that take something from it. */
function takersOf(nodes: readonly Node[], places = placesOf(nodes)): Takers {
  const takers = new Map<string, Set<string>>()
  for (const { path, imports } of nodes)
    for (const { from } of [...imports.takes, ...imports.handsOn])
      for (const target of filesAt(from, path, places))
        takers.set(target, (takers.get(target) ?? new Set()).add(path))
  return takers
}

/** The one file that a path in another file means; `null` where that is not told. */
export function fileMeant(nodes: readonly Node[]): (path: string, from: string) => string | null {
  const places = placesOf(nodes)
  return (path, from) => {
    const [only, ...more] = filesAt(from, path, places)
    return only === undefined || more.length > 0 ? null : only
  }
}

/** The file of a part that another file shows, by its tag; `null` where that is not told. */
export function partsShown(nodes: readonly Node[]): (path: string, tag: string) => string | null {
  const byPath = new Map(nodes.map((node) => [node.path, node]))
  const places = placesOf(nodes)
  return (path, tag) => {
    const [local = ''] = tag.split('.')
    const name = plain(local)
    for (const { from, names, as = [] } of byPath.get(path)?.imports.takes ?? []) {
      const at = as.findIndex((own) => plain(own) === name)
      if (at < 0) continue
      const targets = filesAt(from, path, places)
      const [only, ...more] = targets.flatMap((target) =>
        handedOnBy(target, names?.[at] ?? 'default', byPath, places),
      )
      return only === undefined || more.length > 0 ? null : only
    }
    if (!path.endsWith('.vue')) return null
    // Kits that take parts by themselves put the folders' names before a part's.
    for (let at = 0; at < name.length; at++) {
      const found = (places.parts.get(name.slice(at).replace(/^lazy/, '')) ?? []).filter((one) =>
        plain(bare(one)).endsWith(name.replace(/^lazy/, '')),
      )
      if (found.length > 0) return found.length === 1 ? (found[0] ?? null) : null
    }
    return null
  }
}

/** The files in which a name is written that another one exports: itself, or those from which it hands it on. */
function handedOnBy(
  path: string,
  name: string,
  byPath: ReadonlyMap<string, Node>,
  places: Places,
  steps = 3,
): string[] {
  const imports = byPath.get(path)?.imports
  if (imports === undefined || imports.exports.includes(name) || steps === 0) return [path]
  const found = imports.handsOn.flatMap(({ from, names }) => {
    const there = names === null ? name : names.find(([own]) => own === name)?.[1]
    if (there === undefined) return []
    const targets = filesAt(from, path, places)
    return targets
      .filter((target) => names !== null || byPath.get(target)?.imports.exports.includes(name) === true)
      .flatMap((target) => handedOnBy(target, there, byPath, places, steps - 1))
  })
  return imports.isBarrel || found.length > 0 ? found : [path]
}

/** Whether a file is shown because of where it is, or begins a program. */
export const isShownByPlace = (path: string): boolean => PAGE.test(path) || isStart(path)

const isStart = (path: string): boolean => {
  const found = START.exec(path)
  // Of many folders each has an index: those near the top of a program begin it.
  return found !== null && path.slice(programOf(path).length).split('/').filter(Boolean).length <= 3
}

/** Of several programs in one repository, the folder of the one that a file belongs to. */
export const programOf = (path: string): string =>
  /^((?:apps|packages|sites|frontend|client|web|www|template)\/(?:[^/]+\/)?)/.exec(path)?.[1] ?? ''

const ENDING = /(\/index)?\.([cm]?[jt]sx?|vue|svelte|html?)$/i
const bare = (path: string): string => path.replace(ENDING, '').replace(/\/index$/, '')

interface Places {
  /** files by their path without ending, and without `index` */
  readonly byPath: ReadonlyMap<string, readonly string[]>
  /** by the last part of it: what stands behind the names that a program gives to its folders */
  readonly byName: ReadonlyMap<string, readonly string[]>
  /** parts that templates may name without taking them from anywhere, by name */
  readonly parts: ReadonlyMap<string, readonly string[]>
}

function placesOf(nodes: readonly Node[]): Places {
  const byPath = new Map<string, string[]>()
  const byName = new Map<string, string[]>()
  const parts = new Map<string, string[]>()
  const add = (map: Map<string, string[]>, key: string, path: string): void => {
    const known = map.get(key)
    if (known === undefined) map.set(key, [path])
    else known.push(path)
  }
  for (const { path } of nodes) {
    const own = bare(path)
    add(byPath, own, path)
    add(byName, own.slice(own.lastIndexOf('/') + 1), path)
    if (/\/src$/.test(own)) add(byName, own.slice(0, -4).split('/').at(-1) ?? '', path)
    if (path.endsWith('.vue'))
      add(parts, plain(own.slice(own.lastIndexOf('/') + 1).replace(/\.(client|server|global)$/, '')), path)
  }
  return { byPath, byName, parts }
}

/** The files that a path of an import may mean; all that end so where its beginning is a name of the program's own. */
function filesAt(from: string, importer: string, { byPath, byName }: Places): readonly string[] {
  const asked = from.replace(/[?#].*$/, '')
  if (asked.includes('*')) return globbed(asked, importer, byPath)
  if (/^\.{1,2}(\/|$)/.test(asked)) return byPath.get(bare(joined(importer, asked))) ?? []
  // What begins with a slash and has no ending is an address of the site more often than a file, and then means no folder of that name.
  const isAddress = asked.startsWith('/') && !ENDING.test(asked)
  const own = bare(asked.replace(/^\//, ''))
  const parts = own.split('/')
  if (isAddress && parts.length === 1) return []
  const named = byName.get(parts.at(-1) ?? '') ?? []
  for (const skipped of isAddress ? [0] : [0, 1, 2]) {
    if (skipped >= parts.length) break
    const tail = parts.slice(skipped).join('/')
    const found = named.filter((path) => {
      const known = bare(path).replace(/\/src$/, '')
      return known === tail || known.endsWith(`/${tail}`)
    })
    if (found.length > 0) return found
  }
  return []
}

/** All files below the folder before the first star, whatever stands behind it. */
function globbed(asked: string, importer: string, byPath: Places['byPath']): string[] {
  const folder = asked.slice(0, asked.indexOf('*')).replace(/[^/]*$/, '')
  const start = /^\.{1,2}\//.test(folder)
    ? `${joined(importer, folder)}/`
    : folder.replace(/^([@~$#]\w*)?\//, '')
  const isBelow = (path: string): boolean =>
    start === '/' || path.startsWith(start) || (!asked.startsWith('.') && path.includes(`/${start}`))
  return start === '' ? [] : [...byPath.values()].flat().filter(isBelow)
}

/** The path that another one means, as a file has it. */
export function joined(importer: string, asked: string): string {
  const parts = importer.split('/').slice(0, -1)
  for (const part of asked.split('/'))
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  return parts.join('/')
}

/** All that is shown from some files on. */
function reached(
  starts: readonly string[],
  byPath: ReadonlyMap<string, Node>,
  places: Places,
  mayPass: (path: string) => boolean,
): ReadonlySet<string> {
  const found = new Set<string>()
  const asked = new Set<string>()
  const next: { path: string; names: readonly string[] | null }[] = starts.map((path) => ({
    path,
    names: null,
  }))
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    const { path, names } = one
    const node = byPath.get(path)
    if (node === undefined || !mayPass(path)) continue
    const { imports, uses } = node
    const go = (from: string, taken: readonly string[] | null): void => {
      for (const target of filesAt(from, path, places)) {
        const key = `${target} ${taken?.join() ?? '*'}`
        if (target === path || asked.has(key)) continue
        asked.add(key)
        next.push({ path: target, names: taken })
      }
    }
    for (const { from, names: handed } of imports.handsOn) {
      const wanted = imports.isBarrel ? names : null
      if (wanted === null) go(from, handed?.map(([, there]) => there) ?? null)
      else if (handed === null)
        for (const target of filesAt(from, path, places)) {
          const { exports = [], isBarrel = false } = byPath.get(target)?.imports ?? {}
          const known = wanted.filter((name) => isBarrel || exports.length === 0 || exports.includes(name))
          if (known.length > 0) go(from, known)
        }
      else {
        const there = handed.filter(([own]) => wanted.includes(own)).map(([, name]) => name)
        if (there.length > 0) go(from, there)
      }
    }
    if (found.has(path)) continue
    found.add(path)
    for (const { from, names: taken } of imports.takes) go(from, taken)
    if (path.endsWith('.vue'))
      for (const use of uses)
        for (let at = 0; at < use.length; at++)
          for (const part of places.parts.get(use.slice(at)) ?? [])
            if (part !== path) next.push({ path: part, names: null })
  }
  return found
}
