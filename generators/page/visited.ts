import { isHome, isPagePath } from './page-paths.js'
import { type FileLinks, isEntry, reachedFrom, resolver, shownBy } from './reach.js'
import { leadsTo, nameOfRoute, type Parts, routeOf, splitAddress } from './routes.js'

interface Page {
  path: string
  routes: readonly Parts[]
  /** a table of routes may write them in parts, so that an address only has to end like one */
  isNested: boolean
}

const IS_HTML = /\.html?$/i
const IS_COMPONENT = /\.(vue|svelte|[jt]sx)$/i
const HTML_INDEX = /(^|\/)index\.html?$/i
/** A link, and no picture or function of the server. */
const IS_LINK = /^\/(?!api\/)[^.]|^name:/
/** Shown with every page, or with those of its folder. */
const LAYOUT =
  /(?:^|\/)app\/(?:.*\/)?(?:layout|template|loading|error|not-found)\.[jt]sx?$|\+(?:layout|error)[^/]*\.(?:svelte|[jt]s)$/
const SHOWN_AT_ADDRESS = /(^|\/)(pages|routes)\//
const BY_ROUTER = /(^|\/)(pages|screens|views)\//
const ALWAYS = /(^|\/)(__root|_app|[_$]{1,2}layout)\.\w+$|(^|\/)(middleware|proxy|hooks(\.server)?)\.[jt]s$/

/**
 * The files that visitors come to see: those of the home page, and of every page to which a file leads that
 * they come to see. If no file of the home page says a link, a content system has them, and all pages are
 * seen. `said` are addresses that no code names: in content, and in the list for search engines.
 */
export function visitedBy(
  files: readonly FileLinks[],
  hasRouter: boolean,
  said: readonly string[],
): ReadonlySet<string> {
  const shown = shownBy(files)
  const tables = tablesOf(files)
  const hasComponents = files.some(({ path }) => IS_COMPONENT.test(path))
  const isFirstHtml = (path: string): boolean => isHome(path) || (!hasComponents && HTML_INDEX.test(path))
  const roots = files.flatMap(({ path }) => (isFirstHtml(path) ? [path.replace(/[^/]*$/, '')] : []))
  const pages = pagesOf(files, tables, roots, hasRouter)
  const isStart = ({ path, routes }: Page): boolean =>
    IS_HTML.test(path) ? isFirstHtml(path) : routes.some((route) => route.length === 0)
  const starts = pages.filter(isStart)
  const places = new Set(pages.map(({ path }) => path))
  const entries = files
    .map(({ path }) => path)
    .filter(
      (path) =>
        !places.has(path) &&
        !LAYOUT.test(path) &&
        (ALWAYS.test(path) ||
          (isEntry(path) && !SHOWN_AT_ADDRESS.test(path) && !(hasRouter && BY_ROUTER.test(path)))),
    )
  const edges = new Map(
    [...shown].map(([path, to]) => {
      const routed = tables.get(path)
      return [path, routed === undefined ? to : to.filter((one) => !routed.has(one))]
    }),
  )
  const visit = (from: readonly Page[], to: readonly Page[]): ReadonlySet<string> =>
    follow(files, edges, [...entries, ...from.map(({ path }) => path)], to, said)
  const isOther = (page: Page): boolean => !starts.includes(page)
  const seen = visit(starts, pages.filter(isOther))
  const isWritten = files.some(
    ({ path, addresses }) => seen.has(path) && addresses.some((one) => IS_LINK.test(one)),
  )
  if (starts.length > 0 && isWritten) return seen
  if (pages.length === 0 && !entries.some(isPagePath)) return new Set(files.map(({ path }) => path))
  const isFirst = (page: Page): boolean => !isOther(page) || !(hasComponents && IS_HTML.test(page.path))
  return visit(
    pages.filter(isFirst),
    pages.filter((page) => !isFirst(page)),
  )
}

function follow(
  files: readonly FileLinks[],
  edges: ReadonlyMap<string, readonly string[]>,
  starts: readonly string[],
  pages: readonly Page[],
  said: readonly string[],
): ReadonlySet<string> {
  const addresses = new Map(files.map((one) => [one.path, one.addresses]))
  const layouts = files.flatMap(({ path }) =>
    LAYOUT.test(path) ? [{ path, folder: path.slice(0, path.lastIndexOf('/') + 1) }] : [],
  )
  let unseen = pages
  const known = new Set<string>()
  const ledTo = (to: readonly string[]): string[] => {
    const led = to.filter((one) => !known.has(one)).map(splitAddress)
    for (const one of to) known.add(one)
    const found = new Set(
      unseen.filter(({ routes, isNested }) =>
        routes.some((route) => led.some((one) => leadsTo(one, route, isNested))),
      ),
    )
    unseen = unseen.filter((one) => !found.has(one))
    return [...found].map(({ path }) => path)
  }
  return reachedFrom([...starts, ...ledTo(said)], (path) => [
    ...(edges.get(path) ?? []),
    ...layouts.filter(({ folder }) => path.startsWith(folder)).map((one) => one.path),
    ...ledTo(addresses.get(path) ?? []),
  ])
}

/** By file with a table of routes, the files that it shows at addresses of their own. */
function tablesOf(files: readonly FileLinks[]): ReadonlyMap<string, ReadonlyMap<string, readonly Parts[]>> {
  const resolve = resolver(files)
  return new Map(
    files.flatMap(({ path, table }) => {
      const routes = new Map<string, Parts[]>()
      for (const { route, from } of table) {
        const parts = splitAddress(route)
        const isHomeOrAny = parts.every((part) => part === '**')
        for (const file of resolve(from, path))
          routes.set(file, [...(routes.get(file) ?? []), isHomeOrAny ? [] : parts])
      }
      return routes.size === 0 ? [] : [[path, routes] as const]
    }),
  )
}

function pagesOf(
  files: readonly FileLinks[],
  tables: ReturnType<typeof tablesOf>,
  roots: readonly string[],
  hasRouter: boolean,
): Page[] {
  const routed = new Map<string, Parts[]>()
  for (const table of tables.values())
    for (const [path, routes] of table) routed.set(path, [...(routed.get(path) ?? []), ...routes])
  return files.flatMap(({ path }): Page[] => {
    const ofTable = routed.get(path)
    if (ofTable !== undefined) return [{ path, routes: ofTable, isNested: true }]
    if (IS_HTML.test(path)) {
      const under = roots.filter((root) => path.startsWith(root)).map((root) => path.slice(root.length))
      const served = path.replace(/^.*?\b(public|static)\//, '')
      return [{ path, routes: [path, served, ...under].map(splitAddress), isNested: false }]
    }
    const route = hasRouter && BY_ROUTER.test(path) ? null : routeOf(path)
    return route === null
      ? []
      : [{ path, routes: [splitAddress(route), splitAddress(nameOfRoute(path))], isNested: false }]
  })
}
