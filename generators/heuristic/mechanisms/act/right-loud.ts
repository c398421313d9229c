import type { Change } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { attribute, besides, type Element, given, isInCode, type Page, wordsIn } from '../../markup/tree.js'
import { anchorOf, bare, cutAt, hrefOf, labelOf, OTHERS_SITES } from '../../surface.js'
import { type Hero, isAct } from '../opening/hero.js'
import { CALLS, kindOf, mainWays } from './ways.js'

/** How a class or a variant says that a button is the loud one, or a quieter one. */
const LOUD = /(?<=^|[\s_-])(primary|filled|solid|default)(?=\s|$)/
const QUIET = /(?<=^|[\s_-])(outlined?|secondary|ghost|tertiary)(?=\s|$)/
/** What one asks for where a site is there to be asked; to see what there is may be what a shop wants most. */
const REQUESTS =
  /devis|quote|angebot|anfrag|buch|reserv|réserv|\bbook|termin|rendez|appointment|sign up|regist|join|anmeld|inscri|presupuesto|cita|demo/i
const SHOWS_GOODS =
  /collection|kollektion|colecci|shop|boutique|catalog|katalog|products?|produ[ik]t|tienda|store/i

/** The attribute by which buttons differ in nothing but how loud they are; `null` where they differ in more. */
function lookOf(loud: Element, quiet: Element): 'class' | 'variant' | null {
  const differs = (name: string): boolean => {
    const [a, b] = [given(loud, name) ?? '', given(quiet, name) ?? '']
    return LOUD.test(a) && QUIET.test(b) && a.replace(LOUD, '') === b.replace(QUIET, '')
  }
  const isSame = (name: string): boolean => given(loud, name) === given(quiet, name)
  if (differs('class') && isSame('variant')) return 'class'
  return differs('variant') && isSame('class') ? 'variant' : null
}

/** Each in the other's place, with the look that stands there; `null` where that is not written in full. */
function swapped({ text }: Page, first: Element, second: Element, look: string): Change[] | null {
  const [a, b] = [attribute(first, look)?.own, attribute(second, look)?.own]
  if (a == null || b == null) return null
  const put = (
    one: Element,
    own: { start: number; end: number },
    by: { start: number; end: number },
  ): string => text.slice(one.start, own.start) + text.slice(by.start, by.end) + text.slice(own.end, one.end)
  return [
    { start: first.start, end: first.end, text: put(second, b, a), unit: first },
    { start: second.start, end: second.end, text: put(first, a, b), unit: second },
  ]
}

/**
 * An opening whose loud button leads aside, beside a quieter one for what the site asks for most: the two change places and looks. Not where the loud one asks for something too or shows
 * what is sold, where more are loud, nor where they differ in more than how loud they are.
 */
export function* rightLoud(view: View, { title, ways }: Hero): Generator<Idea> {
  const { page, site } = view
  const start = site?.openings[page.path]?.page
  const [loud, ...more] = ways.filter((one) =>
    LOUD.test(`${given(one, 'class') ?? ''} ${given(one, 'variant') ?? ''}`),
  )
  if (start === undefined || loud === undefined || more.length > 0 || isInCode(loud)) return
  const href = hrefOf(loud)
  const words = wordsIn(loud)
  if (href === null || kindOf({ href }) !== null || CALLS.test(bare(words)) || isAct(loud)) return
  if (SHOWS_GOODS.test(`${href} ${words}`) || OTHERS_SITES.test(href) || labelOf(loud) === null) return
  const row = besides(loud)
  const asks = ways.filter(
    (one) =>
      row.includes(one) &&
      one !== loud &&
      labelOf(one) !== null &&
      CALLS.test(bare(wordsIn(one))) &&
      REQUESTS.test(wordsIn(one)) &&
      kindOf({ href: hrefOf(one) ?? '' }) !== null,
  )
  const [act, second] = asks
  const wanted = act === undefined ? null : hrefOf(act)
  if (act === undefined || wanted === null || second !== undefined) return
  if (!mainWays(view, start).some((one) => one.href === wanted)) return
  const look = lookOf(loud, act)
  const changes = look === null ? null : swapped(page, loud, act, look)
  if (changes === null) return
  const said = wordsIn(act)
  yield {
    mechanism: 'order',
    pattern: 'right-one-loud',
    name: `Make “${said}” the loud button of the opening in place of “${words}”`,
    anchor: anchorOf(act, `${said} for ${words}`),
    topics: ['hero', 'call to action', 'button', said, words],
    arms: [{ name: `“${cutAt(said, 40)}” loud`, changes, says: null }],
    audience: 'visitors who see the opening of the start page',
    change: `having “${said}” (${wanted}), to which most buttons of the site lead, and “${words}” (${href}) change places and looks below “${cutAt(wordsIn(title), 60)}”`,
    because:
      'the loud button is taken for the next step, and now leads past what the site asks for everywhere else',
    goal: 'click',
    when: `any link to ${wanted} is pressed, in all variants`,
    effect: 4,
  }
}
