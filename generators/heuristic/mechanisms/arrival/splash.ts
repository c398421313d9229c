import { escaped } from '../../../words.js'
import type { Waits } from '../../idea.js'
import { type Element, elementsIn, given, type Page } from '../../markup/tree.js'
import { nameOf } from '../../uses.js'
import { type State, statesOf, withoutRemarks } from '../choice/state.js'
import { type Timer, timersOf } from './timers.js'

/** Less is hardly felt as waiting, and too little to be worth a test. */
export const MIN_WAIT = 1_500

/** How people call what they show before a page. */
export const SPLASH =
  /^(site|app|page|initial|logo|animated)?[-_]?(pre-?loader|loading-?(screen|page|overlay|animation)|splash(-?screen)?|intro-?(screen|loader|animation)?|page-?loader|loader|loading)(-?screen|-?overlay|-?wrapper)?$/i

/** What something may wait for that is more than time. */
export const WAITS_FOR =
  /\bfetch\b|\baxios\b|\bawait\b|\.then\(|addEventListener|readyState|\.fonts\b|\bImage\(|onLoad\b|onCanPlay|useQuery|useSWR|useAuth|[sS]ession\(|isReady|hydrat|Suspense|\bchildren\b|\bmounted\b|supabase|firebase|skeleton/i

/** An element that lies over all of the window. */
export const covers = (element: Element): boolean => {
  const own = given(element, 'class') ?? ''
  return (
    (/(^|\s)fixed(\s|$)/.test(own) && /(^|\s)inset-0(\s|$)/.test(own) && !/pointer-events-none/.test(own)) ||
    /position:\s*['"]?fixed[\s\S]*inset:\s*['"]?0/.test(given(element, 'style') ?? '')
  )
}

/** Each place at which code sets a state, and to what. */
export function setsOf(page: Page, { name, setter, made }: State): { at: number; to: string }[] {
  const own = escaped(name)
  const sets =
    setter === null
      ? new RegExp(`\\b${own}(?:\\.value)?\\s*=(?![=>])\\s*([^;\\n)}"]*)`, 'g')
      : new RegExp(`\\b${escaped(setter)}\\b(?:\\(([^()]*)\\))?`, 'g')
  return [...withoutRemarks(page).matchAll(sets)]
    .filter(({ index }) => index < made.start || index >= made.end)
    .map((found) => ({ at: found.index, to: (found[1] ?? '').trim() }))
}

/** How long it takes until a timer is over, with those in which it is begun; `null` where that is not told. */
export function wholeLength(timer: Timer, timers: readonly Timer[]): number | null {
  const around = timers.filter((one) => one.start <= timer.start && timer.end <= one.end)
  return around.some(({ milliseconds }) => milliseconds === null)
    ? null
    : around.reduce((sum, { milliseconds }) => sum + (milliseconds ?? 0), 0)
}

/** The timer in which a place of the code stands, the innermost one. */
export const timerAt = (timers: readonly Timer[], at: number): Timer | undefined =>
  timers.findLast(({ start, end }) => start < at && at < end)

const plainName = (path: string): string => nameOf(path).replace(/\.\w+$/, '')

/** How long a part of its own file stands before a page, where it waits for nothing but time; `null` for all others. */
export function waitsOf(page: Page): Waits | null {
  if (!SPLASH.test(plainName(page.path)) || WAITS_FOR.test(withoutRemarks(page))) return null
  if (!elementsIn(page.root).some(covers)) return null
  const timers = timersOf(page)
  return endsItself(page, timers) ?? endsByCall(page, timers)
}

function endsItself(page: Page, timers: readonly Timer[]): Waits | null {
  for (const state of statesOf(page)) {
    if (state.says !== 'true') continue
    const [only, ...more] = setsOf(page, state)
    const timer = only === undefined ? undefined : timerAt(timers, only.at)
    if (timer?.effect == null || only?.to !== 'false' || more.length > 0) continue
    const own = escaped(state.name)
    const isShownThen = new RegExp(
      `if\\s*\\(\\s*!${own}\\s*\\)\\s*\\{?\\s*return null|\\{\\s*${own}\\s*&&|\\bv-if="${own}"|#if\\s+${own}\\s*\\}`,
    ).test(withoutRemarks(page))
    const milliseconds = wholeLength(timer, timers)
    if (isShownThen && milliseconds !== null) return { milliseconds, by: timer.by, calls: null }
  }
  return null
}

const CALLED = /^(on(?:Complete|Finish|Finished|Done|End|LoadingComplete))\b/

function endsByCall(page: Page, timers: readonly Timer[]): Waits | null {
  const code = withoutRemarks(page)
  const calls = [
    ...code.matchAll(
      /\bon(?:Complete|Finish|Finished|Done|End|LoadingComplete)\b(?=\s*(?:\?\.)?\(\s*\)|\s*,\s*[\w.]+\s*\))/g,
    ),
  ]
  const [only, ...more] = calls
  const timer = only === undefined ? undefined : timerAt(timers, only.index)
  const name = CALLED.exec(only?.[0] ?? '')?.[1]
  if (timer?.effect == null || name === undefined || more.length > 0) return null
  const milliseconds = wholeLength(timer, timers)
  return milliseconds === null ? null : { milliseconds, by: timer.by, calls: name }
}
