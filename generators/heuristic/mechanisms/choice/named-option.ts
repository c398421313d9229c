import { type Change, insertAt } from '../../edits.js'
import type { View } from '../../idea.js'
import {
  above,
  attribute,
  type Element,
  elementsIn,
  given,
  has,
  isInCode,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { anchorOf, isField, namesOf } from '../../surface.js'
import { isMark, placeIn, saysChosen, sentencesOf } from './said.js'
import { isChosen, startWith, statesOf, stringIn, withString } from './state.js'
import type { Preset } from './stated.js'

interface Option {
  element: Element
  label: string
  value: string
  isSet: boolean
  /** texts that are its own, each by itself */
  texts: readonly string[]
}

/** Lists and radio buttons in markup, of whose options the page names one as what most choose, where another is set. */
export function* namedOption(view: View): Generator<Preset> {
  const { page } = view
  for (const select of elementsIn(page.root)) {
    if (select.tag !== 'select') continue
    const options = elementsIn(select).filter(({ tag }) => tag === 'option')
    if (options.some((one) => one.hasCode || isInCode(one) !== isInCode(select))) continue
    yield* presetIn(view, select, options.map(optionOf))
  }
  const groups = new Map<string, Element[]>()
  for (const one of elementsIn(page.root)) {
    const name = given(one, 'name')
    if (one.tag !== 'input' || given(one, 'type') !== 'radio' || name === null) continue
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  for (const radios of groups.values()) {
    const [first] = radios
    const holder =
      first === undefined
        ? undefined
        : [...above(first)].find((one) => radios.every((radio) => [...above(radio)].includes(one)))
    if (holder !== undefined && !radios.some(isInCode))
      yield* presetIn(
        view,
        holder,
        radios.map((one) => radioOf(one, holder)),
      )
  }
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

function* presetIn(view: View, holder: Element, options: readonly Option[]): Generator<Preset> {
  if (options.length < 2 || options.length > 15) return
  const bound = boundState(view, holder, options)
  const preset = attribute(holder, 'defaultvalue')
  const set =
    bound === null
      ? preset === undefined
        ? (options.find(({ isSet }) => isSet) ?? (holder.tag === 'select' ? options[0] : undefined))
        : options.find(({ value }) => value === preset.value)
      : options.find(({ value }) => value === bound.says)
  // An empty prompt asks to be read.
  if (set === undefined || set.value === '' || options.filter(({ isSet }) => isSet).length > 1) return
  const found = saidOf(holder, options)
  if (found === null || found.option === set) return
  const { option, says } = found
  const changes =
    bound !== null
      ? [bound.change(option.value)]
      : preset?.own != null
        ? [{ ...preset.own, text: option.value, unit: holder }]
        : setIn(view, holder, set, option)
  if (changes === null) return
  const what = [holder, ...options.slice(0, 1).map(({ element }) => element)].map(namesOf).join(' ').trim()
  yield { option: option.label, says, path: null, what, anchor: anchorOf(holder, option.label), changes }
}

/** The option that the page names, and the words by which it does. */
function saidOf(holder: Element, options: readonly Option[]): { option: Option; says: string } | null {
  const marked = options.filter(({ texts }) => texts.some(isMark))
  const [own, ...others] = marked
  if (own !== undefined)
    return others.length > 0 ? null : { option: own, says: own.texts.find(isMark) ?? own.label }
  for (const around of [holder, ...above(holder)].slice(0, 4)) {
    // What stands with another field may be said of that.
    if (
      elementsIn(around).some(
        (one) => isField(one) && one !== holder && !options.some(({ element }) => element === one),
      )
    )
      break
    const texts = textsIn(around).filter((one) => !options.some(({ element }) => element === one.parent))
    for (const sentence of texts.flatMap(({ value }) => sentencesOf(value))) {
      if (!saysChosen(sentence)) continue
      const named = options
        .map((option) => ({ option, at: placeIn(sentence, option.label) }))
        .filter(({ at }) => at >= 0)
        .sort((a, b) => a.at - b.at)
      if (named.length === 0 || named.length > 2) continue
      const [first] = named
      if (first !== undefined) return { option: first.option, says: sentence }
    }
  }
  return null
}

const BOUND =
  /\bv-model(?:\.\w+)*="(\w+)"|\bbind:(?:value|group)=\{(\w+)\}|\b(?:value)=\{(\w+)\}|\bchecked=\{(\w+)\s*===/

/** What in code an element's value is tied to, where that begins with one of the options. */
function boundState(
  { page }: View,
  holder: Element,
  options: readonly Option[],
): { says: string; change: (value: string) => Change } | null {
  const tied = holder.tag === 'select' ? holder : options[0]?.element
  if (tied === undefined) return null
  const end = page.text.indexOf(holder.tag === 'select' ? '<option' : '>', tied.start)
  const name = BOUND.exec(page.text.slice(tied.start, Math.min(end < 0 ? tied.end : end + 1, tied.end)))
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

const WORD = { select: 'selected', radio: 'checked' }

/** Another option set in markup; `null` where code sets it. */
function setIn({ page }: View, holder: Element, set: Option, other: Option): Change[] | null {
  const opening = page.text.slice(holder.start, page.text.indexOf('>', holder.start))
  if (/v-model|bind:|\bvalue=\{/.test(opening)) return null
  const isSelect = holder.tag === 'select'
  if (page.dialect === 'jsx' && isSelect) return null
  const word = isSelect ? WORD.select : page.dialect === 'jsx' ? 'defaultChecked' : WORD.radio
  const own = attribute(set.element, word.toLowerCase())
  if (own !== undefined && own.value === null) return null
  const unit = holder
  const at = other.element.start + 1 + other.element.tag.length
  return [
    ...(own === undefined ? [] : [{ start: own.start - 1, end: own.end, text: '', unit }]),
    insertAt(at, ` ${word}`, unit),
  ]
}
