import type { Idea, View } from '../../idea.js'
import { above, besides, type Element, elementsIn, type Text, textsIn } from '../../markup/tree.js'
import { anchorOf, classOf, headingNear, isButton, saidOn } from '../../surface.js'
import type { Language } from '../../words/language.js'
import {
  commitButton,
  hasLineBelow,
  isBeside,
  isPartedBySection,
  lastInRow,
  repeatBelow,
  statement,
} from './repeat-beside.js'

/** What a rule that repeats a statement of the page says of it. */
export interface Stated extends Pick<Idea, 'mechanism' | 'pattern' | 'audience' | 'because' | 'effect'> {
  form: Readonly<Record<Language, RegExp>>
  /** a heading may say it too */
  orHeading?: boolean
  /** what the page says so is better left where it stands */
  isWeak?(says: string): boolean
  /** where it is better not repeated, by what is around it and around the button */
  isLeft?(view: View, stated: { text: Text; element: Element }, button: Element): boolean
  name(says: string): string
  topics: readonly string[]
  goal(button: Element): Idea['goal']
}

/** What a button says, as a sentence. */
const CALLS_FOR =
  /^(buy|order|purchase|book|call|contact|kauf\w*|bestell\w*|buch\w*|achetez|acheter|commandez|commander|réservez|profitez|compra\w*|pide|reserva)\b/i

/** What tells how a form is filled in, or to what one agrees. */
const TELLS_HOW =
  /^(?:tick|select|choose|pick|check|enter|fill|click|press|use|by \w+ing|wählen|kreuzen|klicken|mit (?:dem|der|ihrer)|cochez|choisissez|sélectionnez|cliquez|en \w+ant|marque|selecciona|elige|haz clic|al \w+[aei]r)(?!\p{L})/iu

/** What is read together with a button, in letters of the code. */
const SAME_CARD = 1_500

const isReadBefore = (text: Text, button: Element): boolean => text.start < button.start

/** Of several sentences the one that says it, where it stands first and needs none of the others. */
function inOneSentence(text: Text, form: RegExp): Text {
  const [first = ''] = text.value.split(/(?<=[.!])\s+(?=\p{Lu})/u)
  return text.key === undefined && form.test(first) ? { ...text, value: first } : text
}

/** So many alike cards, each with its button, are a list in which none is the one that counts. */
const MANY_CARDS = 3

const isOneOfMany = (button: Element): boolean =>
  [...above(button)].some((card) => {
    const own = classOf(card)
    const alike = besides(card).filter(
      (one) => one.tag === card.tag && classOf(one) === own && elementsIn(one).some(isButton),
    )
    return own !== null && alike.length >= MANY_CARDS
  })

/**
 * A statement of the page, whole and in its own words, once more below the button where one decides. Not where it stands beside the button, nor from a question or a
 * text with a condition.
 */
export function* repeatStated(view: View, rule: Stated): Generator<Idea> {
  if (view.language === null) return
  const button = commitButton(view)
  const form = rule.form[view.language]
  const stated = statement(view, form, rule.orHeading)
  if (
    button === null ||
    stated === null ||
    isOneOfMany(button) ||
    rule.isWeak?.(stated.text.value) === true ||
    rule.isLeft?.(view, stated, button) === true ||
    isBeside(view, button, stated.text)
  )
    return
  // A line that says two things, or calls for another one, and what is promised near the button in other words.
  if (
    /[·•|]/.test(stated.text.value) ||
    CALLS_FOR.test(stated.text.value) ||
    TELLS_HOW.test(stated.text.value)
  )
    return
  if (
    [...textsIn(view.page.root)].some(
      (one) =>
        form.test(one.value) &&
        one.value !== stated.text.value &&
        Math.abs(one.start - button.start) < SAME_CARD &&
        !isPartedBySection(view.page, Math.min(one.end, button.end), Math.max(one.start, button.start)),
    )
  )
    return
  const text = inOneSentence(stated.text, form)
  const arm = repeatBelow(view, button, text)
  if (arm === null) return
  const place = lastInRow(button)
  const { mechanism, pattern, audience, because, effect, topics, name, goal } = rule
  yield {
    mechanism,
    pattern,
    name: name(text.value),
    anchor: anchorOf(button),
    topics: ['call to action', ...topics, headingNear(button), saidOn(button)],
    arms: [arm],
    audience,
    change: `repeating the page’s own “${text.value}” below “${saidOn(button)}”`,
    because,
    goal: goal(button),
    // What has been read further up, and one line more below another that does the same.
    effect: isReadBefore(stated.text, button) || (place !== null && hasLineBelow(place)) ? 2 : effect,
  }
}
