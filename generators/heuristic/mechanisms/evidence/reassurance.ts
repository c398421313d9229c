import type { Evidence, Idea, View } from '../../idea.js'
import { type Element, isInCode, type Text, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, headingNear, hrefOf, isForInvited, saidOn } from '../../surface.js'
import type { Reassurance } from '../../words/phrases.js'
import { commitButton, goalOf, repeatBelow } from './repeat-beside.js'

interface Place {
  kinds: readonly Reassurance[]
  /** a word of the path of the page or component */
  path: RegExp
  /** what the button says there */
  label: RegExp
  hesitates: string
}

/** Where each kind of reassurance answers what visitors hesitate over. */
const WHERE: readonly Place[] = [
  {
    kinds: ['returns', 'delivery'],
    path: /\b(cart|basket|checkout|product|product detail|pdp|buy|warenkorb|kasse|panier|carrito)\b/,
    label:
      /\b(buy|order|check ?out|add to (cart|bag|basket)|purchase)|kaufen|bestellen|warenkorb|kasse|achet|command|panier|comprar|carrito/i,
    hesitates: 'visitors who are about to buy',
  },
  {
    kinds: ['cancel', 'card', 'trial', 'returns'],
    path: /\b(pricing|prices?|plans?|pricing tables?|subscription|billing|tarifs?|preise|precios|sign ?up|register|hero|home|landing|cta)\b/,
    label:
      /\b(sign up|register|get started|start|try|upgrade|create (an |your )?account)|registrieren|starten|testen|konto erstellen|s'inscrire|essayer|commencer|créer un compte|registrarse|probar|empezar/i,
    hesitates: 'visitors who hesitate before they commit',
  },
  {
    kinds: ['duration', 'account', 'anonymous'],
    path: /\b(home|hero|landing|accueil|start|cta|index|page|intro|simulat\w*|test|startseite|inicio)\b/,
    label:
      /\b(get started|start|try|test|check|calculate|simulate|take the)|starten|beginnen|testen|prüfen|berechnen|commencer|commence|démarrer|tester|simul|calcul|évaluer|empezar|comenzar|probar|calcular/i,
    hesitates: 'visitors who do not know how much it asks of them',
  },
]

/** Nothing is bought or opened yet. */
const WAITS =
  /wait-?list|subscri|updates|contact|demo|warteliste|liste d['’]attente|notify me|newsletter|lista de espera/i

/** Where an account is made or asked for, nobody can do without. */
const NEEDS_ACCOUNT =
  /sign-?(up|in)|log-?in|regist|account|compte|konto|anmeld|cuenta|inscri|connexion|conexion/i

/** Pages on which people are lost, or at home. */
const BEHIND = /\b(error|not found|offline|admin|dashboard|account|settings)\b/

/** The last two parts of a path, as words. */
const spokenPath = (path: string): string =>
  path
    .split('/')
    .slice(-2)
    .join(' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-zÀ-ÿ]+/g, ' ')
    .toLowerCase()

/** A page that may show what the site says elsewhere. */
export const mayReassure = (view: View): boolean =>
  view.page.isTranslated !== true &&
  WHERE.some(({ path }) => path.test(spokenPath(view.page.path))) &&
  commitButton(view) !== null

/**
 * What another page of the site says against a doubt, below the button where visitors have it: how long it takes, that no account is needed, that one can cancel. In the
 * site's own words. Not where the page says it already, nor where it would be said in one language of several.
 */
export function* reassurance(view: View): Generator<Idea> {
  const { page, site } = view
  const button = commitButton(view)
  if (site === null || button === null || isInCode(button) || page.isTranslated === true) return
  // A form to sign up has its own rule for what is promised elsewhere.
  if (site.promise !== null && view.forms.some(({ purpose }) => purpose === 'sign up')) return
  if (BEHIND.test(spokenPath(page.path)) || isForInvited(page)) return
  for (const { kinds, path, label, hesitates } of WHERE) {
    if (!path.test(spokenPath(page.path)) || !label.test(saidOn(button)) || WAITS.test(saidOn(button)))
      continue
    const found = site.reassures.find(
      ({ kind, evidence }) =>
        kinds.includes(kind) &&
        !(
          /account|anonymous/.test(kind) && NEEDS_ACCOUNT.test(`${saidOn(button)} ${hrefOf(button) ?? ''}`)
        ) &&
        // Goods are sent back by who has bought some.
        (kind !== 'returns' || kinds.includes('delivery') || isOfMoney(view, button, evidence)) &&
        evidence.path !== page.path &&
        !isSaid(view, evidence),
    )
    if (found === undefined) continue
    const { evidence } = found
    const says = evidence.says.charAt(0).toUpperCase() + evidence.says.slice(1)
    const text: Text = { kind: 'text', value: says, quote: null, parent: button, start: 0, end: 0 }
    const arm = repeatBelow(view, button, text)
    if (arm === null) continue
    yield {
      mechanism: 'risk reversal',
      pattern: `reassurance-at-button ${found.kind}`,
      name: `Say “${says}” below “${saidOn(button)}”`,
      anchor: anchorOf(button, `${saidOn(button)} ${found.kind}`),
      topics: ['call to action', 'button', headingNear(button), saidOn(button)],
      arms: [arm],
      audience: hesitates,
      change: `saying “${says}”, which ${evidence.path} says, below “${saidOn(button)}”`,
      because: 'a doubt is answered best where it comes up (check that it holds here too)',
      goal: goalOf(view),
      // Of what the other page speaks there is not told.
      effect: 1,
      evidence: [evidence],
    }
    return
  }
}

/** The page of one product, which speaks of that. */
const OF_PRODUCT = /(^|[/_.-])(products?|item|pdp|produkte?|produits?|productos?)(?=[/_.[$-])/i

/** Whether money is given back that is paid here: not of another product, nor where nothing is paid. */
const isOfMoney = ({ plans }: View, button: Element, { path, says }: Evidence): boolean =>
  /money|geld|rembours/i.test(says) &&
  !OF_PRODUCT.test(path) &&
  !plans.some(({ plans: row }) => row.some((plan) => plan.price === 0 && plan.buttons.includes(button)))

const isSaid = ({ page }: View, { says }: Evidence): boolean => bare(wordsIn(page.root)).includes(bare(says))
