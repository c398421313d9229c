import type { Idea, View } from '../../idea.js'
import { besides, type Element, elementsIn, isInCode, type Text, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, headingNear, labelOf, saidOn } from '../../surface.js'
import type { Language } from '../../words/language.js'
import { heroOf, opensSite } from '../opening/hero.js'
import { countsFew, goalOfWay, isBeside, repeatBelow } from './repeat-beside.js'

const FIGURE = /^\+?\d[\d.,]*\s?(k|m|tsd\.?|mio\.?|million|mille)?\s?\+?$/i

/** Who or what is counted, so that the figure speaks for the site. */
const COUNTED: Readonly<Record<Language, RegExp>> = {
  en: /^(happy |satisfied |active |paying |monthly |daily |registered |global |total )*(customers?|clients?|users?|members|companies|businesses|teams|developers|students|patients|guests|downloads|installs|reviews|5[- ]star reviews|orders( delivered)?|projects( completed| done| delivered)?|subscribers|creators|donors|volunteers|github stars)$/i,
  de: /^(zufriedene |aktive |registrierte )*(kund(en|innen)|nutzer(innen)?|mitglieder|unternehmen|teams|projekte|downloads|bewertungen|patienten|teilnehmer(innen)?)$/i,
  fr: /^(clients?( satisfaits)?|utilisateurs?|utilisatrices|membres|entreprises|équipes|projets( réalisés)?|téléchargements|avis|adhérents|bénévoles)$/i,
  es: /^(clientes( satisfechos)?|usuarios( activos)?|miembros|empresas|equipos|proyectos( completados)?|descargas|opiniones|alumnos)$/i,
}

/** A figure of which the file itself says that it stands for nothing yet. */
const isRound = (figure: string): boolean => /^0+$|^(1234|9999|123)/.test(figure.replace(/\D/g, ''))

/** Figures with what they count, as they stand beside each other. */
function* figuresOf(view: View, language: Language): Generator<{ says: string; element: Element }> {
  for (const element of elementsIn(view.page.root)) {
    const label = labelOf(element)
    if (label === null || label.parent !== element || isInCode(element)) continue
    if (label.key !== undefined || label.quote !== null) continue
    const figure = label.value.trim()
    if (!FIGURE.test(figure) || isRound(figure)) continue
    const row = besides(element)
    const next = row[row.indexOf(element) + 1]
    const what = next === undefined ? null : labelOf(next)
    if (what === null || !COUNTED[language].test(what.value)) continue
    const noun = language === 'de' ? what.value : what.value.toLowerCase()
    if (!countsFew(figure)) yield { says: `${figure} ${noun}`, element }
  }
}

/**
 * Figures of the page about who uses it, repeated below the button of its opening. In the page's own words and figures. Not where they stand beside the button, nor
 * figures that stand in for others.
 */
export function* figures(view: View): Generator<Idea> {
  const { page, language } = view
  if (language === null || page.isTranslated === true || !opensSite(page.path)) return
  const hero = heroOf(page)
  const button = hero?.ways.at(-1)
  if (hero === null || button === undefined || isInCode(button)) return
  const found = [...figuresOf(view, language)].filter(({ element }) => element.start > hero.section.end)
  const [first, second] = found
  if (first === undefined) return
  const says = second === undefined ? first.says : `${first.says}, ${second.says}`
  const text: Text = { kind: 'text', value: says, quote: null, parent: button, start: 0, end: 0 }
  if (isBeside(view, button, text) || bare(wordsIn(hero.section)).includes(bare(first.says))) return
  const arm = repeatBelow(view, button, text)
  if (arm === null) return
  yield {
    mechanism: 'proof',
    pattern: 'figures-at-button',
    name: `Show “${says}” at the first button`,
    anchor: anchorOf(button, `${saidOn(button)} figures`),
    topics: ['hero', 'call to action', 'social proof', headingNear(first.element), saidOn(button)],
    arms: [arm],
    audience: 'visitors who do not know yet who uses it',
    change: `repeating the page’s own figures “${says}” below “${saidOn(button)}”`,
    because: 'that many have decided for it is worth most where one decides, and now stands far below',
    goal: goalOfWay(button),
    // What is added bare to a row of buttons is seldom drawn as the rest is.
    effect: 2,
  }
}
