import { modulesAt } from '../../form-handlers.js'
import type { View } from '../../idea.js'
import { importsOf } from '../../imports.js'
import { type Mark, marksOf } from './marks.js'
import type { Preset } from './preset.js'
import { eachOf, isChosen, type State, startWith, statesOf, withoutRemarks } from './state.js'

/** Lists whose data marks one of its items, where a state begins with another one. */
export function* markedInData(view: View): Generator<Preset> {
  const { page } = view
  const states = statesOf(page).filter((state) => isChosen(page, state) && isPressed(page, state))
  if (states.length === 0) return
  const code = withoutRemarks(page)
  const lists = markedLists(code)
  for (const state of states) {
    const own = lists.flatMap((list) => inList(page.text, code, state, list) ?? [])
    if (own.length === 1) yield* own
    else if (lists.length === 0) yield* givenList(view, code, state)
  }
}

/** Whether visitors themselves set it: in what is called when something is pressed, and not in code that goes before. */
function isPressed({ dialect, text }: View['page'], { setter }: State): boolean {
  if (dialect !== 'jsx' || setter === null) return true
  return new RegExp(
    `\\bon[A-Z]\\w*=\\{[^}]{0,200}\\b${setter}\\b|\\b(?:handle|on|select|choose|change|pick|toggle)\\w*\\s*=?[^;]{0,160}\\b${setter}\\(`,
  ).test(text)
}

/** Lists of which one item is marked. @param code without remarks */
export const markedLists = (code: string): List[] =>
  marksOf(code).flatMap((mark) => listWith(code, mark) ?? [])

export interface Item {
  start: number
  end: number
  values: ReadonlyMap<string, string>
}

export interface List {
  name: string | null
  items: readonly Item[]
  marked: number
  mark: Mark
}

/** The list around a mark, where no other of its items has it. */
function listWith(code: string, mark: Mark): List | null {
  const open = openBefore(code, mark.at, '{')
  const start = open === null ? null : openBefore(code, open, '[')
  if (open === null || start === null) return null
  const items = itemsFrom(code, start + 1)
  const marked = items.findIndex((one) => one.start === open)
  const isSame = (one: Item): boolean =>
    mark.says === null
      ? one.values.get(mark.property) === 'true'
      : one.values.get(mark.property)?.slice(1, -1) === mark.says
  if (marked === -1 || items.length < 2 || items.filter(isSame).length !== 1) return null
  const name = /\b(?:const|let|var)\s+(\w+)\s*(?::[^=]+)?=\s*$/.exec(
    code.slice(Math.max(0, start - 120), start),
  )
  return { name: name?.[1] ?? null, items, marked, mark }
}

/** Where the bracket opens that is around a place. */
function openBefore(code: string, at: number, bracket: '{' | '['): number | null {
  let depth = 0
  for (let place = at - 1; place >= 0 && at - place < 6_000; place--) {
    const one = code[place] ?? ''
    if (')]}'.includes(one)) depth += 1
    else if ('([{'.includes(one)) {
      if (depth === 0) return one === bracket ? place : null
      depth -= 1
    }
  }
  return null
}

/** The objects of a list, with those of their own properties that are literals. */
function itemsFrom(code: string, start: number): Item[] {
  const items: Item[] = []
  let depth = 0
  let open = start
  let own = ''
  for (let place = start; place < code.length && place - start < 12_000; place++) {
    const one = code[place] ?? ''
    if ('([{'.includes(one)) {
      if (depth === 0) [open, own] = [place, '']
      depth += 1
    } else if (')]}'.includes(one)) {
      if (depth === 0) return items
      depth -= 1
      if (depth === 0) items.push({ start: open, end: place + 1, values: valuesIn(own) })
    }
    if (depth === 1) own += one
  }
  return []
}

const VALUE = /\b(\w+)\s*:\s*((["'])(?:(?!\3)[^\\\n])*\3|-?\d+(?:\.\d+)?|true)(?=\s*(?:,|$|\n))/g
const valuesIn = (own: string): Map<string, string> =>
  new Map([...own.matchAll(VALUE)].map(([, name = '', value = '']): [string, string] => [name, value]))

const FIRST = /^(\w+)\[0\](!)?(\??\.(\w+))?$/
/** By what an item is told from the others. */
const TELLS =
  /^(id|key|value|slug|code|name|type|sku|handle|plan|tier|size|amount|months|quantity|qty|\w*id)$/i
const MONEY = /\b(\w*pri(?:x|ce)\w*|preis\w*|precio\w*|amount|betrag|montant|importe|cost)\b/i
/** What a price is shown by. */
const SHOWS_MONEY = new RegExp(`${MONEY.source}|[€$£]`, 'i')

/** What the items cost is seen where one chooses, if they cost anything. */
const isPriced = (text: string, items: string): boolean =>
  !MONEY.test(items) ||
  new RegExp(`\\.${MONEY.source}|\\b${MONEY.source}\\b[^\\n]*=>|\\{[^}]*${MONEY.source}`, 'i').test(text)

function inList(
  text: string,
  code: string,
  state: State,
  { name, items, marked, mark }: List,
): Preset | null {
  const [item, first] = [items[marked], items[0]]
  if (item === undefined || first === undefined) return null
  const whole = code.slice(first.start, items.at(-1)?.end)
  if (!isPriced(text.replace(text.slice(first.start, items.at(-1)?.end), ''), whole)) return null
  const option = shownName(item) ?? ''
  // To sort by what is popular is no choice that is popular.
  if (option === mark.says) return null
  const preset = {
    option,
    says: mark.says ?? mark.property,
    path: null,
    what: state.name,
    anchor: `code "${state.name}, ${mark.says ?? mark.property}"`,
  }
  const place = FIRST.exec(state.says)
  if (place !== null && place[1] === name && marked > 0 && !isMuchDearer(item, first)) {
    const [, , , , member] = place
    const value =
      member === undefined ? `${name}.find(${testOf(mark)}) ?? ${state.says}` : item.values.get(member)
    return value === undefined ? null : { ...preset, changes: [startWith(state, value)] }
  }
  for (const [key, value] of item.values) {
    const now = items.find((one) => one !== item && one.values.get(key) === state.says)
    if (
      TELLS.test(key) &&
      now !== undefined &&
      !isMuchDearer(item, now) &&
      value !== state.says &&
      new RegExp(`\\.${key}\\b|\\{[^}]*\\b${key}\\b`).test(text)
    )
      return { ...preset, changes: [startWith(state, value)] }
  }
  return null
}

/** Nobody is begun with several times what stood there before. */
const MAX_TIMES = 3
const isMuchDearer = (item: Item, now: Item): boolean =>
  [...item.values].some(
    ([key, value]) =>
      MONEY.test(key) && Number(value) > MAX_TIMES * Number(now.values.get(key) ?? Number.NaN),
  )

/** What finds the item that is marked. */
const testOf = ({ property, says }: Pick<Mark, 'property' | 'says'>): string =>
  `(one) => one.${property}${says === null ? '' : ` === '${says}'`}`

/** What an item is called where it is shown. */
export const shownName = ({ values }: Item): string | null => {
  const said = ['name', 'title', 'label', 'nom', 'titel', 'nombre', 'titre'].flatMap(
    (one) => values.get(one) ?? [],
  )[0]
  return said === undefined || !/^["']/.test(said) ? null : said.slice(1, -1)
}

/** A list that a component is given, of which it shows what the site's data marks: the first that has the mark. */
function* givenList({ page, site }: View, code: string, state: State): Generator<Preset> {
  const [, list, isSure = '', member = ''] = FIRST.exec(state.says) ?? []
  if (list === undefined || site === null || new RegExp(`\\b(const|let|var)\\s+${list}\\b`).test(code)) return
  const each = eachOf(code, list)
  if (each === undefined || !SHOWS_MONEY.test(code)) return
  const shownMarks = site.marks.filter(({ property }) => new RegExp(`\\b${each}\\.${property}\\b`).test(code))
  const [mark, ...more] = shownMarks
  if (mark === undefined || more.length > 0) return
  if (mark.says?.includes("'") === true || isOfOther(page, list, mark.path)) return
  const found = `(${list}.find(${testOf(mark)}) ?? ${list}[0]${isSure})`
  yield {
    option: '',
    says: mark.says ?? mark.property,
    path: mark.says === null ? null : mark.path,
    what: state.name,
    anchor: `code "${state.name}, ${mark.says ?? mark.property}"`,
    changes: [startWith(state, member === '' ? found.slice(1, -1) : found + member)],
  }
}

/** Whether a list comes from another file than the one that marks something. */
function isOfOther({ path, text }: View['page'], list: string, marks: string): boolean {
  const taken = importsOf(text).takes.find(({ as = [] }) => as.includes(list))
  return taken !== undefined && !modulesAt(path, taken.from).includes(marks)
}

/** Whether the rest of the site could say which item of a list that is given here is marked. */
export const hasGivenList = (view: View): boolean =>
  statesOf(view.page).some((state) => FIRST.test(state.says))
