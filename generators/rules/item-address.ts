import { wordsOfCode } from '../page/forms.js'
import type { PageElement, PageTree } from '../page/tree.js'

/** The address of the page of one item of a list: `/rooms/${room.id}`. */
export interface ItemAddress {
  /** the attribute as its file writes it */
  written: string
  /** the names that it reads: `room` */
  names: readonly string[]
  /** the folder of such pages: `rooms` */
  folder: string
}

const LINK = /^(a|link|navlink|nuxt-?link|routerlink|router-link|localelink|nuxtlinklocale)$/
/** `/rooms/${room.id}` and `/rooms/{room.id}`, with the item at its end. */
const TEMPLATE = /["'`]\/?(?:[\w-]+\/|\$?\{[\w.]+\}\/)*([\w-]+)\/\$?\{[^{}"'`]+\}\/?["'`]/
/** `'/rooms/' + room.id` */
const JOINED = /["'`]\/?(?:[\w-]+\/)*([\w-]+)\/["'`]\s*\+\s*[\w.?]+\s*["}]/
const NO_PAGE = /https?:|mailto:|tel:|wa\.me|[?#]/

export const isLink = ({ name }: PageElement): boolean => LINK.test(name)

/** The address to which a link leads, `null` if it is not made of a folder and one item. */
export function itemAddressOf(link: PageElement, page: PageTree): ItemAddress | null {
  const address = link.attributes.find(({ name }) => /^(href|to)$/.test(name))
  if (!isLink(link) || address === undefined) return null
  const written = page.text.slice(address.start, address.end)
  const folder = (TEMPLATE.exec(written) ?? JOINED.exec(written))?.[1]
  const isPage = !NO_PAGE.test(written.replaceAll('?.', '.'))
  return folder === undefined || !isPage ? null : { written, names: namesReadIn(written, page), folder }
}

const EXPRESSIONS = /\$?\{([^{}]*)\}/g
const NAME = /(?<![\w$.])[a-z_$][\w$]*(?![\w$]|\s*\()/gi
const COMMON = /^(import|process|window|undefined|null|true|false|lang|locale|[A-Z].*)$/

/** The names that an attribute with code reads, without properties, functions and words in quotes. */
export function namesReadIn(written: string, { dialect }: PageTree): string[] {
  const expressionsOf = (text: string): string =>
    [...text.matchAll(EXPRESSIONS)].map(([, code]) => code).join(' ')
  const value = written.slice(written.indexOf('=') + 1)
  const code =
    dialect === 'svelte' && /^["']/.test(value) ? expressionsOf(value) : value.replace(/^"|"$/g, '')
  const bare = code.replace(/`[^`]*`/g, expressionsOf).replace(/'[^']*'|"[^"]*"/g, ' ')
  return (bare.match(NAME) ?? []).filter((name) => !COMMON.test(name))
}

/** `rooms` for `/rooms/${room.id}`: by the name of the item, or else by the folder. */
export function thingsOf({ folder, names }: ItemAddress): string {
  const words = (code: string): string => wordsOfCode(code).toLowerCase()
  const item = words(names.at(-1) ?? '').replace(/^(each|current|the|one) /, '')
  const isNamed = !/^(item|id|slug|path|handle|el|elem|data|card|\w|\w+ing)$/.test(item)
  if (!isNamed) return /s$/.test(folder) ? words(folder) : `${words(folder)} pages`
  return /s$/.test(item) ? item : /[^aeou]y$/.test(item) ? item.replace(/y$/, 'ies') : `${item}s`
}
