import type { View } from '../../idea.js'
import { textsIn } from '../../markup/tree.js'
import type { Preset } from './preset.js'
import { mayName, placeIn, sentencesOf } from './said.js'
import { isChosen, type State, startWith, statesOf, stringIn, withoutRemarks } from './state.js'

const LIST = /\[((?:\s*(?:-?\d+(?:\.\d+)?|"[^"\n]*"|'[^'\n]*')\s*,?){3,12})\s*\](?:\s+as const)?/g
const LITERAL = /-?\d+(?:\.\d+)?|"[^"\n]*"|'[^'\n]*'/g

/** A list of plain values that code offers, where a sentence of the page names another of them than the one that is set. */
export function* namedInList({ page }: View): Generator<Preset> {
  const code = withoutRemarks(page)
  const sentences = textsIn(page.root)
    .flatMap(({ value }) => sentencesOf(value))
    .filter(mayName)
  if (sentences.length === 0) return
  for (const state of statesOf(page)) {
    if (!/^(?:-?\d|["'])/.test(state.says) || !isChosen(page, state)) continue
    const lists = [...code.matchAll(LIST)]
      .map((found) => {
        const values: readonly string[] = found[1]?.match(LITERAL) ?? []
        return { values, end: found.index + found[0].length }
      })
      .filter(({ values, end }) => values.includes(state.says) && isOffered(code, end, state))
    const [list, ...more] = lists
    if (list === undefined || more.length > 0) continue
    const named = sentences.flatMap((says) => {
      const places = list.values
        .map((value) => ({ value, at: placeIn(says, stringIn(value) ?? value) }))
        .filter(({ at }) => at >= 0)
        .sort((a, b) => a.at - b.at)
      const [first] = places
      return first === undefined || places.length > 2 || places.some(({ value }) => value === state.says)
        ? []
        : [{ value: first.value, says }]
    })
    const [only, ...others] = named
    if (only === undefined || others.length > 0) continue
    yield {
      option: stringIn(only.value) ?? only.value,
      says: only.says,
      path: null,
      what: state.name,
      anchor: `code "${state.name}: ${only.value}"`,
      changes: [startWith(state, only.value)],
    }
  }
}

/** Whether code goes through the list right behind its end, or by its name, to set the state from it. */
function isOffered(code: string, end: number, { name, setter }: State): boolean {
  const before = code.slice(Math.max(0, code.lastIndexOf('\n', end) - 1), end)
  const list = /\b(?:const|let)\s+(\w+)\s*(?::[^=]+)?=\s*\[[^\]]*\](?:\s+as const)?$/.exec(before)?.[1]
  const each =
    /^\)?\.map\(\s*\(?\s*(\w+)/.exec(code.slice(end))?.[1] ??
    /^\s+as\s+(\w+)/.exec(code.slice(end))?.[1] ??
    /\b(\w+)\s+(?:in|of)\s+\[[^\]]*\]$/.exec(before)?.[1] ??
    (list === undefined
      ? undefined
      : (new RegExp(`\\b${list}\\.map\\(\\s*\\(?\\s*(\\w+)`).exec(code)?.[1] ??
        new RegExp(`#each\\s+${list}\\s+as\\s+(\\w+)`).exec(code)?.[1] ??
        new RegExp(`\\b(\\w+)\\s+in\\s+${list}\\b`).exec(code)?.[1]))
  if (each === undefined) return false
  const own = name.replace('.', '\\.')
  return new RegExp(
    `\\b${own}\\s*===?\\s*${each}\\b|\\b${each}\\s*===?\\s*${own}\\b|value=(?:\\{|")${each}\\b${setter === null ? '' : `|\\b${setter}\\(\\s*${each}\\b`}`,
  ).test(code)
}
