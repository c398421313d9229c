import { type Change, insertAt } from '../../edits.js'
import type { Browse, Copy, Idea, View } from '../../idea.js'
import {
  above,
  besides,
  type Element,
  elementsIn,
  given,
  type Page,
  type Text,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { isAt } from '../../pages-at.js'
import { programOf } from '../../reach.js'
import { anchorOf, bare, hrefOf, isButton, isLink, labelOf, lineBreakBefore } from '../../surface.js'
import type { Language } from '../../words/language.js'
import { EMPTY_CART } from '../../words/phrases.js'
import { isRow } from '../act/in-opening.js'
import { classesOf, evidenceOf, standing, takenFor } from '../act/standing.js'
import { copied, looksStrong, outermost } from '../act/ways.js'
import { inFrame } from '../evidence/repeat-beside.js'

const MAX_BROWSES = 6

export const SHOP =
  /^\/?(?:[\w-]+\/)*(products?|shop|store|catalog|catalogue|collections?|menu|search|produkte|sortiment|produits|boutique|catalogo|productos|tienda)(\/all)?(\.html?)?\/?$/i

/** Labels that lead to what there is to buy, from the first word. */
export const BROWSES: Readonly<Record<Language, RegExp>> = {
  en: /^(start|continue|keep|go) shopping$|^(shop|browse|explore|view|see|discover) (now|all|our|the|products|menu|collections?|candles|teas|bags)\b/i,
  de: /^(weiter|jetzt) (einkaufen|shoppen|stöbern)$|^(zum shop|zu den produkten|zur (bestellung|speisekarte))$|^(\p{L}+ )?(produkte|sortiment|shop|speisekarte) (ansehen|entdecken)$/iu,
  fr: /^(continuer|commencer) (mes|vos|les|le|la) (achats|shopping)$|^(voir|découvr(ir|ez)|explorer) (tou(te)?s )?(les|nos|la|le|notre) (produits|boutique|collections?|catalogue|menu|carte|bijoux)/i,
  es: /^(seguir|continuar|empezar a) comprando?r?$|^(ver|descubrir|explorar) (todos )?(los |nuestros |la |nuestra |el )?(productos|tienda|colecci(ón|ones)|catálogo|menú)|^ir a (la tienda|comprar|productos)/i,
}

/** That nothing has been ordered or kept yet, in the words of one who could. */
const NOTHING_YET: Readonly<Record<Language, RegExp>> = {
  en: /^(you (have no|don['’]t have any|haven['’]t (placed|made) any) (past |recent )?(orders?|purchases?)( yet)?|no (orders?|purchases?) yet|your (wish ?list|favou?rites)( list)? (is|are) (currently )?empty)[.!]?$/i,
  de: /^(noch keine bestellungen|(du hast|sie haben) (bisher |noch )+keine bestellungen.{0,20}|(deine|ihre) (wunschliste|merkliste) ist (noch )?leer)[.!]?$/i,
  fr: /^(vous n['’]avez (pas encore|encore) passé (de|aucune) commande|aucune commande pour le moment|votre (wishlist|liste d['’]envies|liste de souhaits) est vide)[.!]?$/i,
  es: /^((todavía|aún) no (tienes|tenés|has (hecho|realizado)) (ningún )?(pedidos?|compras|favoritos)|tu lista( de (deseos|favoritos))? está vacía)[.!]?$/i,
}

export const isEmptyShelf = (words: string, language: Language): boolean =>
  EMPTY_CART[language].says.test(words) || NOTHING_YET[language].test(words)

/** What code shows or leaves out together with an element; without any, what the component shows as a whole. */
export function branchOf(element: Element): Element {
  let branch = element
  for (const outer of above(element)) {
    if (outer.tag === '#code' || outer.parent === null) break
    branch = outer
  }
  return branch
}

/** Whether something says in a few words around an element that nothing is there. */
const standsInEmpty = (element: Element, language: Language): boolean => {
  let holder = element
  for (const outer of [...above(element)].slice(0, 4)) {
    if (outer.tag === '#code' || outer.parent === null || wordsIn(outer).length > 250) break
    holder = outer
  }
  return wordsIn(holder)
    .split(/(?<=[.!?])\s/)
    .some((sentence) => isEmptyShelf(sentence, language) && sentence.length <= 120)
}

/** Ways of a page to what there is to buy. */
export function browsesOf(page: Page, language: Language): Browse[] {
  const found: Browse[] = []
  const hasEmpty = textsIn(page.root).some(({ value }) => isEmptyShelf(value, language))
  for (const one of elementsIn(page.root)) {
    if (found.length === MAX_BROWSES) break
    const href = given(one, 'href') ?? given(one, 'to')
    if (href === null || !/^[\w/.-]+$/.test(href) || !(isLink(one) || isButton(one)) || inFrame(one)) continue
    if (!hasEmpty && !SHOP.test(href)) continue
    const way = outermost(one)
    const label = labelOf(way)
    if (label === null || label.quote !== null || label.key !== undefined || label.value.length > 40) continue
    const isShop = SHOP.test(href) && BROWSES[language].test(bare(label.value))
    const isInEmpty = hasEmpty && href.length > 1 && SHOWS_ON.test(href) && standsInEmpty(way, language)
    if ((!isShop && !isInEmpty) || !looksStrong(page, way)) continue
    found.push({
      href,
      label: label.value,
      isButton: true,
      isFramed: false,
      isAlways: true,
      followsText: false,
      isOpening: false,
      copy: copied(page, way),
      isInEmpty,
    })
  }
  return found
}

/** Not what is for those who have an account, or have chosen already. */
const SHOWS_ON =
  /^(?!.*(log-?in|sign-?(in|up)|regist|account|konto|compte|cuenta|cart|checkout|warenkorb|panier|carrito|contact))/i

const ELSEWHERE =
  /summary|shipping|payment|checkout|header|nav|icon|(^|[/_.-])(admin|dashboard|pos)(?=[/_.-]|$)/i
/** What lies over a page stays open when one goes on. */
const OVER_PATH = /modal|drawer|sheet|dialog|popover|dropdown|sidebar|flyout|mini|panel|overlay|button/i
const OVER_TAG = /sheet|drawer|dialog|modal|popover|dropdown|transition|offcanvas|portal/i
const OVER_CLASS = /(^|\s)(fixed|\S*(drawer|modal|offcanvas|sidebar|flyout|popover|dropdown)\S*)(?=\s|$)/i

const liesOver = (page: Page, line: Element): boolean =>
  OVER_PATH.test(page.path) ||
  [line, ...above(line)].some((one) => OVER_TAG.test(one.tag) || OVER_CLASS.test(classesOf(one)))

const CLOSES = /\b(close|cerrar|fermer|schließen|schliessen)\b/i
const CLOSE_ICON = /^(x|close|xmark|cross|times)(icon|mark)?$|^(icon)?(close|xmark)|^close/i
const CALLED =
  /\s((?:onClick|onclick|on:click|@click)=(?:\{(?:[\w.]+|\(\) => [\w.]+\((?:false)?\))\}|"[\w.]+(?:\(\))?"))/

/** How the file closes what lies over the page: what its button for that does when it is pressed; `null` where it has none, or several that differ. */
function closing(page: Page): string | null {
  const found = elementsIn(page.root).flatMap((one) => {
    if (!/button|btn/i.test(one.tag)) return []
    const source = page.text.slice(one.start, one.end)
    const end = elementsIn(one)[0]?.start ?? one.end
    const own = CALLED.exec(page.text.slice(one.start, end))?.[1]
    const closes =
      CLOSES.test(given(one, 'aria-label') ?? '') ||
      CLOSES.test(wordsIn(one)) ||
      elementsIn(one).some(({ tag }) => CLOSE_ICON.test(tag))
    return own !== undefined && closes && source.length < 900 ? [own] : []
  })
  return new Set(found).size === 1 ? (found[0] ?? null) : null
}

const withCall = (source: string, call: string): string =>
  source.replace(/<(a|Link|NavLink|NuxtLink|RouterLink)\b(?=[^>]*\s(?:href|to)=)/, (tag) => `${tag} ${call}`)

/** Lines of a source that is copied, as deep as the place where it comes to stand. */
function indented(source: string, gap: string): string {
  const own = /\n([ \t]*)\S[^\n]*$/.exec(source)?.[1]
  return own === undefined || gap === ''
    ? source
    : source.replace(new RegExp(`\\r?\\n${own}`, 'g'), () => gap)
}

const isLineOf = (element: Element): boolean => /^(p|h[1-6]|span|small)$/.test(element.tag)

/** The last of the lines that say together that nothing is there. */
function lastLine(line: Element): Element {
  const row = besides(line)
  let last = line
  for (const one of row.slice(row.indexOf(line) + 1)) {
    if (!isLineOf(one)) break
    last = one
  }
  return last
}

/** What would follow the button, and belongs to it rather than the words above. */
const isLast = (last: Element): boolean => {
  const row = besides(last)
  return row.indexOf(last) === row.length - 1
}

function standsBelow(page: Page, line: Element, source: string): Change | null {
  const gap = lineBreakBefore(page, line)
  const isCentred = /(^|\s)text-center(?=\s|$)/.test(classesOf(line))
  const whole = isCentred
    ? source.replace(/^<div (class|className)="/, (found) => `${found}text-center `)
    : source
  if (line.parent?.tag !== '#code') return insertAt(line.end, (gap || ' ') + whole, line)
  if (page.dialect !== 'jsx') return null
  const own = page.text.slice(line.start, line.end)
  return {
    start: line.start,
    end: line.end,
    text: `<>${gap}${own}${gap || ' '}${whole}${gap}</>`,
    unit: line,
  }
}

interface Placed {
  way: Browse & { path: string; copy: Copy }
  change: Change
}

function placed(view: View, line: Element): Placed | null {
  const { page, site } = view
  const isOver = liesOver(page, line)
  const call = isOver && page.dialect !== 'html' ? closing(page) : null
  if (isOver && page.dialect !== 'html' && call === null) return null
  const rank = (one: Browse & { path: string }): number =>
    (one.isInEmpty ? 4 : 0) + (one.path === page.path ? 2 : 0) + (SHOP.test(one.href) ? 1 : 0)
  const ways = (site?.browses ?? [])
    .flatMap((one) => (one.copy === null ? [] : [{ ...one, copy: one.copy }]))
    .filter(({ path, href }) => programOf(path) === programOf(page.path) && isThereToo(page, path, href))
    .filter(({ href }) => !isAt(href, page.path, page.path))
    .sort((a, b) => rank(b) - rank(a) || (a.path < b.path ? -1 : 1))
  const last = lastLine(line)
  for (const way of ways) {
    const source = standing(page, last, way, way.copy)
    const taken = source === null ? null : takenFor(page, way, way.copy.needs)
    if (source === null || taken === null) continue
    const pressed = call === null ? source : withCall(source, call)
    if (call !== null && pressed === source) continue
    const whole = indented(pressed, lineBreakBefore(page, last))
    const change = standsBelow(page, last, whole)
    if (change !== null) return { way, change: { ...change, additions: taken } }
  }
  return null
}

/** Addresses without a beginning mean another place in another folder. */
const isThereToo = (page: Page, path: string, href: string): boolean =>
  href.startsWith('/') ||
  path.slice(0, path.lastIndexOf('/') + 1) === page.path.slice(0, page.path.lastIndexOf('/') + 1)

/**
 * A cart, a list of orders or of what is kept that tells that it is empty and leads nowhere, on a site that has a button to what there is to buy: that button stands there too, and closes
 * what lies over the page where its own button does. In the site's own words and look, best those of a sister that has it. Not where something leads on already, where all pages that show it are what the button leads to, nor where its place,
 * its look, or how to close what it stands in cannot be told.
 */
export function emptyShelf(view: View, text: Text, language: Language): Idea | null {
  const { page } = view
  const line = text.parent
  if (page.isTranslated === true || ELSEWHERE.test(page.path) || !isEmptyShelf(text.value, language))
    return null
  if (!isLineOf(line) || labelOf(line) !== text || text.key !== undefined) return null
  const branch = branchOf(line)
  if (branch.hasCode || leadsOn(branch) || wordsIn(branch).length > 300) return null
  if (!isLast(lastLine(line)) || [...above(line)].slice(0, 1).some(isRow)) return null
  const isAlways = elementsIn(page.root).some(
    (one) => isLink(one) && SHOP.test(hrefOf(one) ?? '') && branchOf(one) === branch,
  )
  const found = isAlways ? null : placed(view, line)
  if (found === null) return null
  const { way, change } = found
  const isCart = EMPTY_CART[language].says.test(text.value)
  const where = way.isInEmpty ? `as ${way.path} has it where nothing is there` : `which ${way.path} has`
  return {
    mechanism: 'friction',
    pattern: 'empty-shelf-way-on',
    name: `Lead on from “${text.value}”: “${way.label}”`,
    anchor: anchorOf(line, text.value),
    topics: ['cart', 'empty state', 'shop', text.value, way.label],
    arms: [{ name: `“${way.label}” below “${text.value}”`.slice(0, 80), changes: [change], says: null }],
    audience: isCart ? 'visitors whose cart is empty' : 'visitors who have ordered or kept nothing yet',
    change: `showing the site’s own button “${way.label}” (${way.href}), ${where}, below “${text.value}”, where nothing leads on now,`,
    because:
      'who looks into what is empty has it in mind to buy, and finds the way to what there is right there',
    goal: 'cart',
    effect: isCart ? 4 : 2,
    leadsTo: way.href,
    evidence: evidenceOf(way),
  }
}

/** Whether anything in what is shown with the words can be pressed, or may be. */
export const leadsOn = (branch: Element): boolean =>
  [branch, ...elementsIn(branch)].some(
    (one) => isLink(one) || isButton(one) || /button|btn|link|cta|action|trigger/i.test(one.tag),
  )
