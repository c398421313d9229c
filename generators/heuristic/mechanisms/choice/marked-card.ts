import type { View } from '../../idea.js'
import { above, attribute, type Element, elementsIn, given, textsIn, wordsIn } from '../../markup/tree.js'
import { headingNear, isHeading } from '../../surface.js'
import type { Preset } from './preset.js'
import { isMark } from './said.js'
import { isChosen, type State, startWith, statesOf, stringIn, withString } from './state.js'

const LARGEST_CARD = 3_000

/** Cards in markup of which one is marked, each setting another value: the marked one's value is what one begins with. */
export function* markedCard({ page }: View): Generator<Preset> {
  const marks = textsIn(page.root).filter(({ value }) => isMark(value))
  const [mark, ...more] = marks
  if (mark === undefined || more.length > 0) return
  for (const state of statesOf(page)) {
    const own = stringIn(state.says)
    if (own === null || own === '' || !isChosen(page, state)) continue
    const card = cardOf(mark.parent, (one) => setsIn(page.text.slice(one.start, one.end), state))
    if (card === null || card.value === own || !setsIn(page.text, state).includes(own)) continue
    yield presetOf(card, mark.value, state.name, [startWith(state, withString(state.says, card.value))])
  }
  for (const group of elementsIn(page.root)) {
    const preset = attribute(group, 'defaultvalue') ?? attribute(group, 'default-value')
    if (group.tag === 'select' || preset?.own == null || ![...above(mark.parent)].includes(group)) continue
    const values = (one: Element): string[] =>
      [one, ...elementsIn(one)].flatMap((inner) => (inner === group ? [] : (given(inner, 'value') ?? [])))
    const card = cardOf(mark.parent, values)
    if (card === null || card.value === preset.value || !values(group).includes(preset.value ?? '')) continue
    yield presetOf(card, mark.value, group.name, [{ ...preset.own, text: card.value, unit: group }])
  }
}

interface Card {
  element: Element
  value: string
}

const presetOf = (
  { element, value }: Card,
  says: string,
  what: string,
  changes: Preset['changes'],
): Preset => {
  const heading = [element, ...elementsIn(element)].find(isHeading)
  const option = heading === undefined ? '' : wordsIn(heading)
  return {
    option: option || value,
    says,
    path: null,
    what: `${what} ${headingNear(element)}`,
    anchor: `code "${what}: ${value}"`,
    changes,
  }
}

/** The smallest element around a mark in which one value is set, and no other. */
function cardOf(mark: Element, valuesIn: (one: Element) => string[]): Card | null {
  for (const element of [mark, ...above(mark)]) {
    const values = [...new Set(valuesIn(element))]
    const [value] = values
    if (values.length > 1 || element.end - element.start > LARGEST_CARD) return null
    if (value !== undefined) return { element, value }
  }
  return null
}

function setsIn(code: string, { name, setter }: State): string[] {
  const own = name.replace('.', '\\.')
  const sets = setter === null ? `\\b${own}\\s*=\\s*` : `\\b${setter}\\(\\s*`
  const forms = new RegExp(`(?:${sets}|<input[^>]*\\bvalue=)["']([\\w-]+)["']`, 'g')
  return [...code.matchAll(forms)].map(([, value = '']) => value)
}
