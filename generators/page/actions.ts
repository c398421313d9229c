import { type CtaPurpose, type Lexicon, PURPOSES } from '../lexicon/lexicon.js'
import { labelOf, wordsOfCode } from './forms.js'
import { above, elementsIn, given, type PageElement, type PageTree } from './tree.js'

/** A link or button that visitors act with. */
export interface PageAction {
  element: PageElement
  label: string
  /** where it leads, `null` if code decides */
  to: string | null
  purpose: CtaPurpose | null
  looksLikeButton: boolean
  classes: string
}

const LINK = /^(a|link|navlink|nuxt-?link|routerlink|router-link)$/
const BUTTON_CLASS = /(^|[\s_-])(btn|button|cta|knopf|bouton|boton)(?=[\s_-]|$)/i

export function actionsOf(page: PageTree, lexicon: Lexicon): PageAction[] {
  return elementsIn(page.root).flatMap((element): PageAction[] => {
    const isLink = LINK.test(element.name)
    const isButton = /^(button|btn|\w+button)$/.test(element.name)
    const label = labelOf(element)
    if ((!isLink && !isButton) || label === '') return []
    const to = given(element, 'href') ?? given(element, 'to')
    const classes = given(element, 'class') ?? ''
    return [
      {
        element,
        label,
        to,
        classes,
        looksLikeButton: isButton || BUTTON_CLASS.test(classes) || given(element, 'role') === 'button',
        purpose: purposeOf(label, to, lexicon),
      },
    ]
  })
}

/** What waits at an address, by the words of paths in any language. */
const BY_ADDRESS: readonly (readonly [CtaPurpose, RegExp])[] = [
  ['sign up', /\b(sign ?up|register|registration|registrieren|join|inscription|registro|trial)\b/i],
  ['sign in', /\b(log ?in|sign ?in|anmelden|connexion)\b/i],
  ['plans', /\b(pricing|plans?|preise|tarife?s?|prices|precios)\b/i],
  ['quote', /\b(quote|devis|angebot|presupuesto)\b/i],
  ['booking', /\b(book(ing)?|appointment|termin|reservation|reservar?|cita)\b/i],
  ['contact', /\b(contact|kontakt|contacto)\b/i],
  ['cart', /\b(cart|basket|warenkorb|panier|carrito)\b/i],
  ['purchase', /\b(checkout|kasse|buy|order)\b/i],
]

function purposeOf(label: string, to: string | null, lexicon: Lexicon): CtaPurpose | null {
  const address = to === null ? '' : wordsOfCode(to.replace(/^https?:\/\/[^/]+/, '').replace(/\.\w+$/, ''))
  return (
    BY_ADDRESS.find(([, named]) => named.test(address))?.[0] ??
    PURPOSES.find((one) => lexicon.purposes[one].named.test(label)) ??
    null
  )
}

/** The acts that a business lives on, the strongest first. */
const GOALS: readonly (CtaPurpose | null)[] = [
  'sign up',
  'quote',
  'booking',
  'plans',
  'purchase',
  'contact',
  'cart',
]
export const goalRank = ({ purpose }: Pick<PageAction, 'purpose'>): number => GOALS.indexOf(purpose)
export const isGoal = (action: Pick<PageAction, 'purpose'>): boolean => goalRank(action) >= 0

/** Whether an element stands in the header, footer or navigation of a page. */
export const isInFrame = (element: PageElement): boolean =>
  [element, ...above(element)].some(({ name }) => /^(nav|navbar|header|footer|aside)$/.test(name)) ||
  [element, ...above(element)].some((one) =>
    /(^|[\s_-])(nav(bar)?|footer|menu)(?=[\s_-]|$)/i.test(given(one, 'class') ?? ''),
  )
