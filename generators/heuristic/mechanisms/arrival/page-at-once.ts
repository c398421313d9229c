import { escaped } from '../../../words.js'
import { type Change, removeWith } from '../../edits.js'
import type { Idea, View, Waits } from '../../idea.js'
import { attribute, besides, type Element, elementsIn, isInCode, type Page } from '../../markup/tree.js'
import { anchorOf, lineBreakBefore } from '../../surface.js'
import { plain } from '../../uses.js'
import { type State, startWith, statesOf, withoutRemarks } from '../choice/state.js'
import { isStartPage } from '../opening/hero.js'
import { aimOf } from './aims.js'
import { MIN_WAIT, SPLASH, setsOf, timerAt, WAITS_FOR, wholeLength } from './splash.js'
import { inSeconds, lengthOf, timersOf } from './timers.js'

const DELAYED = /\bdelay\s*[:=]\s*\{?\s*[1-9]|animation-delay|\bdelay-\[?\d{4}/

/** Files around all pages of a site, or that are the one page. */
const AROUND =
  /(^|\/)(_?app|root|main)\.(jsx?|tsx?|vue|svelte)$|(^|\/)(app|routes)\/((\([^/]*\)|\[[^/]*\])\/)*(\+layout|layout)\.\w+$|(^|\/)layouts\/default\.vue$|(^|\/)(client|root|site|main|app|page|layout)-?(layout|wrapper|client|shell)\.(jsx?|tsx?)$/i
const ELSEWHERE =
  /(^|[/_.-])(dashboard|account|portal|admin\w*|auth|onboarding|webapp|mobile|native|electron)([/_.-]|$)/i
const NATIVE = /capacitor|@ionic|react-native|\bexpo[-/]|cordova|electron|tauri/i

const LOADS =
  /^(is|show|show_)?(initial|page|app|site|intro)?_?(loading|splash|splash_?screen|pre_?load(er|ing)?|loader|intro|loading_?screen)(screen|visible|active|shown)?$/i

interface Found {
  milliseconds: number
  changes: Change[]
  anchor: string
}

const isWhere = ({ path, text }: Page): boolean =>
  (isStartPage(path) || AROUND.test(path)) && !ELSEWHERE.test(path) && !NATIVE.test(text)

/** What is shown first while a state holds: a screen that says nothing, in the page's place or above it. */
function showsSplash(page: Page, name: string): boolean {
  const code = withoutRemarks(page)
  const own = escaped(name)
  const shown = [
    ...code.matchAll(
      new RegExp(
        `(?:if\\s*\\(\\s*${own}\\s*\\)\\s*\\{?\\s*return|\\{\\s*${own}\\s*(?:&&|\\?)|#if\\s+${own}\\s*\\})\\s*\\(?\\s*<([\\w.]+)([^>]*)`,
        'g',
      ),
    ),
    ...code.matchAll(new RegExp(`<([\\w.-]+)(\\s[^>]*\\bv-if="${own}"[^>]*)`, 'g')),
  ]
  return (
    shown.length > 0 &&
    shown.every(([whole, tag = '', attributes = '']) => {
      const isCover =
        /\bfixed\b[^"']*\binset-0\b|\b(min-)?h-screen\b|\b(splash|preloader|loading-screen|intro-screen)\b/i.test(
          attributes,
        )
      return (isCover || SPLASH.test(tag.split('.').at(-1) ?? '')) && !/skeleton/i.test(whole)
    })
  )
}

/** A state that holds from the start and ends by time alone, in this file or in the part that stands before the page. */
function inState(view: View): Found | null {
  const { page } = view
  const timers = timersOf(page)
  for (const state of statesOf(page)) {
    if (state.says !== 'true' || !LOADS.test(state.name) || !showsSplash(page, state.name)) continue
    const milliseconds = endsBy(view, state, timers)
    if (milliseconds !== null)
      return { milliseconds, changes: [startWith(state, 'false')], anchor: `code "${state.name}"` }
  }
  return null
}

/** After how long a state ends; `null` where more than time decides it, or it may begin again. */
function endsBy({ page, site }: View, state: State, timers: ReturnType<typeof timersOf>): number | null {
  const lengths = setsOf(page, state).map(({ at, to }): number | null => {
    if (state.setter !== null ? !/^(false)?$/.test(to) : to !== 'false') return null
    const timer = timerAt(timers, at)
    if (timer !== undefined) {
      const { effect } = timer
      const isPlain = effect !== null && effect.needs?.length === 0 && !WAITS_FOR.test(effect.code)
      return isPlain && to === 'false' ? wholeLength(timer, timers) : null
    }
    const part = elementsIn(page.root).findLast(({ start, end }) => start < at && at < end)
    const waits = part === undefined ? undefined : site?.parts[plain(part.tag)]?.waits
    const press = part?.attributes.find(({ start, end }) => start < at && at < end)
    return part === undefined ||
      waits == null ||
      press === undefined ||
      press.name !== waits.calls?.toLowerCase()
      ? null
      : lengthAt(page, part, waits)
  })
  return lengths.length === 0 || lengths.some((one) => one === null)
    ? null
    : Math.max(...lengths.map((one) => one ?? 0))
}

/** How long a part waits where it is shown: it may be told so there. */
function lengthAt({ text }: Page, part: Element, { milliseconds, by }: Waits): number | null {
  const told = by === null ? undefined : attribute(part, by.toLowerCase())
  if (told === undefined) return milliseconds
  const said = /=\{?"?\s*([^"{}]*?)\s*"?\}?$/.exec(text.slice(told.start, told.end))?.[1] ?? ''
  return lengthOf(text, said)?.milliseconds ?? null
}

/** A part that stands before the page and goes by itself when its time is over. */
function inPart({ page, site }: View): Found | null {
  for (const part of elementsIn(page.root)) {
    const waits = SPLASH.test(part.tag) ? site?.parts[plain(part.tag)]?.waits : undefined
    if (waits == null || waits.calls !== null || isInCode(part)) continue
    // What is returned alone stands in for something that is not there yet.
    const isBeside = part.parent !== null && part.parent.parent !== null && besides(part).length > 1
    const isTold = part.attributes.every(({ name }) => name === waits.by?.toLowerCase() || name === 'class')
    const milliseconds = lengthAt(page, part, waits)
    if (isBeside && isTold && part.children.length === 0 && milliseconds !== null)
      return {
        milliseconds,
        changes: [removeWith(lineBreakBefore(page, part), part)],
        anchor: anchorOf(part, 'loading screen'),
      }
  }
  return null
}

/** Whether a file may show something before its page. */
export const mayWait = ({ page }: View): boolean =>
  isWhere(page) && elementsIn(page.root).some(({ tag }) => SPLASH.test(tag))

/**
 * A loading screen or splash that waits for nothing but a timer: the page is there at once. Writes no text. Not where data, fonts, pictures, who one is or anything else has to
 * come first, not in apps that are installed, nor where it is shown for less than a moment.
 */
export function* pageAtOnce(view: View): Generator<Idea> {
  const { page } = view
  if (!isWhere(page)) return
  const found = inState(view) ?? inPart(view)
  if (found === null || found.milliseconds < MIN_WAIT) return
  yield {
    mechanism: 'friction',
    pattern: 'page-at-once',
    name: `Show the page at once, without ${inSeconds(found.milliseconds)} of a loading screen`,
    anchor: found.anchor,
    topics: ['loading screen', 'splash', 'preloader', 'start page'],
    arms: [{ name: 'Page at once', changes: found.changes, says: null }],
    audience: 'visitors who arrive',
    change: `showing the page at once, and not after ${inSeconds(found.milliseconds)} of a loading screen that waits for nothing,`,
    because: 'each second in which nothing can be read costs some of those who came',
    ...aimOf(view, isStartPage(page.path)),
    // What other files time to come after it would come as late as ever.
    effect: DELAYED.test(page.text) ? 1 : 2,
  }
}
