import { above, besides, type Element, elementsIn, given, wordsIn } from '../../markup/tree.js'
import { isHeading } from '../../surface.js'
import { isStandIn } from '../../words/stand-in.js'

/** Classes that say which part of a page an element is, as themes write them. */
const PART =
  /^(?:section[-_])?(hero|banner|jumbotron|masthead|testimonials?|reviews?|clients?|customers?|customer-logos|social-proof|quotes|partners|sponsors|logos?|brands|trusted|pricing|prices|plans|faqs?|how-it-works|process|cta|call-to-action|newsletter|contact|footer|team|features|services|about|blog|gallery|portfolio|stats|counters?)(?:[-_](?:area|section|wrapper|block|part|container|sec|\d+))?$/i

const spoken = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replace(/[-_]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** What only carries, or stands in for, something else. */
const CARRIES =
  /(only|provider|context|skeleton|label|loader|loading|boundary|suspense|modal|dialog|toaster?|script|head|seo|meta)$/i

export const isComponent = ({ tag, name }: Element): boolean =>
  /^[A-Z]|^[a-z]+-/.test(tag) && !CARRIES.test(name.replace(/-/g, ''))

/** What only brings into sight, or gives room to, the one part that is in it. */
const WRAPS =
  /^(fade|reveal|scroll|animat|motion|in-?view|appear|slide-?(in|up)|lazy|suspense|deferred)|(reveal|fade-?in|animation|animated|in-?view|wrapper)$|^(content|page|home|main|full)?-?(section|container|block|box|area)$/i
/** What a page has many of. */
const SMALL =
  /(image|img|picture|icon|link|button|input|badge|avatar|text|title|heading|logo|spinner|skeleton)$/i

/** The part that stands alone in what is around it, which moves with it; the element itself where it is a part of its own. */
export function partIn(element: Element): Element {
  if (element.name !== 'div' && !WRAPS.test(element.tag)) return element
  const [only, ...more] = element.children.filter((one) => one.kind === 'element' || saidBy(one) !== '')
  if (only?.kind !== 'element' || more.length > 0) return element
  const inner = partIn(only)
  return (isComponent(inner) && !SMALL.test(inner.tag)) || inner.tag === 'section' ? inner : element
}

const saidBy = (one: Element['children'][number]): string => (one.kind === 'text' ? one.value.trim() : '-')

/** What a section is called: its component's name, its id, its class, and where it is none of a component's, the words of its heading. */
export function partName(outer: Element): string {
  const element = partIn(outer)
  const heading = isComponent(element) ? undefined : elementsIn(element).find(isHeading)
  const classes = (given(element, 'class') ?? '').split(/\s+/).flatMap((one) => PART.exec(one)?.[1] ?? [])
  return spoken(
    [
      isComponent(element) ? element.tag : '',
      given(element, 'id') ?? '',
      ...classes,
      heading === undefined ? '' : wordsIn(heading),
    ].join(' '),
  )
}

export const OPENING =
  /\b(hero|banner|intro|introduction|header|head|nav|navbar|masthead|jumbotron|announcement|head slice|slider|carousel)\b/i
export const CLOSING = /\b(footer|cta|call to action|newsletter|contact|bottom)\b/i
/** Others speak, or stand behind it. */
export const VOICES =
  /\b(testimonials?|reviews|customers|clients|logos|(?:customer|client) (?:stories|logos|reviews)|partners|partenaires|sponsors|t[eé]moignages?|trusted|social proof|quotes|stories|kundenstimmen|referenzen|opiniones|speak about us|they speak|as seen|press|(?:customers?|clients?|users?|people|they) (?:are )?sa(?:y|id|ying)|parlent de nous|reviews? (?:slider|carousel|section|list|cards?|grid|showcase)|google reviews?|avis|ils nous font confiance|ce (?:que|qu’en|qu'en) (?:disent|pensent)|stimmen (?:unserer|zufriedener)|(?:kund(?:en|innen)|gäste|patient(?:en|innen)|teilnehmer|schüler)stimmen|(?:das|was) (?:unsere |die )?(?:kund(?:en|innen)|gäste|patient(?:en|innen)|teilnehmer|nutzer)\b.{0,12}\bsagen|erfolgsgeschichten|bewertungen|historias (?:de (?:éxito|impacto)|reales)|casos de éxito|reseñas|lo que dicen|dicen (?:de nosotros|nuestros))\b/i
export const PRICES = /\b(pricing|prices?|plans|tarifs?|preise|precios)\b/i
export const HOW =
  /\b(how (it|this) works|how to start|so funktioniert|comment ça marche|cómo funciona|how it works section|process|steps)\b/i
export const QUESTIONS =
  /\b(faqs?|frequently asked|häufige fragen|questions fréquentes|foire aux questions|preguntas frecuentes)\b/i
export const CALL = /\b(cta|call to action)\b/i

export const isBlock = (outer: Element): boolean => isBlockItself(partIn(outer))

/** Scripts that say in one sign what others say in a word. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

const saysEnough = (element: Element): boolean =>
  wordsIn(element).length > (DENSE.test(wordsIn(element)) ? 8 : 20)

const isBlockItself = (element: Element): boolean =>
  isComponent(element) ||
  (/^(section|article)$/.test(element.tag) && saysEnough(element)) ||
  (element.tag === 'div' &&
    (given(element, 'class') ?? '').split(/\s+/).some((one) => PART.test(one)) &&
    elementsIn(element).some(isHeading) &&
    saysEnough(element))

/** Where the opening of a row of blocks ends, as a place in the row: what stands before the row may be it. */
export function openingOf(
  row: readonly Element[],
  parent: Element,
  isStart: boolean,
  hasTitle: (one: Element) => boolean,
): number | null {
  const own = row.findLastIndex((one, index) => index <= 3 && (OPENING.test(partName(one)) || hasTitle(one)))
  if (own >= 0) return own
  const [first] = row
  const before = [parent, ...above(parent)]
    .slice(0, 3)
    .flatMap((one) => besides(one).filter((other) => other.end <= (first?.start ?? 0)))
  const isGiven = parent.attributes.some(({ name }) => /^hero/i.test(name))
  if (isGiven || before.some((one) => OPENING.test(partName(one)) || hasTitle(one))) return -1
  // A page’s first section is its opening where it says the title, or where nothing else could be.
  return first !== undefined && isBlock(first) && (isStart || hasTitle(first)) ? 0 : null
}

export const isPlaceholder = (element: Element): boolean => isStandIn(wordsIn(element))
