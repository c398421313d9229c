import { agreement } from '../../../words.js'
import { type Change, reword } from '../../edits.js'
import type { Evidence, Idea, View } from '../../idea.js'
import { above, attribute, type Element, elementsIn, given, type Page, wordsIn } from '../../markup/tree.js'
import { isAt } from '../../pages-at.js'
import { anchorOf, bare, type Form, isHeading, labelOf } from '../../surface.js'
import { type Language, likeControl } from '../../words/language.js'
import { VAGUE_LINK, VAGUE_PLAN, VAGUE_START, VAGUE_SUBMIT } from '../../words/phrases.js'
import { CALLS } from '../act/ways.js'
import { goalOfForm } from '../forms/called.js'

/** Words of links and titles that say what one does, beside those that call to act. */
const DOES: Readonly<Record<Language, RegExp>> = {
  en: /^(give|donate|plan|book|reserve|ask|request|enrol|enroll|apply|order|order|arrange|join) (?!us$|now$|more$)|^donate$/i,
  de: /(anfragen|buchen|anmelden|bewerben|vereinbaren|spenden|reservieren|anlegen)$/i,
  fr: /^(prendre|demander|réserver|s['’]inscrire|donner|faire|planifier|postuler|adhérer)(?!\p{L})/iu,
  es: /^(reservar|solicitar|pedir|inscribirme|matricularme|donar|apuntarme|planificar)(?!\p{L})/iu,
}
/** What speaks of a message, of coming in again or of the next step, and not of what comes of the form. */
const NO_ACT =
  /contact|kontakt|get in touch|talk to|log-? ?in|sign-? ?in|iniciar|connexion|anmelden$|free trial$|download|install/i
/** Where what is sent obliges to pay, the words of the button are law: none of one's own stand there. */
const PAYS = /€|\bAGB\b|widerruf|zahlungspflichtig|obligation de paiement|obligación de pago/i

const callsTo = (label: string, language: Language): boolean =>
  (CALLS.test(label) || DOES[language].test(label)) &&
  label.split(' ').length >= (language === 'de' ? 1 : 2) &&
  label.split(' ').length <= 5 &&
  label.length <= 36 &&
  !NO_ACT.test(label) &&
  ![VAGUE_LINK, VAGUE_START, VAGUE_PLAN, VAGUE_SUBMIT].some((words) => words[language].has(bare(label)))

/** Letters to subscribe to, and what stands at the foot of a page: nobody has come for it. */
const isAside = ({ element, heading, fields }: Form): boolean =>
  /newsletter|subscri|abonnier|abonne[rz]|suscri|rundbrief|infolettre/i.test(heading + wordsIn(element)) ||
  (fields.length <= 2 && [...above(element)].some(({ tag }) => /^footer$/i.test(tag)))

/** Whether a form falls into parts with titles of their own. */
export const hasSteps = ({ element }: Form): boolean => elementsIn(element).filter(isHeading).length > 1

/** What the links of the site that lead to a form, and the title above it, call it. */
function calledBy({ page, site }: View, form: Form, language: Language): Evidence[] {
  const { path } = page
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const around = /\.[jt]sx$/.test(path) ? [path, `${folder}page.tsx`] : [path]
  const links = [
    ...(site?.ways ?? []),
    ...(site?.links ?? []).flatMap(({ href, labels }) =>
      labels.map(({ label, path: by }) => ({ href, label, path: by })),
    ),
  ].filter((way) => around.some((one) => isAt(way.href, way.path, one)))
  const titles = (site?.pages ?? []).filter((one) => around.includes(one.path) && one.heading !== null)
  return [
    // Of several steps each is called something else.
    ...(hasSteps(form) ? [] : [{ path, says: form.heading }]),
    ...links.map((way) => ({ path: way.path, says: way.label })),
    ...titles.map((one) => ({ path: one.path, says: one.heading ?? '' })),
  ].filter(({ says }) => callsTo(says, language))
}

/** Whether a form only narrows down what is shown: numbers from and to, and what is chosen or searched for. */
const isFilter = (fields: readonly Element[]): boolean =>
  fields.every((one) => one.name === 'select' || /^(number|search|range)$/.test(given(one, 'type') ?? ''))

/** Whether the rest of the site could say what a form of this page does. */
export const mayNameSubmit = ({ forms, language }: View): boolean =>
  language !== null && forms.some((form) => isUnsaid(form, language) !== null)

/** What the button of a form says, where that is only that something is sent. */
function isUnsaid({ submit, purpose, fields }: Form, language: Language): string | null {
  if (submit === null || fields.length < 2 || isFilter(fields)) return null
  if (purpose !== null && !/^(sign up|contact|checkout)$/.test(purpose)) return null
  const control = labelOf(submit)?.value ?? (submit.tag === 'input' ? given(submit, 'value') : null) ?? ''
  return VAGUE_SUBMIT[language].has(bare(control)) &&
    !/^(next|weiter|suivant|siguiente|continu\w+)$/.test(bare(control))
    ? control
    : null
}

/** Another label for the button of a form, between its tags or as its value; `null` where that cannot be written. */
export function labelled(page: Page, submit: Element, said: string): Change | null {
  const label = labelOf(submit)
  if (label !== null) return reword(page, label, said)
  const own = attribute(submit, 'value')?.own
  return own != null && !/["'<>&{}]/.test(said)
    ? { ...own, text: said, unit: { ...own, parent: submit } }
    : null
}

/**
 * A form whose button only says that something is sent, on a site that calls what it does by its title or on the links that lead there: the button says it too, word for word.
 * Not where the law says what a button has to say, nor for forms by which one signs in, searches or only changes what is one's own.
 */
export function* submitSaysAct(view: View, form: Form, language: Language): Generator<Idea> {
  const { page, site, forms } = view
  const { submit, heading, element } = form
  const control = isUnsaid(form, language)
  if (submit === null || control === null || site === null || page.isTranslated === true) return
  if (forms.filter((one) => isUnsaid(one, language) !== null).length > 1) return
  if (form.purpose === 'checkout' || (language !== 'es' && PAYS.test(wordsIn(element)))) return
  const names = calledBy(view, form, language)
  const arms: { name: string; evidence: Evidence; change: Change }[] = []
  for (const evidence of names) {
    const said = likeControl(control, evidence.says, language)
    if (arms.length === 2 || arms.some(({ name }) => agreement(name, said) > 0.5)) continue
    const change = labelled(page, submit, said)
    if (change !== null) arms.push({ name: said, evidence, change })
  }
  const [first] = arms
  if (first === undefined) return
  const evidence = arms.map((one) => one.evidence).filter(({ path }) => path !== page.path)
  yield {
    mechanism: 'clarity',
    pattern: 'submit-says-act',
    name: `Say on the button what the form does: “${first.name}” in place of “${control}”`,
    anchor: anchorOf(submit, control),
    topics: [form.purpose ?? '', heading, 'form', 'button'],
    arms: arms.map(({ name, change }) => ({ name, changes: [change], says: name })),
    audience: 'visitors who have filled in the form',
    change: `labelling its button ${arms.map(({ name }) => `“${name}”`).join(' or ')}, as the site itself calls it, in place of “${control}”`,
    because: 'a label that names the outcome leaves less doubt at the moment of sending',
    goal: form.purpose === null ? 'send' : goalOfForm(form),
    // What is written to somebody is sent, whatever the button says.
    effect: form.purpose === 'contact' || isAside(form) ? 2 : 3,
    ...(evidence.length === 0 ? {} : { evidence }),
  }
}
