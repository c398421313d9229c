import type { KnownPage, Site } from './idea.js'
import { joined } from './reach.js'
import { nameOf, plain } from './uses.js'

const ROUTED =
  /(?:^|\/)(?:(?:app|routes)\/((?:[^/]+\/)*)(?:page|index|\+page)|pages\/((?:[^/]+\/)*[^/]+?)(?:\/index)?)\.(?:[jt]sx?|vue|svelte)$/

/** The address of a page, in frameworks that go by the folders of files; `null` for those with something in it that is filled in. */
export function routeOf(path: string): string | null {
  const found = ROUTED.exec(path)
  const parts = (found?.[1] ?? found?.[2] ?? '')
    .split('/')
    .filter((part) => part !== '' && !/^(\(.*\)|\[locale\]|\[lang\]|\[channel\]|index)$/.test(part))
  if (found === null || parts.length === 0 || parts.some((part) => !/^[a-z][\w-]*$/i.test(part))) return null
  return parts[0] === 'api' ? null : `/${parts.join('/')}`
}

const FILED = /(?:^|\/)(?:app|routes)\/((?:[^/]+\/)*)(?:page|\+page)\.(?:[jt]sx?|svelte)$/

/** The addresses that a file answers, in frameworks in which nothing but files does; `null` for files that are no page there. */
export function answeredBy(path: string): RegExp | null {
  const found = FILED.exec(path)
  if (found === null) return null
  const parts = (found[1] ?? '')
    .split('/')
    .filter((part) => part !== '' && !/^(\(.*\)|@.*|\[\[?(locale|lang|lng|channel)\]\]?)$/.test(part))
    .map((part) =>
      /^\[\[?\.\.\./.test(part) ? '.*' : /^\[/.test(part) ? '[^/]+' : part.replace(/[^\w-]/g, '.'),
    )
  return new RegExp(`^/${parts.join('/')}/?$`)
}

/** Whether an address of the site is that of a page, by where its file is or, in programs with a list of routes, by its name. */
export function isAt(href: string, from: string, path: string): boolean {
  const asked = href.replace(/[?#].*$/, '')
  if (asked === '' || asked === '/' || /^([a-z]+:|\/\/)/i.test(asked)) return false
  if (/\.html?$/i.test(path)) {
    const there = joined(asked.startsWith('/') ? '' : from, asked).replace(/(\.html?|\/index\.html?)$/i, '')
    const own = path.replace(/(\.html?|\/index\.html?)$/i, '')
    return there !== '' && (own === there || (asked.startsWith('/') && own.endsWith(`/${there}`)))
  }
  if (!asked.startsWith('/')) return false
  const route = routeOf(path)
  if (route !== null && !/(^|\/)pages\//.test(path)) return route === asked.replace(/(.)\/$/, '$1')
  const name = plain(nameOf(path)).replace(/(page|view|screen)$/, '')
  return name !== '' && name === plain(asked.split('/').findLast((part) => part !== '') ?? '')
}

/** The one page at an address, as another page has it; `null` where that is not told. */
export function pageAt(pages: readonly KnownPage[], from: string, href: string): KnownPage | null {
  const [only, ...more] = pages.filter(({ path }) => isAt(href, from, path))
  return only === undefined || more.length > 0 ? null : only
}

/** Whether an address leads to a page, or a place of one, on which nobody takes what is filled in. */
export const endsDead = ({ deadEnds }: Site, href: string, from: string): boolean => {
  const place = /^\/?#([\w-]+)$/.exec(href)?.[1]
  if (place === undefined) return deadEnds.some((path) => isAt(href, from, path))
  return deadEnds.includes(from) || deadEnds.some((path) => plain(nameOf(path)).startsWith(plain(place)))
}
