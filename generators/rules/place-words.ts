import { above, elementsIn, isInCode, type PageTree, wordsIn } from '../page/tree.js'

export const quoted = (text: string): string =>
  `“${text.length > 60 ? `${text.slice(0, 59).trim()}…` : text}”`

/** `if (notFound) { return (`: what follows is shown in place of the page. */
const INSTEAD = /\bif\s*\([^;{}]*\)\s*\{?\s*return\s*\(?\s*$/
const OF_STATE =
  /not found|404|error|went wrong|oops|loading|please wait|thank you|thanks|success|\bsent\b|no results|empty|nicht gefunden|fehler|danke|introuvable|erreur|merci|no encontrad|gracias|não encontrad|obrigad|non trovat|errore|grazie|niet gevonden|bedankt|nie znalezion|dziękujemy|bulunamadı|teşekkür/i

/** The first heading that names the page, and no error or empty state; `''` if code computes it. */
export function headingOf(page: PageTree, tags: RegExp): string {
  const titled = elementsIn(page.root).filter((one) => {
    const top = [one, ...above(one)].findLast(({ parent }) => parent?.parent === null) ?? one
    return tags.test(one.name) && !INSTEAD.test(page.text.slice(0, top.start)) && !OF_STATE.test(wordsIn(one))
  })
  const first = titled.find((one) => !isInCode(one)) ?? titled[0]
  return first === undefined || first.hasCode ? '' : wordsIn(first)
}

const AT_CHECKOUT =
  /check-?out|cart|basket|\bbag\b|payment|kasse|warenkorb|panier|commande|carrito|caisse|carrinho|sacola|carrello|winkelwagen|koszyk|sepet|order-?(summary|review|form)/i
const ELSEWHERE = /add-?to-?cart|success|confirm|thank|history|account|orders\b|details?\b/i

/** Whether buyers see a page on their way to the payment, by its path or its main heading. */
export function isAtCheckout(page: PageTree): boolean {
  const headings = elementsIn(page.root).filter(({ name }) => /^(h1|h2|title)$/.test(name))
  return AT_CHECKOUT.test(`${page.path} ${headings.map(wordsIn).join(' ')}`) && !ELSEWHERE.test(page.path)
}
