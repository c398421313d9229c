import type { Page, Place } from '../../markup/tree.js'
import { withoutRemarks } from '../choice/state.js'

/** Code that runs once a part is there, and when what it names changes. */
export interface Effect extends Place {
  code: string
  /** what it names; `null` where it runs after every rendering */
  needs: readonly string[] | null
}

/** A call of `setTimeout`. */
export interface Timer extends Place {
  /** the code that runs when the time is over */
  code: string
  delay: Place
  /** `null` where it is not told */
  milliseconds: number | null
  /** the property that says how long, with `milliseconds` where it is left out */
  by: string | null
  effect: Effect | null
}

/** Where the bracket is closed that is open before a place; `null` where it is not told. Strings are gone over. */
function closing(code: string, start: number): number | null {
  let depth = 0
  for (let at = start; at < code.length; at++) {
    const one = code[at] ?? ''
    if (one === '"' || one === "'" || one === '`') {
      at = code.indexOf(one, at + 1)
      if (at < 0) return null
    } else if ('([{'.includes(one)) depth += 1
    else if (')]}'.includes(one)) {
      if (depth === 0) return at
      depth -= 1
    }
  }
  return null
}

/** The arguments of a call, by where they stand. */
function argumentsFrom(code: string, start: number): { places: Place[]; end: number } | null {
  const end = closing(code, start)
  if (end === null) return null
  const places: Place[] = []
  let from = start
  let depth = 0
  for (let at = start; at <= end; at++) {
    const one = code[at] ?? ''
    if ((one === ',' && depth === 0) || at === end) {
      const own = code.slice(from, at)
      const lead = /^\s*/.exec(own)?.[0].length ?? 0
      if (own.trim() !== '') places.push({ start: from + lead, end: from + own.trimEnd().length })
      from = at + 1
    } else if (one === '"' || one === "'" || one === '`') {
      const close = code.indexOf(one, at + 1)
      if (close < 0) return null
      at = close
    } else if ('([{'.includes(one)) depth += 1
    else if (')]}'.includes(one)) depth -= 1
  }
  return { places, end }
}

const RUNS = /\b(?:React\.)?(?:useEffect|useLayoutEffect|onMounted|onMount|onBeforeMount)\s*\(/g

/** Code of a file that runs on arrival. */
export function effectsOf(page: Page): Effect[] {
  const code = withoutRemarks(page)
  return [...code.matchAll(RUNS)].flatMap((found): Effect[] => {
    const read = argumentsFrom(code, found.index + found[0].length)
    const [runs, needs, ...more] = read?.places ?? []
    if (read === null || runs === undefined || more.length > 0) return []
    const isReact = /Effect/.test(found[0])
    const listed = needs === undefined ? null : code.slice(needs.start, needs.end)
    const names = listed === null ? null : /^\[([\w\s,.?]*)\]$/.exec(listed)?.[1]
    if (names === undefined) return []
    return [
      {
        start: found.index,
        end: read.end + 1,
        code: code.slice(runs.start, runs.end),
        needs: isReact
          ? names === null
            ? null
            : names.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
          : [],
      },
    ]
  })
}

const NUMBER = /^\d[\d_]*(?:\.\d+)?(?:\s*\*\s*\d[\d_]*(?:\.\d+)?)*$/
const product = (says: string): number =>
  says.split('*').reduce((all, one) => all * Number(one.trim().replaceAll('_', '')), 1)

/** How long a piece of code says: a number, a constant of the file, or a property that has a number where it is left out. */
export function lengthOf(code: string, says: string): { milliseconds: number; by: string | null } | null {
  if (NUMBER.test(says)) return { milliseconds: product(says), by: null }
  if (!/^[A-Za-z_$][\w$]*$/.test(says)) return null
  const name = says.replaceAll('$', '\\$')
  const constants = [
    ...code.matchAll(
      new RegExp(`\\bconst\\s+${name}\\s*(?::\\s*number\\s*)?=\\s*([\\d_.* ]+?)\\s*[;\\n]`, 'g'),
    ),
  ]
  const [constant, ...others] = constants
  const own = constant?.[1]
  if (own !== undefined)
    return others.length === 0 && NUMBER.test(own) ? { milliseconds: product(own), by: null } : null
  const preset = new RegExp(`[{,]\\s*${name}\\s*=\\s*(\\d[\\d_]*)\\s*[,}]`).exec(code)?.[1]
  return preset === undefined ? null : { milliseconds: product(preset), by: says }
}

const WAITS = /\b(?:window\.)?setTimeout\(/g

/** What a file does after a time. */
export function timersOf(page: Page): Timer[] {
  const code = withoutRemarks(page)
  if (!code.includes('setTimeout')) return []
  const effects = effectsOf(page)
  return [...code.matchAll(WAITS)].flatMap((found): Timer[] => {
    const read = argumentsFrom(code, found.index + found[0].length)
    const [runs, delay, ...more] = read?.places ?? []
    if (read === null || runs === undefined || delay === undefined || more.length > 0) return []
    const length = lengthOf(code, code.slice(delay.start, delay.end))
    const place = { start: found.index, end: read.end + 1 }
    return [
      {
        ...place,
        code: code.slice(runs.start, runs.end),
        delay,
        milliseconds: length?.milliseconds ?? null,
        by: length?.by ?? null,
        effect: effects.find((one) => one.start < place.start && place.end < one.end) ?? null,
      },
    ]
  })
}

/** Seconds as they are said: `2.5`. */
export const seconds = (milliseconds: number): string => String(Math.round(milliseconds / 100) / 10)

/** The same with the word: `1 second`, `2.5 seconds`. */
export const inSeconds = (milliseconds: number): string => {
  const said = seconds(milliseconds)
  return `${said} ${said === '1' ? 'second' : 'seconds'}`
}
