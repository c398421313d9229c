import { isVisitorPage } from '../page/page-paths.js'
import type { SiteContext, SiteLink } from './rule.js'

const CLASSES = /\bclass(?:Name)?=["']([^"']+)["']/g
const STYLES = /<(\w*(?:[Bb]utton|[Bb]tn))\b[^<>]*?\s(variant|color|appearance|kind|type)=["']([\w-]+)["']/g
const LINKS =
  /<(?:a|\w*[Ll]ink)\b[^<>]*?\s(?:href|to)=["']((?:\/|#)[\w/#-]*|[\w-]+\.html)["'][^<>]*>\s*([^<>{}]{2,40}?)\s*<\//g
const ANCHORS = /\bid=["']([\w-]+)["']/g

/** Classes of buttons of sites that style by utility classes. */
const BUTTONS =
  /<(?:a|button|Link|NuxtLink|RouterLink|router-link)\b[^<>]*?\bclass(?:Name)?=["']([^"'{}]+)["']/g
const HAS_ROOM = /(^|\s)px?-[1-9]/
const HAS_GROUND = /(^|\s)bg-(?!white|transparent|gray|black\/|gradient)/
const HAS_BORDER = /(^|\s)border(-[2-9])?(\s|$)/
/** Classes that belong to one place of a page. */
const IS_PLACED =
  /(^|\s)(absolute|fixed|w-full|hidden|rounded-[lrtbse]|m[ltrbxy]?-|h-|disabled:|flex-1|col-|text-left|justify-between)/

const mostFrequent = (counts: ReadonlyMap<string, number>): string | null =>
  [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null

const SELLS = /(^|[/_.-])(carts?|checkout|basket|warenkorb|kasse|panier|carrito|carrinho)(?![a-z])/i

/** Gathers what files say of the site without parsing them: class names, button styles, links, anchors. */
export function siteFacts(): {
  add(path: string, text: string): void
  of(isReached: (path: string) => boolean): Omit<SiteContext, 'statements'>
} {
  const classes = new Set<string>()
  const styles = new Map<string, Set<string>>()
  const buttons = new Map<string, number>()
  const quiet = new Map<string, number>()
  const links: SiteLink[] = []
  const anchors = new Set<string>()
  let isShop = false
  return {
    add(path, text) {
      for (const [, names = ''] of text.matchAll(CLASSES))
        for (const name of names.split(/\s+/)) if (name !== '') classes.add(name)
      for (const [, tag = '', property = '', value = ''] of text.matchAll(STYLES)) {
        const key = `${tag} ${property}`
        styles.set(key, (styles.get(key) ?? new Set()).add(value))
      }
      if (!isVisitorPage(path)) return
      isShop ||= SELLS.test(path)
      for (const [, names = ''] of text.matchAll(BUTTONS)) {
        if (!HAS_ROOM.test(names) || IS_PLACED.test(names)) continue
        const counts = HAS_GROUND.test(names) ? buttons : HAS_BORDER.test(names) ? quiet : null
        counts?.set(names, (counts.get(names) ?? 0) + 1)
      }
      for (const [, to = '', label = ''] of text.matchAll(LINKS))
        links.push({ path, to, label: label.replace(/\s+/g, ' ') })
      for (const [, id = ''] of text.matchAll(ANCHORS)) anchors.add(id)
    },
    of: (isReached) => ({
      isShop,
      classes,
      buttonClass:
        ['btn btn-primary', 'btn', 'button'].find((one) =>
          one.split(' ').every((name) => classes.has(name)),
        ) ?? mostFrequent(buttons),
      quietClass: mostFrequent(quiet),
      styles,
      anchors,
      links: links.filter(({ path }) => isReached(path)),
    }),
  }
}
