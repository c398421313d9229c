import type { Evidence, Idea, Reassurance, View } from '../../idea.js'
import { isInCode, type Text, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, headingNear } from '../../surface.js'
import { commitButton, goalOf, repeatBelow } from './repeat-beside.js'

/** Where each kind of reassurance answers what visitors hesitate over, by the path of the page or component. */
const WHERE: readonly { kinds: readonly Reassurance[]; path: RegExp; hesitates: string }[] = [
  {
    kinds: ['returns', 'delivery'],
    path: /(cart|basket|checkout|product|pdp|buy|warenkorb|kasse|panier|carrito)/i,
    hesitates: 'visitors who are about to buy',
  },
  {
    kinds: ['cancel', 'card', 'trial'],
    path: /(pricing|plans?|subscri|billing|tarif|preise|precios|sign-?up|register|cta|hero|home|landing)/i,
    hesitates: 'visitors who hesitate before they commit',
  },
  {
    kinds: ['duration', 'account', 'anonymous'],
    path: /(home|hero|landing|accueil|start|cta|index\.|\/page\.|intro|simul|test|welcome)/i,
    hesitates: 'visitors who do not know how much it asks of them',
  },
]

/** A page that may show what the site says elsewhere. */
export const mayReassure = (view: View): boolean =>
  view.page.isTranslated !== true &&
  WHERE.some(({ path }) => path.test(view.page.path)) &&
  commitButton(view) !== null

/**
 * What another page of the site says against a doubt, below the button where visitors have it: how long it takes, that no account is needed, that one can cancel. In the
 * site's own words. Not where the page says it already, nor where it would be said in one language of several.
 */
export function* reassurance(view: View): Generator<Idea> {
  const { page, site } = view
  const button = commitButton(view)
  if (site === null || button === null || isInCode(button) || page.isTranslated === true) return
  for (const { kinds, path, hesitates } of WHERE) {
    if (!path.test(page.path)) continue
    const found = site.reassures.find(
      ({ kind, evidence }) => kinds.includes(kind) && evidence.path !== page.path && !isSaid(view, evidence),
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
      name: `Say “${says}” below “${wordsIn(button)}”`,
      anchor: anchorOf(button, `${wordsIn(button)} ${found.kind}`),
      topics: ['call to action', 'button', headingNear(button), wordsIn(button)],
      arms: [arm],
      audience: hesitates,
      change: `saying “${says}”, which ${evidence.path} says, below “${wordsIn(button)}”`,
      because: 'a doubt is answered best where it comes up (check that it holds here too)',
      goal: goalOf(view),
      effect: 4,
      evidence: [evidence],
    }
    return
  }
}

const isSaid = ({ page }: View, { says }: Evidence): boolean => bare(wordsIn(page.root)).includes(bare(says))
