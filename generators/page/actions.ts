import { type CtaPurpose, type Lexicon, PURPOSES } from '../lexicon/lexicon.js'
import { destinationOf } from './destinations.js'
import { labelOf, wordsOfCode } from './forms.js'
import { above, elementsIn, given, isInside, type PageElement, type PageTree } from './tree.js'

/** A link or button that visitors act with. */
export interface PageAction {
  element: PageElement
  label: string
  /** where it leads, `null` if code decides */
  to: string | null
  purpose: CtaPurpose | null
  looksLikeButton: boolean
}

const LINK = /^(a|link|navlink|nuxt-?link|routerlink|router-link|localelink|nuxtlinklocale)$/
/** Buttons styled by utility classes have a ground or a border, and room around the label. */
const UTILITIES = /(?=.*(^|\s)(bg-(?!transparent)|border(\s|$|-)))(?=.*(^|\s)p[xy]?-[1-9])/
const BUTTON_CLASS = /(^|[\s_-])(btn|button|cta|knopf|bouton|boton)(?=[\s_-]|$)/i

/** A button in a link, or a link in a button, is one action. */
export function actionsOf(page: PageTree, lexicon: Lexicon): PageAction[] {
  const all = everyAction(page, lexicon)
  return all.flatMap((one): PageAction[] => {
    if (all.some((other) => other !== one && isInside(one.element, other.element))) return []
    const [inner, ...more] = all.filter((other) => other !== one && isInside(other.element, one.element))
    if (inner === undefined || more.length > 0) return [one]
    return [
      {
        ...one,
        to: one.to ?? inner.to,
        purpose: one.purpose ?? inner.purpose,
        looksLikeButton: one.looksLikeButton || inner.looksLikeButton,
      },
    ]
  })
}

function everyAction(page: PageTree, lexicon: Lexicon): PageAction[] {
  return elementsIn(page.root).flatMap((element): PageAction[] => {
    const isLink = LINK.test(element.name)
    const isButton = /^[\w-]*(button|btn)$/.test(element.name)
    const label = labelOf(element)
    if ((!isLink && !isButton) || label === '') return []
    const to = given(element, 'href') ?? given(element, 'to') ?? destinationOf(page, element)
    const classes = given(element, 'class') ?? ''
    return [
      {
        element,
        label,
        to,
        looksLikeButton:
          isButton ||
          BUTTON_CLASS.test(classes) ||
          UTILITIES.test(classes) ||
          given(element, 'role') === 'button',
        purpose: purposeOfLink(label, to, lexicon),
      },
    ]
  })
}

/** Purposes of addresses, by the words of paths in any language. */
const BY_ADDRESS: readonly (readonly [CtaPurpose, RegExp])[] = [
  [
    'sign up',
    /\b(sign ?up|register|registration|registrieren|join|inscription|registro|cadastro|trial|registrati|registrazione|registreren|rejestracja|kayit)\b/i,
  ],
  ['sign in', /\b(log ?in|sign ?in|anmelden|connexion|accedi|inloggen|logowanie|giris)\b/i],
  [
    'plans',
    /\b(pricing|plans?|preise|tarife?s?|prices|precios|planos|precos|prezzi|listino|prijzen|tarieven|cennik|fiyatlar)\b/i,
  ],
  [
    'quote',
    /\b(quote|devis|angebot|presupuesto|orcamento|simul(ar|acao|ador)|preventiv[io]|wycena|teklif)\b/i,
  ],
  [
    'booking',
    /\b(book(ing)?|appointment|termin|reservation|reservar?|cita|agend(ar|amento)|prenot(a|azion[ei])|afspraak|reserveren|rezerwacja|randevu|rezervasyon)\b/i,
  ],
  ['contact', /\b(contact|kontakt|contacto|contato|contatt[io]|contattaci|iletisim)\b/i],
  ['cart', /\b(cart|basket|warenkorb|panier|carrito|carrinho|carrello|winkelwagen|koszyk|sepet)\b/i],
  ['purchase', /\b(checkout|kasse|buy|order|acquista|afrekenen|odeme)\b/i],
]

/** The purpose of an address by its words. */
export function purposeOfAddress(to: string): CtaPurpose | null {
  const address = wordsOfCode(to.replace(/^https?:\/\/[^/]+/, '').replace(/\.\w+$/, ''))
  return BY_ADDRESS.find(([, named]) => named.test(address))?.[0] ?? null
}

/** The purpose of a link or button, by its address first and then its label. */
function purposeOfLink(label: string, to: string | null, lexicon: Lexicon): CtaPurpose | null {
  if (lexicon.tidies.test(label)) return null
  return (
    (to === null ? null : purposeOfAddress(to)) ??
    PURPOSES.find((one) => lexicon.purposes[one].test(label)) ??
    null
  )
}

/** The acts that a business lives on, the strongest first. */
export const ACTS = ['sign up', 'quote', 'booking', 'plans', 'purchase', 'contact', 'cart'] as const
export type Act = (typeof ACTS)[number]

/** The act that a link or button leads to, `null` if it leads to none. */
export const actOf = ({ purpose }: Pick<PageAction, 'purpose'>): Act | null =>
  ACTS.find((one) => one === purpose) ?? null

/**
 * Whether an element stands in the header, footer or navigation of a page. The header of the title does not
 * count.
 */
export const isInFrame = (element: PageElement): boolean =>
  [element, ...above(element)].some(
    (one) =>
      /^(nav|navbar|footer|aside)$/.test(one.name) ||
      /(^|[\s_-])(nav(bar)?|footer|menu)(?=[\s_-]|$)/i.test(given(one, 'class') ?? '') ||
      (one.name === 'header' && !elementsIn(one).some(({ name }) => name === 'h1')),
  )
