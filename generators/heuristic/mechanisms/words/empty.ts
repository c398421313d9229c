import { insertAt, reword } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, attribute, type Element, elementsIn, given, type Text, textsIn } from '../../markup/tree.js'
import { anchorOf, bare, isButton, isLink, labelOf, lineBreakBefore } from '../../surface.js'
import { type Language, likeControl } from '../../words/language.js'
import { EMPTY_CART } from '../../words/phrases.js'
import { emptyShelf, isEmptyShelf } from '../leads/shelves.js'

export function* empty(view: View): Generator<Idea> {
  if (view.language === null) return
  for (const text of textsIn(view.page.root)) {
    const shelf = emptyShelf(view, text, view.language)
    if (shelf !== null) {
      yield shelf
      return
    }
    if (!EMPTY_CART[view.language].says.test(text.value) || text.value.length > 120) continue
    const idea = emptyCart(view, text, view.language)
    if (idea === null) continue
    yield idea
    return
  }
}

/** Whether a page shows an empty cart, so that ways of the rest of the site are worth knowing. */
export const isEmptyCart = ({ page, language }: View): boolean =>
  language !== null && textsIn(page.root).some(({ value }) => isEmptyShelf(value, language))

const SHOP =
  /^\/(?:[\w-]+\/)*(products|shop|store|catalog|catalogue|collections|search|produkte|produits|boutique|productos|tienda)\/?$/i

const INSIDE = /^\/(admin|dashboard|seller|vendor)\b/i

/**
 * An empty cart: a way to the products. A link there that only says that it goes back says where to; where there is none, one to the site's own list of products is
 * added. Not where something leads on already, nor where the site links to no such list.
 */
function emptyCart(view: View, text: Text, language: Language): Idea | null {
  const { page, site } = view
  const { vague, browse } = EMPTY_CART[language]
  const holder = holderOf(text)
  const ways = elementsIn(holder).filter((one) => isLink(one) || isButton(one))
  const common = {
    mechanism: 'friction',
    pattern: 'empty-cart-way-on',
    topics: ['cart', 'empty state', 'checkout', text.value],
    audience: 'visitors whose cart is empty',
    because: 'an empty cart is where visits end, unless the next step stands there',
    goal: 'purchase',
    effect: 3,
  } as const
  const [way, ...more] = ways
  if (way !== undefined) {
    const label = more.length > 0 ? null : labelOf(way)
    const href = given(way, 'href') ?? given(way, 'to')
    if (label === null || href === null || !vague.test(bare(label.value))) return null
    if (href !== '/' && !SHOP.test(href)) return null
    const said = likeControl(label.value, browse, language)
    const change = reword(page, label, said)
    if (change === null) return null
    return {
      ...common,
      name: `Say in the empty cart where to go: “${said}”`,
      anchor: anchorOf(way, label.value),
      arms: [{ name: said, changes: [change], says: said }],
      change: `saying “${said}” in place of “${label.value}” beside “${text.value}”`,
    }
  }
  // A page that nothing leads to is called by its file alone, which is no address where parts have it.
  const shop = site?.links.find(
    ({ href, count }) => SHOP.test(href) && (count > 0 || href === href.toLowerCase()) && !INSIDE.test(href),
  )
  const line = text.parent
  if (
    !/cart|basket|bag|wish|warenkorb|panier|carrito|cesta/i.test(page.path) ||
    // What lies over a page stays open when one goes on.
    /summary|shipping|payment|checkout|modal|drawer|dialog|sheet|popover|dropdown|sidebar|flyout|mini|button|icon|header|nav/i.test(
      page.path,
    )
  )
    return null
  if (shop === undefined || page.isTranslated === true || line.tag === '' || line.tag === '#code') return null
  if (!/^(p|h[1-6]|div|span|strong)$/.test(line.tag) || labelOf(line) !== text) return null
  const like = elementsIn(page.root).find(
    (one) => isLink(one) && (attribute(one, 'href') ?? attribute(one, 'to')) !== undefined,
  )
  const tag = like === undefined || isButton(like) ? 'a' : like.tag
  const name = tag !== 'a' && attribute(like ?? line, 'to') !== undefined ? 'to' : 'href'
  const added = `<${tag} ${name}="${shop.href}">${browse}</${tag}>`
  return {
    ...common,
    // It is written as a plain link, whatever others look like.
    effect: 2,
    name: `Lead from the empty cart to the products: “${browse}”`,
    anchor: anchorOf(line, text.value),
    arms: [
      {
        name: browse,
        changes: [
          // Where code shows the line or another, it is one element: the way stands in it.
          line.parent?.tag === '#code'
            ? insertAt(text.end, ` ${added}`, line)
            : insertAt(line.end, (lineBreakBefore(page, line) || ' ') + added, line),
        ],
        says: browse,
      },
    ],
    change: `adding a way to ${shop.href} below “${text.value}”`,
  }
}

/** What is shown together with a text: up to what code shows or leaves out as a whole, or the third element around it. */
function holderOf({ parent }: Text): Element {
  let holder = parent
  let steps = 0
  for (const outer of above(parent)) {
    if (holder.tag === '#code' || outer.tag === '#code' || steps === 3 || outer.parent === null) break
    holder = outer
    steps += 1
  }
  return holder
}
