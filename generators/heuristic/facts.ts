import { above, elementsIn, given, isInCode, type Page, textsIn } from './markup/tree.js'
import { isButton, isHeading, isLink, labelOf } from './surface.js'
import type { Language } from './words/language.js'
import { COSTS_NOTHING, PROMISE, PROOF, REASSURES, type Reassurance, TRIAL } from './words/phrases.js'

/** What one file says that proposals for other files can lean on. */
export interface Facts {
  links: { href: string; label: string }[]
  free: string | null
  promise: string | null
  proof: string | null
  trial: string | null
  finds: string[]
  reassures: { kind: Reassurance; says: string }[]
}

export const NO_FACTS: Facts = {
  links: [],
  free: null,
  promise: null,
  proof: null,
  trial: null,
  finds: [],
  reassures: [],
}

const MOST_LINKS = 60

export function factsOf(page: Page, language: Language | null): Facts {
  const links: Facts['links'] = []
  for (const element of elementsIn(page.root)) {
    if (links.length === MOST_LINKS || !isLink(element)) continue
    const href = given(element, 'href') ?? given(element, 'to') ?? ''
    const label = labelOf(element)
    if (/^\/[\w/-]*$/.test(href) && label !== null && label.quote === null && label.value.length <= 40)
      links.push({ href, label: label.value })
  }
  if (language === null) return { ...NO_FACTS, links, finds: findsOf(page) }
  return {
    links,
    free: stated(page, COSTS_NOTHING[language], 'part'),
    promise: stated(page, PROMISE[language], 'whole'),
    proof: stated(page, PROOF[language], 'whole'),
    trial: stated(page, TRIAL[language], 'part'),
    finds: findsOf(page),
    reassures: REASSURES[language].flatMap(({ kind, says }) => {
      const found = stated(page, says, 'part')
      return found === null ? [] : [{ kind, says: found }]
    }),
  }
}

/** What the texts of a language say: they are shown somewhere, by their keys. */
export function factsOfTexts(texts: Iterable<string>, language: Language): Pick<Facts, 'free' | 'trial'> {
  let free: string | null = null
  let trial: string | null = null
  for (const text of texts) {
    if (text.length > 200 || hasCondition(text)) continue
    free ??= COSTS_NOTHING[language].exec(text)?.[0] ?? null
    trial ??= TRIAL[language].exec(text)?.[0] ?? null
  }
  return { free, trial }
}

/** A question, or what holds for some only. */
const hasCondition = (text: string): boolean =>
  /[?*†]|\b(not|nicht|non|unless|except|außer|sauf|excepto|if|wenn|falls|si)\b/i.test(text)

/** A statement of the page: the words that were looked for, or the whole short text with them. Not a question, nor what has a condition. */
function stated(page: Page, form: RegExp, how: 'part' | 'whole'): string | null {
  for (const text of textsIn(page.root)) {
    if (text.quote !== null || text.value.length > (how === 'whole' ? 60 : 200)) continue
    const found = form.exec(text.value)?.[0]
    if (found === undefined || (how === 'whole' && isInCode(text.parent))) continue
    if (how === 'whole' && (labelOf(text.parent) !== text || isButton(text.parent) || isLink(text.parent)))
      continue
    // A button does what it says, and says it of nothing else.
    if (how === 'part' && [text.parent, ...above(text.parent)].some((one) => isButton(one) || isLink(one)))
      continue
    if (hasCondition(text.value) || (how === 'part' && isInCode(text.parent))) continue
    return how === 'whole' ? text.value : found
  }
  return null
}

/** The headings of a page of search results, where they are plain words: what there is to be found. */
const findsOf = (page: Page): string[] =>
  /search[-_.]?results?[^/]*$|results?\/[^/]*$/i.test(page.path)
    ? [
        ...new Set(
          elementsIn(page.root)
            .filter(isHeading)
            .flatMap((one) => labelOf(one)?.value ?? []),
        ),
      ].filter((one) => /^\p{Lu}?\p{Ll}{3,14}s?$/u.test(one))
    : []
