import { reword } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { type Element, elementsIn, isInCode, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, isHeading, labelOf } from '../../surface.js'

/** A word that a page is headed with because the page is called so. */
const NAMES =
  /^(pricing|prices|plans|pricing plans|our plans|features|our features|services|our services|products|about|about us|preise|tarife|funktionen|leistungen|produkte|über uns|tarifs|nos tarifs|fonctionnalités|services|nos services|produits|à propos|precios|planes|funciones|servicios|productos|sobre nosotros)$/

const PRICES = /pric|plan|preis|tarif|precio/i

/** A line that says what the page is for, and nothing of what it offers. */
const INVITES =
  /^(learn|read|find out|discover|choose|see|view|manage|apprenez|découvrez|consultez|choisissez|retrouvez|erfahren|entdecken|wählen|finden|descubr\w*|conoce|elige)(?![\p{L}])/iu

/**
 * A page that is headed with its own name, above a line that says what is in it for visitors: the two change places. In the site's own words alone. Not where the
 * line is long, a question, or filled in by code, nor for pages of an account, where people look for the name.
 */
export function* headings({ page, language }: View): Generator<Idea> {
  if (language === null || /(^|\/)\(?(admin|account|dashboard|settings|internal)/i.test(page.path)) return
  for (const heading of elementsIn(page.root)) {
    if (!/^h[12]$/.test(heading.name) || isInCode(heading)) continue
    const label = labelOf(heading)
    if (label === null || !NAMES.test(bare(label.value))) continue
    // A section's heading stands among others, of which it is one; prices are what a page is for.
    if (heading.name === 'h2' && !PRICES.test(label.value)) continue
    const line = lineBelow(heading)
    const below = line === null ? null : labelOf(line)
    const words = below?.value.split(' ').length ?? 0
    if (line === null || below === null || words < 4 || words > 11 || /[?:;]/.test(below.value)) continue
    if (/lorem|ipsum|example|sample|\bdemo\b/i.test(below.value) || INVITES.test(below.value)) continue
    const said = below.value.replace(/\.$/, '')
    const change = reword(page, label, said)
    const second = reword(page, below, label.value)
    if (change === null || second === null) continue
    yield {
      mechanism: 'clarity',
      pattern: 'heading-says-value',
      name: `Head “${label.value}” with what it offers: “${said}”`,
      anchor: anchorOf(heading, `${label.value} heading`),
      topics: ['heading', 'headline', label.value, page.path],
      arms: [{ name: said, changes: [change, second], says: said }],
      audience: `visitors who look at “${label.value}”`,
      change: `heading it with its own line “${said}”, and putting “${label.value}” where that stood`,
      because: 'the largest words of a page are read first, and now they only name it',
      goal: PRICES.test(label.value) ? 'purchase' : 'click',
      effect: 0.5,
    }
    return
  }
}

function lineBelow(heading: Element): Element | null {
  const siblings = heading.parent?.children ?? []
  const next = siblings[siblings.indexOf(heading) + 1]
  return next?.kind === 'element' &&
    /^(p|h[2-6])$/.test(next.tag) &&
    wordsIn(next) !== '' &&
    !isFollowedByMore(next)
    ? next
    : null
}

/** A heading below a heading may belong to what follows it. */
const isFollowedByMore = (element: Element): boolean => isHeading(element) && element.name === 'h1'
