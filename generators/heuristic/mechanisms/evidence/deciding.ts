import type { Goal, View } from '../../idea.js'
import { above, type Element, elementsIn } from '../../markup/tree.js'
import { isInStub } from '../../stub.js'
import { type Form, isButton, isForInvited, isLink, namesOf, saidOn } from '../../surface.js'
import { goalOfForm } from '../forms/called.js'
import { heroOf, isAct, isStartPage } from '../opening/hero.js'
import { goalOfWay, inFrame } from './repeat-beside.js'

/** What visitors are about to do at a place of a page. */
export type Decision = 'sign up' | 'compare' | 'buy' | 'pay' | 'book' | 'ask' | 'give' | 'start'

export interface Deciding {
  decision: Decision
  /** what they press, or what holds the plans that they compare */
  button: Element
  goal: Goal
}

const ADDS =
  /\b(add to (the )?(cart|basket|bag)|buy( it)? now|in den (warenkorb|einkaufswagen)|jetzt kaufen|(ajouter|mettre) au panier|acheter|añadir (al carrito|a la cesta)|comprar)\b/i
const PAYS =
  /\b(check ?out|order and pay|place (the |my |your )?order|pay( now| securely)?|(zahlungspflichtig|kostenpflichtig) (bestellen|buchen)|zur kasse|jetzt bezahlen|passer (la )?commande|commander|payer|valider (la|ma) commande|tramitar( el)? pedido|finalizar (la )?compra|pagar)\b/i
const BOOKS =
  /\b(book|booking|reserv\w*|appointment|enrol\w*|termin\w*|buch(en|ung)\w*|anmeld(en|ung)\w*|reservier\w*|rendez-?vous|rdv|réserv\w*|inscription|inscrire|cita|matr[ií]cul\w*|inscripci\w*)\b/i
const ASKS =
  /\b(quote|contact|enquir\w*|inquir\w*|call ?back|message|angebot|anfrage|kontakt\w*|nachricht|rückruf|devis|contacter|message|presupuesto|contacto|consulta)\b/i
/** Where somebody asks for something that is not settled at once. */
export const ASKED_IN =
  /\b(quote|contact|enquir\w*|inquir\w*|request|call ?back|message|get in touch|angebot|anfrage\w*|kontakt\w*|nachricht|rückruf|devis|contacter?|demande|presupuesto|contacto|consulta|solicit\w*|mensaje)\b/i
const TRIES =
  /\b(free (trial|days|month|weeks?)|start (my|your|the|a)? ?(free )?(trial|\d+)|try (it |us )?(for )?free|testzugang|testphase|kostenlos testen|(konto|zugang) (anlegen|erstellen)|essai|essayer|créer (mon|un|votre) (compte|espace)|adhérer|hazte soci[oa]|apúntate|(firmar|darse de) alta|mitglied werden|become a member|prueba gratis|probar gratis|crear (mi |una |tu )?cuenta)\b/i
const GIVES = /\b(donat\w*|give|gift|spende\w*|spenden|don(ner)?|faire un don|dona(r|ción|tivo)?)\b/i

/** Where nobody who hesitates comes. */
const BEHIND =
  /(^|[/_.-])(admin|dashboard|account|settings|konto|compte|cuenta|profile?|login|log-?in|sign-?in|merci|danke|gracias|thank\w*|success|confirm\w*|forgot|reset|404|error|gift-?cards?|cartes?-cadeaux?|gutscheine?|tarjetas?-regalo|blog|news|newsletter|footer|header|nav\w*|search|cookie\w*|components?\/ui)/i

export const isBehind = (path: string): boolean => BEHIND.test(path)

/** Pages for those who sell, place or employ, where others come as customers. */
const FOR_OTHERS =
  /(^|[/_.-])(partners?|partenaires?|vendors?|sellers?|providers?|prestataires?|merchants?|affiliates?|recruiters?|recruteurs?|employers?|entreprises|careers?|jobs|press|investors?|b2b|wholesale|(espace-?)?pros?(?:-?(?:space|espace|home|landing|page))?)([/_.-]|$)/i

export const isForOthers = (path: string): boolean => FOR_OTHERS.test(path)

/** Not shown for each of many, nor beside what is no markup. */
const isPlain = (button: Element): boolean => {
  for (const outer of above(button)) {
    if (outer.tag === '#code') return false
    if (/^(v-|el-|b-|u)?form$/.test(outer.name)) return true
  }
  return true
}

const PRICED = /(^|[/_.-])(pricing|prices|plans|preise|tarife?|tarifs?|precios|planes)([/_.-]|$)/i

/** Where those change what they pay who pay already. */
const FOR_CUSTOMERS = /modal|dialog|popup|upgrade|subscription|billing|paywall|invoice/i
const LONGEST_ROW = 14_000

/** What holds the plans that a page of prices compares, each with a price and a button: below it one has compared. */
function rowOfPlans({ page, plans }: View): Element | null {
  if (!PRICED.test(page.path) || FOR_CUSTOMERS.test(page.path)) return null
  const [only, ...more] = plans
  if (only !== undefined) return more.length > 0 || inFrame(only.parent) ? null : only.parent
  const repeated = elementsIn(page.root).filter((one) => {
    if (one.tag !== '#code' || inFrame(one)) return false
    const source = page.text.slice(one.start, one.end)
    return (
      source.length <= LONGEST_ROW &&
      /^.{0,120}(\.map\(|v-for=|\{#each)/s.test(source) &&
      /(?<!\p{L})(price|amount|preis|prix|tarif|precio)/iu.test(source) &&
      elementsIn(one).some((inner) => isButton(inner) || isLink(inner))
    )
  })
  const [row, ...others] = repeated.filter(
    (one) => !repeated.some((other) => other !== one && [...above(other)].includes(one)),
  )
  return row === undefined || others.length > 0 ? null : row.parent
}

/** Where visitors of a page decide: the button of a form that they fill in, or with which they buy. `null` where there is none, or more than one that it could be. */
export function decidingOn(view: View): Deciding | null {
  const { page, forms } = view
  if (BEHIND.test(page.path)) return null
  for (const form of forms) {
    const { submit } = form
    const isStep = STEPS.test(page.text)
    const decision = submit === null || isStep || !isPlain(submit) ? null : decisionOf(form, page.path)
    // Who was invited has decided already.
    if (decision === 'sign up' && isForInvited(page)) return null
    if (submit !== null && decision !== null) return { decision, button: submit, goal: goalOfForm(form) }
  }
  const buttons = elementsIn(page.root).filter(
    (one) => isButton(one) && isPlain(one) && !inFrame(one) && doesSomething(page, one),
  )
  const adds = buttons.filter((one) => ADDS.test(saidOn(one)))
  const [add] = adds
  if (add !== undefined && adds.length === 1) return { decision: 'buy', button: add, goal: 'cart' }
  const pays = buttons.filter((one) => PAYS.test(saidOn(one)))
  const [pay] = pays
  if (pay !== undefined && pays.length === 1) return { decision: 'pay', button: pay, goal: 'purchase' }
  const row = rowOfPlans(view)
  return row === null || row.parent === null || /^(#code|)$/.test(row.tag)
    ? null
    : { decision: 'compare', button: row, goal: 'plan' }
}

/** What the opening of a site asks for, where it asks for one thing. */
export function startingOn({ page }: View): Deciding | null {
  if (BEHIND.test(page.path) || !isStartPage(page.path)) return null
  const ways = heroOf(page)?.ways.filter(isAct) ?? []
  const [way, ...more] = ways
  if (way === undefined || more.length > 0 || !isButton(way) || !isPlain(way)) return null
  return { decision: 'start', button: way, goal: goalOfWay(way) }
}

const TAKES =
  /\b(buy|order|book|get|register|reserve|kaufen|bestellen|buchen|anmelden|acheter|commander|réserver|s'inscrire|comprar|reservar|inscribirse)\b/i
const MAX_TO_TAKE = 8

/** What one may take one of, each with a button of its own. */
export const severalToTake = ({ page }: View): Deciding[] => {
  if (BEHIND.test(page.path)) return []
  const buttons = elementsIn(page.root).filter(
    (one) => isButton(one) && isPlain(one) && !inFrame(one) && TAKES.test(saidOn(one)),
  )
  const isSeveral = buttons.length > 1 && buttons.length <= MAX_TO_TAKE
  return isSeveral ? buttons.map((button) => ({ decision: 'buy', button, goal: 'purchase' })) : []
}

/** Whether code or a link takes what is pressed: of a page of markup alone its scripts may. */
const doesSomething = (page: View['page'], button: Element): boolean =>
  !isInStub(button) &&
  (page.dialect === 'html' ||
    [button, ...above(button)].some(
      (one) =>
        one.name === 'form' ||
        one.attributes.some(({ name }) =>
          /^(on[a-z:]+|@.+|v-on.*|href|to|:to|:href|formaction|type|use:.+)$/i.test(name),
        ),
    ))

/** Steps of which one is shown at a time: the button is that of the last. */
const STEPS = /\b(current)?step\s*(===?|<|>)|\bstep\s*\+|#if\s+step\b/i
const PAID_FROM = /iban|card.?(number|no)|kartennummer|kreditkarte|cc-number/i

function decisionOf({ purpose, submit, fields, heading, element }: Form, path: string): Decision | null {
  if (purpose === 'checkout' || fields.some((one) => PAID_FROM.test(namesOf(one)))) return 'pay'
  if (purpose !== null && purpose !== 'contact' && purpose !== 'sign up') return null
  const file = path
    .split('/')
    .slice(-2)
    .join(' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[^\p{L}]+/gu, ' ')
  const said = submit === null ? '' : saidOn(submit)
  if (PAYS.test(said)) return BOOKS.test(`${said} ${heading} ${file}`) ? 'book' : 'pay'
  if (purpose === 'sign up') return 'sign up'
  if (ADDS.test(said)) return 'buy'
  const about = `${said} ${heading} ${file}`
  if (TRIES.test(said)) return 'sign up'
  if (fields.length + elementsIn(element).filter(({ name }) => name === 'input').length < 2) return null
  if (GIVES.test(about)) return 'give'
  if (BOOKS.test(about)) return 'book'
  return purpose === 'contact' || ASKS.test(about) ? 'ask' : null
}
