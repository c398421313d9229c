import {
  above,
  type Element,
  elementsIn,
  given,
  type Page,
  type Text,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { type Form, labelOf } from '../../surface.js'
import { labelBefore, shellOf } from './removal.js'

/** What is around a field as its label, or names it by its id. */
export function labelElement({ element }: Form, field: Element): Element | undefined {
  const id = given(field, 'id')
  return (
    [...above(field)].find(({ name }) => name === 'label') ??
    elementsIn(element).find((one) => /label$/.test(one.name) && id !== null && given(one, 'for') === id) ??
    labelBefore(field) ??
    undefined
  )
}

/** What people see a field called, in quotes. */
export function labelName(page: Page, form: Form, field: Element): string | null {
  const label = labelElement(form, field)
  const words = label === undefined ? null : labelWords(label, field)
  const spoken = label === undefined ? null : spokenLabel(page, label, field)
  const said =
    words ?? spoken ?? given(field, 'label') ?? given(field, 'aria-label') ?? given(field, 'placeholder')
  const short = said?.replace(/\s*\([^)]*\)[*:\s]*$|[*:\s]+$/g, '').trim() ?? ''
  return short === '' || short.length > 60 ? null : `“${short}”`
}

/** `<label>{COPY.email} <input/></label>`, where nothing else is said in it. */
function spokenLabel(page: Page, label: Element, field: Element): string | null {
  const end = label.start < field.start && field.end <= label.end ? field.start : label.end
  const expression = /^<[^<>]*>\s*(?:<span[^<>]*>\s*)?\{\s*([\w$.]+)\s*\}\s*(?:<|$)/.exec(
    page.text.slice(label.start, end),
  )?.[1]
  return (expression === undefined ? undefined : page.spoken?.(expression)) ?? null
}

function labelWords(label: Element, field: Element): string | null {
  const alone = labelOf(label)
  if (alone !== null) return alone.value
  const first = label.children.find((one) => one.kind === 'text')
  return first?.kind === 'text' && first.end <= field.start ? first.value : null
}

/** That somebody is called, which a number is asked for, whoever throws it away. */
const CALLS =
  /\b(we|i)(['’]ll| will| can)? (call|ring|text|phone)\b|call(ing)? you|call.?back|phone call|(way|time|number|how|where)( \p{L}+){0,3} (reach|contact|call) you|(reach|contact) you (by phone|on)|preferred (way|method)|contact (preference|method)|rückruf|zurückruf|rufen (wir|ich|sie)|anrufen|(erreichen wir|sind) sie( \p{L}+)* (am besten|erreichbar)|erreichen wir sie|rappel|vous appel|vous joindre|par téléphone|(te|le|os|les) llam|llamaremos|por teléfono|devolver la llamada/iu

/** Whether a page says anywhere that somebody is called, or asks how. */
export const saysItCalls = (page: Page): boolean =>
  [
    ...textsIn(page.root).map(({ value }) => value),
    ...elementsIn(page.root).flatMap((one) => given(one, 'placeholder') ?? []),
  ].some((said) => CALLS.test(said))

const OPTIONAL =
  /(?<!\p{L})(optional(?!ly)|optionnel(?:le)?|facultati(?:f|ve)|freiwillig|opcional|opzionale|facoltativo|optioneel|nicht erforderlich|kein pflichtfeld|not required|if (?:you like|any|applicable)|falls vorhanden|si vous (?:le )?souhaitez)(?!\p{L})/iu

/** Whether a field says itself that it may be left empty: in its label, in what stands in it, or right beside it. */
export function isSaidOptional(form: Form, field: Element): boolean {
  const label = labelElement(form, field)
  const own = ['label', 'placeholder', 'aria-label', 'title', 'helpertext', 'hint', 'description'].map(
    (name) => given(field, name) ?? '',
  )
  const beside = shellOf(field, form.element)
  return [...own, ...(label === undefined ? [] : [wordsIn(label)]), wordsIn(beside)].some((said) =>
    OPTIONAL.test(said),
  )
}

/** Whether what a page goes on to say has to do with a field: a text names it, or says that somebody calls. @param going the fields whose own labels do not count */
export function isSpokenOfBeside(
  page: Page,
  form: Form,
  field: Element,
  going: readonly Element[],
  isPhone: boolean,
): boolean {
  const own = going.flatMap((one) => [one, labelElement(form, one) ?? one])
  const named = [labelName(page, form, field)?.slice(1, -1), given(field, 'name')].flatMap((one) =>
    one == null || one.length < 3 ? [] : one.toLowerCase(),
  )
  const isFrame = (one: Element): boolean => /^(nav|header|footer|option|button|a)$/.test(one.name)
  const isBeside = ({ parent }: Text): boolean =>
    !own.some((one) => parent === one || [...above(parent)].includes(one)) &&
    !isFrame(parent) &&
    ![...above(parent)].some(isFrame)
  const texts = textsIn(page.root).flatMap((text) => (isBeside(text) ? text.value : []))
  return [...texts, ...spokenBeside(page, form, own)].some((text) => {
    const said = text.toLowerCase()
    return (
      (isPhone && CALLS.test(said)) ||
      named.some((name) =>
        ` ${said.replace(/[^\p{L}\d]+/gu, ' ')} `.includes(` ${name.replace(/[^\p{L}\d]+/gu, ' ').trim()} `),
      )
    )
  })
}

/** What a form says that stands in other files. */
const spokenBeside = (page: Page, { element }: Form, apart: readonly Element[]): string[] =>
  [...page.text.slice(element.start, element.end).matchAll(/\{\s*([\w$]+(?:\.[\w$]+)+)\s*\}/g)].flatMap(
    ({ index, 1: expression = '' }) => {
      const at = element.start + index
      return apart.some(({ start, end }) => start <= at && at < end) ? [] : (page.spoken?.(expression) ?? [])
    },
  )
