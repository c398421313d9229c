import type { View } from '../../idea.js'
import { above, elementsIn, textsIn } from '../../markup/tree.js'
import { anchorOf, isField, namesOf } from '../../surface.js'
import { isNoneSet, type Option, type Options, optionsIn, setFirst, setOption, setTo } from './options.js'
import type { Preset } from './preset.js'
import { isMark, mayName, placeIn, sentencesOf } from './said.js'

const MAX_OPTIONS = 15

/** Lists and radio buttons in markup, of whose options the page names one as what most choose, where another is set. */
export function* namedOption({ page }: View): Generator<Preset> {
  for (const all of optionsIn(page)) {
    const { holder, options } = all
    const isNone = isNoneSet(page, all)
    if (options.length < 2 || options.length > MAX_OPTIONS) continue
    if (!isNone && setOption(page, all) === undefined) continue
    const found = saidOf(all)
    const changes =
      found === null ? null : isNone ? setFirst(all, found.option) : setTo(page, all, found.option)
    if (found === null || changes === null) continue
    const { option, says } = found
    const what = [holder, ...options.slice(0, 1).map(({ element }) => element)].map(namesOf).join(' ').trim()
    const preset = { option: option.label, says, path: null, what, anchor: anchorOf(holder, option.label) }
    yield { ...preset, changes, ...(isNone ? { isFirst: true } : {}) }
  }
}

/** The option that the page names, and the words by which it does. */
function saidOf({ holder, options }: Options): { option: Option; says: string } | null {
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
      if (!mayName(sentence)) continue
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
