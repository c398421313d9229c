import type { Idea, View } from '../../idea.js'
import { type Element, given } from '../../markup/tree.js'
import { anchorOf, cutAt, sourceOf } from '../../surface.js'
import { goalOf, LEADS_ON } from '../evidence/repeat-beside.js'
import { isBlock, isPlaceholder, partName } from '../layout/blocks.js'
import { fits, headingOf, lookOfBlock, rowsIn } from '../layout/neighbours.js'
import { opensSite } from '../opening/hero.js'

const LONGEST = 8_000
/** What a site tells of itself. */
const OF_ITSELF =
  /^(our|the) (story|history|values|philosophy|beginnings|journey|heritage|mission|vision)\b|^(about us|who we are|how (it|we|it all) (began|started))$|^notre (histoire|philosophie|mission|vision)|^nos (valeurs|origines)|^qui sommes[- ]nous|^unsere (geschichte|werte|philosophie|mission|vision)|^(über uns|wer wir sind|wie alles begann)$|^nuestra (historia|filosof[ií]a|misi[oó]n|visi[oó]n)|^nuestros valores|^qui[eé]nes somos|^sobre nosotros$/i
/** What it has for those who come. */
const OFFERS =
  /^what we (do|offer|repair|make|teach|cook|build|treat|sell|fix)\b|^our (services|offers?|products|courses|classes|menu|treatments|range|workshops)\b|^services$|^ce que nous (?!sommes|pensons|croyons|voulons)\p{L}+ons\b|^nos (services|prestations|offres|produits|cours|soins|ateliers|formules)\b|^was wir (?!sind|denken|glauben|wollen)\p{L}+(en|n)\b|^unsere? (leistungen|angebote?|kurse|produkte|behandlungen|speisekarte)\b|^(leistungen|angebot)$|^(lo )?qu[eé] (hacemos|ofrecemos|reparamos|enseñamos|vendemos)\b|^nuestros (servicios|cursos|productos|tratamientos|talleres)\b|^servicios$/iu

/**
 * A start page that tells of itself before it says what it has for those who come: what it offers comes first. Writes no text. Sections of one dress change places, so
 * that backgrounds follow each other as before.
 */
export function* offerFirst(view: View): Generator<Idea> {
  const { page } = view
  if (page.dialect === 'html' ? !/(^|\/)index\.html?$/i.test(page.path) : !opensSite(page.path)) return
  for (const { row, opening } of rowsIn(view, 3, true)) {
    const idea = inRow(view, row, opening)
    if (idea !== null) yield idea
  }
}

function inRow(view: View, row: readonly Element[], opening: number): Idea | null {
  const { page } = view
  const heading = (one: Element): string => headingOf(view, one).replace(/[\s.:!?]+$/, '')
  const itself = row[opening + 1]
  const at = row.findIndex((one, index) => index > opening + 1 && isBlock(one) && OFFERS.test(heading(one)))
  const offer = row[at]
  if (itself === undefined || offer === undefined || !OF_ITSELF.test(heading(itself))) return null
  if (
    [itself, offer].some(
      (one) => one.end - one.start > LONGEST || isPlaceholder(one) || given(one, 'id') === 'contact',
    )
  )
    return null
  const [look, other] = [lookOfBlock(view, itself), lookOfBlock(view, offer)]
  const isAlike =
    given(itself, 'class') === given(offer, 'class') &&
    look !== null &&
    look.ground === other?.ground &&
    look.borrows === other.borrows
  if (!isAlike && !(at === opening + 2 && fits(view, row, { at, after: opening, last: opening }))) return null
  const [own, passed] = [cutAt(headingOf(view, offer), 40), cutAt(headingOf(view, itself), 40)]
  return {
    mechanism: 'order',
    pattern: 'offer-before-history',
    name: `Show what is offered before what the site tells of itself: “${own}” before “${passed}”`,
    anchor: anchorOf(offer, partName(offer)),
    topics: ['sections', 'home', 'services', own, passed],
    arms: [
      {
        name: `“${own}” right after the opening`,
        changes: [
          {
            start: itself.start,
            end: itself.end,
            text: sourceOf(page, offer),
            unit: itself,
            longest: LONGEST,
          },
          { start: offer.start, end: offer.end, text: sourceOf(page, itself), unit: offer, longest: LONGEST },
        ],
        says: null,
      },
    ],
    audience: 'visitors who come with something to get done',
    change: `showing “${own}” right after the opening, and “${passed}” in its place further down,`,
    because:
      'whether there is what one has come for is the first question, and the story of the house is no answer to it',
    goal: goalOf(view),
    when: LEADS_ON,
    effect: 4,
  }
}
