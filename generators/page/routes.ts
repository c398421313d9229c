import { joined } from './page-paths.js'

/** An address as its parts, in lower case: `*` is any one, `**` the rest. */
export type Parts = readonly string[]

/**
 * The address of a page by its path, as file routers show it: `/shop/*` for
 * `src/app/(main)/shop/[id]/page.tsx`, `pages/shop/[id].vue`, `routes/shop/[id]/+page.svelte` and
 * `routes/shop.$id.tsx`. `null` for all other files.
 */
export function routeOf(path: string): string | null {
  const folder = /(?:^|\/)(?:app|routes)\/(.*\/)?(?:page\.[jt]sx?|\+page[^/]*\.(?:svelte|[jt]s))$/.exec(path)
  const file = /(?:^|\/)pages\/(?!api\/|_)(.+)\.(?:[jt]sx|js|vue)$/.exec(path)
  const dotted = /(?:^|\/)routes\/((?!__)[^+]+)\.(?:[jt]sx|svelte)$/.exec(path)
  const parts =
    folder?.[1]?.split('/') ??
    file?.[1]?.split('/') ??
    // `_` begins a part that the address does not have, or ends one.
    dotted?.[1]?.split(/[./]/).map((part) => (part.startsWith('_') ? '' : part.replace(/_$/, '')))
  if (parts === undefined && folder === null) return null
  const last = parts?.at(-1)
  const shown = folder === null && /^(index|route)$/.test(last ?? '') ? parts?.slice(0, -1) : parts
  return `/${(shown ?? [])
    .filter((part) => part !== '' && !/^(\(.*\)|@.*)$/.test(part) && !LOCALE.test(part))
    .map(partOf)
    .join('/')}`
}

/** The name that Nuxt gives to the route of a page: `name:shop-id` for `pages/shop/[id].vue`. */
export const nameOfRoute = (path: string): string =>
  `name:${(/(?:^|\/)pages\/(.+?)(?:\/index)?\.vue$/.exec(path)?.[1] ?? '').replace(/[[\]._]/g, '').replaceAll('/', '-')}`

/** The part of a route that says the language, which links leave to the code of the site. */
const LOCALE = /^(\[\[?(\.\.\.)?(locale|lang|lng|language)\]\]?|\{?-?\$(locale|lang)\}?)$/i

const partOf = (part: string): string =>
  /^\[\[?\.\.\.|^\$$|^\*\*/.test(part)
    ? '**'
    : /^\[|^[$:_]/.test(part)
      ? '*'
      : part.toLowerCase().replace(/(?<=.)\*$/, '')

/** An address that code writes. One that ends in a slash may go on. */
export function splitAddress(address: string): Parts {
  const bare = address.replace(/[?#].*$/, '').replace(/(?:(?:^|\/)index)?\.html?$/i, '')
  const parts = bare
    .split('/')
    .filter((part) => part !== '')
    .map(partOf)
  return parts.length > 0 && bare.endsWith('/') ? [...parts, '**'] : parts
}

/**
 * Whether an address that code writes may lead to a route, or to one that it ends like. Of parts that both
 * name at least one is the same.
 */
export function leadsTo(address: Parts, route: Parts, isNested: boolean): boolean {
  if (matches(address, route)) return true
  if (isNested && address.some((_, at) => at > 0 && matches(address.slice(at), route))) return true
  const [first = ''] = address
  return address.length > 1 && /^(\*|[a-z]{2}(-[a-z]{2})?)$/.test(first) && matches(address.slice(1), route)
}

function matches(address: Parts, route: Parts): boolean {
  let isSame = route.every((part) => part.startsWith('*'))
  for (let at = 0; ; at++) {
    const [said, shown] = [address[at], route[at]]
    if (said === '**' || shown === '**') return isSame
    if (said === undefined || shown === undefined) return said === shown && isSame
    if (said !== shown && said !== '*' && shown !== '*') return false
    isSame ||= said === shown && said !== '*'
  }
}

const IN_QUOTES = /(["'])(\/(?![/*])(?:[^"'`\s<>\\{}]|\{[^{}"'`\n]*\})*|[\w./-]+\.html?(?:[?#][^"'\s]*)?)\1/g
const IN_BACKTICKS = /`((?:\/|\$\{[^{}]*\}\/)[^`\n\\<>]{0,200}|[\w./-]+\.html?[^`\n<>]{0,100})/g
/** `href="contact"`, of a page in the same folder, and `path: 'company/about'` of a menu. */
const BESIDE =
  /\b(?:href|to|action|page|path|link|url|route)["']?\s*[=:]\s*["']((?![a-z]+:)[\w.#][^"'<>{}\s]*)["']|(?:Url|Path|Link|Route)\(\s*["']([\w-]+)["']/gi
/** `{ name: 'shop-id' }`, as Nuxt names the page at `/shop/[id]`. */
const NAMED = /\bname:\s*["'`]([a-z][\w-]*)["'`]|\blocalePath\(\s*["'`]([a-z][\w-]*)["'`]/g

const IMPORTS =
  /\b(?:import|export)\b[^'"`;()]{0,2000}?\bfrom\s*["'][^"'\n]+["']|\b(?:import|require)\(\s*["'`][^"'`\n]+["'`]/g

/** The addresses within the site that code names, from its root. Those of a table of routes are no links. */
export function addressesOf(path: string, written: string, hasTable = false): string[] {
  const isHtml = /\.html?$/i.test(path)
  const links = written.replace(IMPORTS, '')
  const code = hasTable ? links.replace(ROUTE_PATH, '').replace(ROUTE_NAME, '') : links
  const beside = (to: string): string =>
    isHtml ? `/${joined(path, to)}` : `/${to.replace(/^(\.{0,2}\/)+/, '')}`
  const rooted = (to: string): string => (to.startsWith('/') ? to : beside(to))
  const found = [
    ...[...code.matchAll(IN_QUOTES)].map(([, , to = '']) => rooted(to.replace(/\{[^{}]*\}/g, '*'))),
    ...[...code.matchAll(IN_BACKTICKS)].map(([, to = '']) =>
      rooted(
        to
          .replace(/^\$\{[^{}]*\}(?=\/)/, '')
          .replace(/\$\{[^{}]*\}/g, '*')
          .replace(/\$\{.*/, ''),
      ),
    ),
    ...[...code.matchAll(BESIDE)].map(([, to, called]) => beside(to ?? called ?? '')),
    // A name of a route has no slash, so that no address leads there.
    ...[...code.matchAll(NAMED)].map(([, one, other]) => `name:${one ?? other ?? ''}`),
  ]
  return [...new Set(found)]
}

const IMPORTED =
  /\bimport\b([\w$\s{},*]{1,2000}?)\bfrom\s*["']([^"'\n]+)["']|\b(?:const|let) ([\w$]+)\s*=[^;]{0,200}?\bimport\(\s*["'`]([^"'`\n]+)["'`]\s*\)/g
const ROUTE_STARTS = /<Route\b|\{\s*(?=path:\s*["'`])/
const ROUTE_PATH = /\bpath\s*[=:]\s*\{?\s*["'`]([^"'`]*)["'`]/g
const ROUTE_NAME = /\bname:\s*["'`]([\w.-]+)["'`]/g
const INLINE = /\bimport\(\s*["'`]([^"'`\n]+)["'`]\s*\)/g

/** The routes of a table in code, each with a file from which it shows something that nothing else shows. */
export function tableOf(code: string): { route: string; from: string }[] {
  if (!/<Route\b|\bcreate\w*Router\b|\buseRoutes\b|\bRouteRecordRaw\b|\bcomponent:\s/.test(code)) return []
  const froms = new Map<string, string>()
  for (const [, names, from, name, lazy] of code.matchAll(IMPORTED))
    for (const one of (names ?? name ?? '').replace(/[\w$*]+\s+as\s+/g, '').match(/[\w$]+/g) ?? [])
      froms.set(one, from ?? lazy ?? '')
  const [before = '', ...parts] = code.replace(IMPORTED, '').split(ROUTE_STARTS)
  const routes = parts.map((part) => part.slice(0, endOfRoute(part)))
  const rest = [before, ...parts.map((part) => part.slice(endOfRoute(part)))]
  const outside = new Set(rest.flatMap((part) => part.match(/[\w$]+/g) ?? []))
  return routes.flatMap((one) => {
    const route = one.matchAll(ROUTE_PATH).next().value?.[1]
    if (route === undefined) return []
    const name = one.matchAll(ROUTE_NAME).next().value?.[1]
    const named = (one.match(/[A-Z][\w$]*/g) ?? []).filter((tag) => !outside.has(tag))
    const inline = [...one.matchAll(INLINE)].map(([, from = '']) => from)
    return [...new Set([...named.flatMap((tag) => froms.get(tag) ?? []), ...inline])].flatMap((from) => [
      { route: route.replace(/\*$/, '**'), from },
      ...(name === undefined ? [] : [{ route: `name:${name}`, from }]),
    ])
  })
}

/** The end of a route: the brace that closes it, or the tag that closes the table. */
function endOfRoute(text: string): number {
  const closing = text.search(/<\/(?:Routes|Switch)\b/)
  const end = closing < 0 ? text.length : closing
  let depth = 0
  for (let at = 0; at < end; at++) {
    if (text[at] === '{') depth++
    if (text[at] === '}' && --depth < 0) return at
  }
  return end
}
