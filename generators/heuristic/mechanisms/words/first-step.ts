import { stemOf, wordsOf } from '../../../words.js'
import { type Change, insertAt } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  besides,
  type Element,
  elementsIn,
  given,
  type Page,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { anchorOf, isButton, labelOf, lineBreakBefore, saidOn, sourceOf } from '../../surface.js'
import type { Language } from '../../words/language.js'

/** That somebody has made nothing of a kind yet. */
const NONE_YET: Readonly<Record<Language, RegExp>> = {
  en: /^(you (have no|don['’]t have any|haven['’]t (created|added|uploaded|made) any)\b.{2,60}|no [\w ]{3,30} yet)[.!]?$/i,
  de: /^((du hast|sie haben) noch keine\b.{2,60}|noch keine [\p{L} ]{3,30})[.!]?$/iu,
  fr: /^(vous n['’]avez (pas encore|aucun)\b.{2,60}|pas encore de [\p{L} ]{3,30})[.!]?$/iu,
  es: /^((aún|todavía) no (tienes|hay)\b.{2,60})[.!]?$/iu,
}

/** Buttons that make the first one. */
const MAKES: Readonly<Record<Language, RegExp>> = {
  en: /^\+?\s?(create|new|add|upload|invite|import|connect)\b/i,
  de: /^\+?\s?(neue[rsn]?|anlegen|erstellen|hinzufügen|hochladen|einladen)\b|(anlegen|erstellen|hinzufügen|hochladen)$/i,
  fr: /^\+?\s?(créer|nouveau|nouvelle|ajouter|importer|inviter)(?![\p{L}])/iu,
  es: /^\+?\s?(crear|nuevo|nueva|añadir|subir|invitar)(?![\p{L}])/iu,
}

/**
 * A place that says that there is nothing yet, on a page with a button that makes the first: that button stands there too. In the page's own words. Not where a way on
 * stands there already, nor where the button belongs to a form, a list, or another component of the file.
 */
export function* firstStep({ page, language }: View): Generator<Idea> {
  // Of an account one keeps what one needs: nothing begins there.
  if (language === null || KEEPS.test(page.path)) return
  for (const text of textsIn(page.root)) {
    if (!NONE_YET[language].test(text.value) || OF_THE_PAST.test(text.value)) continue
    const line = text.parent
    const shown = text.attribute?.parent ?? line
    // What opens above a page is looked into, and left again.
    if ([...above(shown)].some(({ tag }) => /dialog|modal|sheet|drawer|popover/i.test(tag))) continue
    if (!/^(p|h[1-6]|div|span|strong)$/.test(line.tag) || labelOf(line) !== text) continue
    const holder = shown.parent
    if (
      holder === null ||
      [holder, ...elementsIn(holder)].some((one) => isButton(one) || /button/i.test(one.tag))
    )
      continue
    const makes = elementsIn(page.root).filter(
      (one) => isButton(one) && MAKES[language].test(wordsIn(one)) && labelOf(one) !== null,
    )
    const [button, ...more] = makes
    if (button === undefined || more.length > 0 || button.end - button.start > 600) continue
    if (given(button, 'id') !== null || given(button, 'ref') !== null || topOf(button) !== topOf(shown))
      continue
    if ([...above(button)].some(({ tag }) => /^(form|#code|.*trigger|.*dialog.*|.*modal.*)$/i.test(tag)))
      continue
    const says = saidOn(button)
    if (!isOfThat(text.value, says)) continue
    yield {
      mechanism: 'friction',
      pattern: 'first-step-where-empty',
      name: `Offer “${says}” where there is nothing yet`,
      anchor: anchorOf(line),
      topics: ['empty state', 'onboarding', says, text.value],
      arms: [
        {
          name: `“${says}” below “${text.value}”`.slice(0, 80),
          changes: [beside(page, shown, sourceOf(page, button))],
          says,
        },
      ],
      audience: 'people who have just begun',
      change: `showing the page’s own button “${says}” right below “${text.value}” too`,
      because: 'an empty page is where newcomers stop, unless the first step stands where they look',
      goal: 'click',
      // It stands on the page already, mostly right above.
      effect: 1,
    }
    return
  }
}

/** What has not been yet nobody begins. */
const OF_THE_PAST =
  /\b(past|previous|recent|completed|archived|expired|results?|reviews?|feedback)\b|vergangen|früher|abgeschlossen|archiv|bewertung|ergebnis|pass[ée]e?s?\b|termin[ée]|avis\b|résultat|anterior|pasad|complet|reseñ|resultad/i

const KEEPS =
  /(^|[/_.()-])(my|account|profile|settings|address(es)?|orders?|wish-?lists?|favou?rites|notifications?|config\w*|ajustes|einstellungen|rules?|reglas)(?=[/_.()-]|$)/i

/** Whether a button makes what there is none of. */
function isOfThat(none: string, makes: string): boolean {
  const made = new Set(wordsOf(makes).map(stemOf))
  return wordsOf(none).some((word) => word.length > 3 && made.has(stemOf(word)))
}

const topOf = (element: Element): Element =>
  [element, ...above(element)].find(({ parent }) => parent?.parent === null) ?? element

/** Something more below an element; two that code shows in one place are held together. */
function beside(page: Page, shown: Element, added: string): Change {
  const gap = lineBreakBefore(page, shown) || ' '
  const isAlone = shown.parent?.tag === '#code' && page.dialect === 'jsx'
  // Below all that is said there.
  const row = besides(shown)
  const after = row.slice(row.indexOf(shown) + 1)
  const end = after.findIndex(({ tag }) => !/^(p|span|small|h[1-6])$/.test(tag))
  const last = (end === -1 ? after.at(-1) : after[end - 1]) ?? shown
  return isAlone
    ? { start: shown.start, end: shown.end, text: `<>${sourceOf(page, shown)}${gap}${added}</>`, unit: shown }
    : insertAt(last.end, gap + added, last)
}
