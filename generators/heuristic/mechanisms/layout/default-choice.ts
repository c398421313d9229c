import { insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { attribute, elementsIn, isInCode, wordsIn } from '../../markup/tree.js'
import {
  anchorOf,
  bare,
  classOf,
  headingNear,
  isButton,
  labelOf,
  lineBreakBefore,
  siblingButtons,
} from '../../surface.js'
import { RECOMMENDED } from '../../words/phrases.js'
import { inFrame } from '../evidence/repeat-beside.js'

export function* defaultChoice(view: View): Generator<Idea> {
  yield* recommendedPlan(view)
  yield* oneMainButton(view)
}

const MARKED =
  /popular|recommended|best (value|deal)|most|featured|empfohlen|beliebt|recommandé|populaire|recomendado|más popular|badge|highlight/i

/** Of what one takes one of, by the time that it is paid for, or by what it is called. */
const OF_A_KIND =
  /\b(month|year|week|monat|jahr|woche|mois|mensuel|an|semaine|mes|año|semana|plans?|tiers?|packages?|membership|tarife?|pakete?|abos?|formules?|abonnements?|planes|paquetes)\b|\/\s?(mo|yr|user|m|j)\b/i

/**
 * Plans of which none stands out: the middle one of three or more is marked as the team's recommendation. It says what the team recommends, never
 * what others choose. Not where one is marked already, for free plans and those without a price, nor for things of one price, which are no plans. Which one it is only the
 * team knows: so it waits for a focus.
 */
function* recommendedPlan({ page, language, plans }: View): Generator<Idea> {
  if (language === null || page.isTranslated === true) return
  for (const { parent, plans: row } of plans) {
    const prices = row.map(({ price }) => price)
    if (new Set(prices).size < row.length || !OF_A_KIND.test(wordsIn(parent))) continue
    if (row.length < 3 || MARKED.test(page.text.slice(parent.start, parent.end))) continue
    const classes = new Set(
      row.map(({ buttons }) => (buttons[0] === undefined ? '' : (classOf(buttons[0]) ?? ''))),
    )
    const elements = new Set(row.map(({ element }) => classOf(element) ?? ''))
    if (classes.size > 1 || elements.size > 1) continue
    const middle = row[Math.floor(row.length / 2)]
    const label = middle === undefined ? null : labelOf(middle.name)
    if (middle === undefined || label === null || (middle.price ?? 0) <= 0 || isInCode(middle.name)) continue
    const says = RECOMMENDED[language]
    yield {
      mechanism: 'default choice',
      pattern: 'recommended-plan',
      name: `Recommend one plan: ${label.value}`,
      anchor: anchorOf(middle.name),
      topics: ['pricing', 'price', 'plan', label.value],
      arms: [
        {
          name: `${says}: ${label.value}`,
          changes: [
            insertAt(
              middle.name.end,
              `${lineBreakBefore(page, middle.name)}<strong>${says}</strong>`,
              middle.name,
            ),
          ],
          says: `${label.value} ${says}`,
        },
      ],
      audience: 'visitors who compare the plans and do not know which one fits',
      change: `marking “${label.value}” as the one that the team recommends (check that it is)`,
      because: 'with one to start from fewer people put the choice off',
      goal: 'purchase',
      effect: 2,
    }
  }
}

/** What calls things off, or leads away, in any of the languages. */
export const SECONDARY =
  /^(cancel|back|go back|reset|clear|close|dismiss|skip|not now|later|discard|abbrechen|zurück|zurücksetzen|schließen|später|überspringen|verwerfen|annuler|retour|fermer|plus tard|réinitialiser|cancelar|volver|atrás|cerrar|restablecer|más tarde)$/

/** Classes of frameworks whose quieter form has a fixed name. */
const QUIETER: readonly [RegExp, string][] = [
  [/(^|\s)btn-(primary|success|danger|warning|info)(?=\s|$)/, 'btn-outline-secondary'],
  [/(^|\s)btn-(primary|success|danger|warning|info)(?=\s|$)/, 'btn-secondary'],
  [/(^|\s)btn-primary(?=\s|$)/, 'btn-outline'],
  [/(^|\s)button--primary(?=\s|$)/, 'button--secondary'],
]

/**
 * Two buttons beside each other with the same weight, of which one only calls things off: it becomes quieter, in a class that the site has. It stays
 * where it is and as easy to press. Not for consent, payment or deletion, where both answers must weigh the same.
 */
function* oneMainButton({ page }: View): Generator<Idea> {
  for (const button of elementsIn(page.root)) {
    if (!isButton(button) || isInCode(button) || inFrame(button)) continue
    const label = labelOf(button)?.value ?? ''
    if (!SECONDARY.test(bare(label))) continue
    const weight = classOf(button)
    const others = siblingButtons(button).filter((one) => one !== button && labelOf(one) !== null)
    const main = others.find((one) => !SECONDARY.test(bare(wordsIn(one))))
    if (weight === null || main === undefined || others.length > 2) continue
    if (
      /cookie|consent|accept|agree|delete|remove|unsubscribe|löschen|zustimm|supprim|refus|eliminar/i.test(
        `${wordsIn(main)} ${headingNear(button)}`,
      )
    )
      continue
    const own = attribute(button, 'class')
    const strong = weight.match(
      /(^|\s)(btn-(?:primary|success|danger|warning|info)|button--primary)(?=\s|$)/,
    )?.[2]
    const mainStrong = (classOf(main) ?? '').match(
      /(^|\s)(btn-(?:primary|success|danger|warning|info)|button--primary)(?=\s|$)/,
    )?.[2]
    if (own?.own == null || strong === undefined || mainStrong === undefined) continue
    for (const [from, to] of QUIETER) {
      if (!from.test(weight) || /outline/.test(weight)) continue
      yield {
        mechanism: 'default choice',
        pattern: 'one-main-button',
        name: `Make “${wordsIn(main)}” the one main button beside “${label}”`,
        anchor: anchorOf(button),
        topics: ['button', 'form', headingNear(button), wordsIn(main)],
        arms: [
          {
            name: `“${label}” quieter`,
            changes: [{ ...own.own, text: weight.replace(strong, to), unit: button }],
            says: null,
          },
        ],
        audience: `visitors who have to choose between “${wordsIn(main)}” and “${label}”`,
        change: `showing “${label}” in the site’s own quieter style (${to}) in place of ${strong}`,
        because: 'of two buttons that weigh the same the wrong one is pressed more often',
        goal: 'click',
        effect: 2,
        needsClass: to,
      }
    }
  }
}
