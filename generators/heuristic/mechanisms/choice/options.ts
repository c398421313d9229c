import { type Change, insertAt } from '../../edits.js'
import {
  above,
  attribute,
  type Element,
  elementsIn,
  given,
  has,
  isInCode,
  type Page,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { isMark } from './said.js'
import { isChosen, startWith, statesOf, stringIn, withString } from './state.js'

export interface Option {
  element: Element
  label: string
  value: string
  isSet: boolean
  /** texts that are its own, each by itself */
  texts: readonly string[]
}

/** Options of which one is chosen: those of a list, or radio buttons of one name. */
export interface Options {
  holder: Element
  options: readonly Option[]
}

export function* optionsIn({ root }: Page): Generator<Options> {
  for (const holder of elementsIn(root)) {
    if (holder.tag !== 'select') continue
    const options = elementsIn(holder).filter(({ tag }) => tag === 'option')
    if (!options.some((one) => one.hasCode || isInCode(one) !== isInCode(holder)))
      yield { holder, options: options.map(optionOf) }
  }
  for (const radios of radiosIn(root).values()) {
    const [first] = radios
    const around = first === undefined ? [] : [...above(first)]
    const holder = around.find((one) => radios.every((radio) => [...above(radio)].includes(one)))
    if (holder !== undefined && !radios.some(isInCode))
      yield { holder, options: radios.map((one) => radioOf(one, holder)) }
  }
}

/** Radio buttons by their name. */
export function radiosIn(root: Element): Map<string, Element[]> {
  const groups = new Map<string, Element[]>()
  for (const one of elementsIn(root)) {
    const name = given(one, 'name')
    if (one.tag !== 'input' || given(one, 'type') !== 'radio' || name === null) continue
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  return groups
}

function optionOf(element: Element): Option {
  const label = wordsIn(element)
  return {
    element,
    label,
    value: given(element, 'value') ?? label,
    isSet: has(element, 'selected'),
    texts: textsIn(element).map(({ value }) => value),
  }
}

function radioOf(element: Element, holder: Element): Option {
  const id = given(element, 'id')
  const label =
    [...above(element)].find(({ tag }) => tag === 'label') ??
    elementsIn(holder).find((one) => one.tag === 'label' && id !== null && given(one, 'for') === id)
  const texts = label === undefined ? [] : textsIn(label).map(({ value }) => value)
  return {
    element,
    label: texts.find((one) => !isMark(one)) ?? '',
    value: given(element, 'value') ?? '',
    isSet: has(element, 'checked') || has(element, 'defaultchecked'),
    texts,
  }
}

/** The option that is set from the start; `undefined` where none is, or an empty prompt, which asks to be read. */
export function setOption(page: Page, { holder, options }: Options): Option | undefined {
  if (options.filter(({ isSet }) => isSet).length > 1) return undefined
  const bound = boundState(page, { holder, options })
  const preset = attribute(holder, 'defaultvalue')
  const first = holder.tag === 'select' ? options[0] : undefined
  const set =
    bound !== null
      ? options.find(({ value }) => value === bound.says)
      : preset !== undefined
        ? options.find(({ value }) => value === preset.value)
        : (options.find(({ isSet }) => isSet) ?? first)
  return set?.value === '' ? undefined : set
}

/** Whether none of radio buttons in markup is set, and no code ties them to anything. */
export const isNoneSet = (page: Page, all: Options): boolean =>
  all.holder.tag !== 'select' &&
  page.dialect === 'html' &&
  all.options.every(({ isSet, element }) => !isSet && !has(element, 'disabled')) &&
  attribute(all.holder, 'defaultvalue') === undefined

/** An option set where none is. */
export const setFirst = ({ holder }: Options, { element }: Option): Change[] => [
  insertAt(element.start + 1 + element.tag.length, ' checked', holder),
]

/** Another option set from the start; `null` where that cannot be written. */
export function setTo(page: Page, all: Options, other: Option): Change[] | null {
  const set = setOption(page, all)
  const bound = boundState(page, all)
  if (set === undefined || set === other) return null
  if (bound !== null) return [bound.change(other.value)]
  const preset = attribute(all.holder, 'defaultvalue')
  if (preset?.own != null) return [{ ...preset.own, text: other.value, unit: all.holder }]
  return setIn(page, all.holder, set, other)
}

const BOUND =
  /\bv-model(?:\.\w+)*="([\w.]+)"|\bbind:(?:value|group)=\{([\w.]+)\}|\b(?:value)=\{([\w.]+)\}|\bchecked=\{([\w.]+)\s*===/

/** What in code an element's value is tied to, where that begins with one of the options. */
function boundState(
  page: Page,
  { holder, options }: Options,
): { says: string; change: (value: string) => Change } | null {
  const tied = holder.tag === 'select' ? holder : options[0]?.element
  if (tied === undefined) return null
  const end = holder.tag === 'select' ? page.text.indexOf('<option', tied.start) : tied.end
  const name = BOUND.exec(page.text.slice(tied.start, end < 0 ? tied.end : end))
    ?.slice(1)
    .find((one) => one !== undefined)
  const state = statesOf(page).find((one) => one.name === name)
  if (state === undefined || !isChosen(page, state)) return null
  const says = stringIn(state.says) ?? (/^\d+$/.test(state.says) ? state.says : null)
  if (says === null) return null
  const isNumber = stringIn(state.says) === null
  return {
    says,
    change: (value) => startWith(state, isNumber ? value : withString(state.says, value)),
  }
}

/** Another option set in markup; `null` where code sets it. */
function setIn(page: Page, holder: Element, set: Option, other: Option): Change[] | null {
  const isSelect = holder.tag === 'select'
  const tied = isSelect ? holder : set.element
  const written = page.text.slice(tied.start, isSelect ? page.text.indexOf('<option', tied.start) : tied.end)
  if (/v-model|bind:|\b(?:value|checked)=\{/.test(written)) return null
  if (page.dialect === 'jsx' && isSelect) return null
  const word = isSelect ? 'selected' : page.dialect === 'jsx' ? 'defaultChecked' : 'checked'
  const own = attribute(set.element, word.toLowerCase())
  if (own !== undefined && own.value === null) return null
  const at = other.element.start + 1 + other.element.tag.length
  return [
    ...(own === undefined ? [] : [{ start: own.start - 1, end: own.end, text: '', unit: holder }]),
    insertAt(at, ` ${word}`, holder),
  ]
}
