import { elementsIn, type PageTree, wordsIn } from '../page/tree.js'

/** Names of forms in the words of readers. */
export const FORM_NAMED = {
  'sign up': 'at sign-up',
  contact: 'in the contact form',
  quote: 'in the quote form',
  subscribe: 'for the newsletter',
} as const

export const quoted = (text: string): string =>
  `“${text.length > 60 ? `${text.slice(0, 59).trim()}…` : text}”`

const AT_CHECKOUT =
  /check-?out|cart|basket|\bbag\b|payment|kasse|warenkorb|panier|commande|carrito|caisse|carrinho|sacola|order-?(summary|review|form)/i
const ELSEWHERE = /add-?to-?cart|success|confirm|thank|history|account|orders\b|details?\b/i

/** Whether buyers see a page on their way to the payment, by its path or its main heading. */
export function isAtCheckout(page: PageTree): boolean {
  const headings = elementsIn(page.root).filter(({ name }) => /^(h1|h2|title)$/.test(name))
  return AT_CHECKOUT.test(`${page.path} ${headings.map(wordsIn).join(' ')}`) && !ELSEWHERE.test(page.path)
}
