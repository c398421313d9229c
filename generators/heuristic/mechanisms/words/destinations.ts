import { reword } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, type Element, elementsIn, given, isWithin, textsIn } from '../../markup/tree.js'
import { anchorOf, bare, headingNear, isButton, isLink, labelOf } from '../../surface.js'
import { wordedPath } from '../../uses.js'
import { likeControl } from '../../words/language.js'
import { DESTINATIONS, PLAIN_WORDS, VAGUE_LINK, VAGUE_START, VAGUE_SUBMIT } from '../../words/phrases.js'

export function* destinations(view: View): Generator<Idea> {
  yield* labelNamesDestination(view)
  yield* plainWords(view)
}

/** Where a link leads, or the link that a button stands in. */
export function hrefOf(element: Element): string | null {
  const link = [element, ...above(element)].find(isLink)
  if (link !== undefined) return given(link, 'href') ?? given(link, 'to')
  // What a part is given to show on its button leads where the part is told.
  const part = element.parent
  const ways = part === null || !/^[A-Z]/.test(part.tag) ? [] : part.attributes
  return ways.find(({ name, value }) => GIVEN_WAY.test(name) && value !== null)?.value ?? null
}

const GIVEN_WAY = /^(href|to|link|url|(button|cta|action|primary|link|more)[-_]?(href|to|link|url))$/i

const lastOf = (href: string): string => {
  const parts = href
    .replace(/[?#].*$/, '')
    .replace(/\.html?$/i, '')
    .split('/')
  return parts.findLast((part) => part !== '' && part !== '..' && part !== '.')?.toLowerCase() ?? ''
}

/** What a site tells of itself. */
const TELLS =
  /about|story|history|team|who-we|über|ueber|uns$|propos|histoire|qui-sommes|nosotros|quienes|historia/i
/** What tells to press, and nothing of why. */
const SAYS_PRESS = /click|press|\bhere\b|klick|hier|cliqu|ici|pulsa|haz clic|aquí/i

/** Pages that people come to for something else, which they are about to do. */
const FOR_ELSE =
  /(^|[/_-])(contact(-us|ez-nous)?|kontakt|contacto|checkout|kasse|cart|warenkorb|panier|carrito|sign-?up|register|registration|registrier\w*|inscription|registro)(-?(page|view|screen))?(\/\+?(page|index))?\.\w+$/i

/**
 * A label that would fit any link, on one whose address says where it leads. Not where the address is another site's or a place on the page, on pages on which one writes,
 * orders or signs up, where the label stands beside the
 * price of a plan, nor where another link of the page says the same already.
 */
function* labelNamesDestination({ page, language, plans }: View): Generator<Idea> {
  if (language === null || FOR_ELSE.test(wordedPath(page.path))) return
  const texts = [...textsIn(page.root)].map(({ value }) => bare(value))
  const said = new Set(texts)
  for (const element of elementsIn(page.root)) {
    if (!isLink(element) && !isButton(element)) continue
    if ([...elementsIn(element)].some((one) => isLink(one) || isButton(one))) continue
    const label = labelOf(element)
    const href = hrefOf(element)
    if (label === null || href === null || /^([a-z]+:|\/\/|\/?#)/i.test(href)) continue
    // A part of a sentence says with it where it leads.
    if (element.parent?.children.some(({ kind }) => kind === 'text') === true) continue
    const own = bare(label.value)
    // A link sends nothing, whatever it says.
    const isVague = VAGUE_START[language].has(own) || VAGUE_LINK[language].has(own)
    if (!isVague && !(isLink(element) && VAGUE_SUBMIT[language].has(own))) continue
    // One of a row that is called otherwise looks like a slip.
    if (texts.filter((one) => one === own).length > 1) continue
    const found = DESTINATIONS.find(({ is }) => is.test(lastOf(href)))
    if (found === undefined || said.has(bare(found.says[language]))) continue
    if (plans.some(({ parent }) => isWithin(element, parent))) continue
    const words = likeControl(label.value, found.says[language], language)
    const change = reword(page, label, words)
    if (change === null) continue
    const isStory = TELLS.test(lastOf(href))
    yield {
      mechanism: 'specificity',
      pattern: `label-names-destination ${found.goal}`,
      name: `Say where “${label.value}” leads: “${words}”`,
      anchor: anchorOf(element, `${label.value} ${href}`),
      topics: ['call to action', 'button', 'link', lastOf(href), headingNear(element)],
      arms: [{ name: words, changes: [change], says: words }],
      audience: 'visitors who decide whether to go on',
      change: `saying “${words}” on what leads to ${href}, in place of “${label.value}”`,
      because:
        'who knows what comes next is less afraid to press, and those who come are more likely to finish',
      goal: found.goal,
      // A start is wished for, and an account is what it takes: only what is bought gains by its name; and to learn more is said well enough of a story.
      effect: found.goal === 'purchase' ? 3 : isStory && !SAYS_PRESS.test(own) ? 0.5 : 2,
    }
  }
}

/** A word of the trade on what visitors press or read, and the word that they would use. */
function* plainWords({ page, language }: View): Generator<Idea> {
  if (language === null) return
  for (const text of textsIn(page.root)) {
    const found = PLAIN_WORDS[language].find(({ says }) => says.test(text.value.trim()))
    if (found === undefined) continue
    const words = likeControl(text.value, found.plainly, language)
    const change = reword(page, text, words)
    if (change === null) continue
    const button = [text.parent, ...above(text.parent)].find(isButton)
    if (button === undefined || /(^|[/_.-])docs?[/_.-]/i.test(page.path)) continue
    yield {
      mechanism: 'clarity',
      pattern: 'plain-words',
      name: `Say “${words}” and not “${text.value}”`,
      anchor: anchorOf(button ?? text.parent, text.value),
      topics: [found.goal === 'purchase' ? 'product' : 'button', text.value, headingNear(text.parent)],
      arms: [{ name: words, changes: [change], says: words }],
      audience:
        found.goal === 'purchase'
          ? 'visitors who look at a product'
          : 'visitors who read it for the first time',
      change: `saying “${words}” in place of “${text.value}”`,
      because: 'what is said in people’s own words is understood at once',
      goal: found.goal,
      effect: 1,
    }
  }
}
