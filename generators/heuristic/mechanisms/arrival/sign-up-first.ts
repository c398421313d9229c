import { escaped } from '../../../words.js'
import type { Change } from '../../edits.js'
import type { Door, Idea, View } from '../../idea.js'
import {
  attribute,
  type Element,
  elementsIn,
  given,
  isInCode,
  type Page,
  wordsIn,
} from '../../markup/tree.js'
import { isAt } from '../../pages-at.js'
import { programOf } from '../../reach.js'
import { isEmail, isField, isPassword } from '../../surface.js'
import { nameOf, plain } from '../../uses.js'
import { type State, startWith, statesOf, stringIn, withoutRemarks, withString } from '../choice/state.js'
import { isStartPage, opensSite } from '../opening/hero.js'
import { effectsOf } from './timers.js'

const SIGN_IN_VALUE = /^(log-?in|sign-?in|sign_in|log_in|anmelden|connexion|acceso)$/i
const SIGN_UP_VALUE =
  /^(sign-?up|sign_up|register|registration|registrieren|create(-?account)?|inscription|registro)$/i
const SIGNS_IN = /^(is|show)?(log-?in|sign-?in)(mode|view|form|active)?$/i
const SIGNS_UP = /^(is|show)?(sign-?up|register|registering|registration|new-?user)(mode|view|form|active)?$/i
const VIEW = /^(auth|form|active|current)?(mode|view|tab|form|screen|panel|type)$/i

/** How a page begins with signing in, and what in it leads from the one to the other and back. */
interface Begin {
  state: State | null
  changes: Change[]
  isSwitched: boolean
}

/** What is pressed on a page, as its attributes have it. */
const pressedIn = ({ root, text }: Page): string =>
  elementsIn(root)
    .flatMap(({ attributes }) => attributes)
    .filter(({ name }) => /^(on[a-z:]+$|@|v-on:)/i.test(name))
    .map(({ start, end }) => text.slice(start, end))
    .join('\n')

/** Whether what is pressed sets a state to each of some values. */
function isSetTo(page: Page, { name, setter }: State, values: readonly string[]): boolean {
  const pressed = pressedIn(page)
  const own = escaped(name)
  const sets = setter === null ? `\\b${own}(?:\\.value)?\\s*=\\s*` : `\\b${setter}\\(\\s*`
  return values.every((value) => new RegExp(`${sets}${value}(?![\\w=])`).test(pressed))
}

/** Whether what is always in sight turns a state round. */
function isTurned(page: Page, { name, setter }: State): boolean {
  const own = escaped(name)
  const turns =
    setter === null
      ? new RegExp(`\\b${own}(?:\\.value)?\\s*=\\s*!\\s*${own}\\b`)
      : new RegExp(`\\b${setter}\\(\\s*(!\\s*${own}\\b|\\(?(\\w+)\\)?\\s*=>\\s*!\\s*\\2\\b)`)
  return elementsIn(page.root).some(
    (one) =>
      !isInCode(one) &&
      one.attributes.some(
        ({ name: called, start, end }) =>
          /^(on:?click$|@click|v-on:click)/i.test(called) && turns.test(page.text.slice(start, end)),
      ),
  )
}

function inState(page: Page): Begin | null {
  for (const state of statesOf(page)) {
    const isIn = SIGNS_IN.test(state.name) && state.says === 'true'
    const isUp = SIGNS_UP.test(state.name) && state.says === 'false'
    if (isIn || isUp)
      return {
        state,
        changes: [startWith(state, isIn ? 'false' : 'true')],
        isSwitched: isTurned(page, state) || isSetTo(page, state, ['true', 'false']),
      }
    const own = stringIn(state.says)
    if (own === null || !SIGN_IN_VALUE.test(own) || !VIEW.test(state.name)) continue
    const other = [...page.text.matchAll(/["']([\w-]+)["']/g)].find(([, word = '']) =>
      SIGN_UP_VALUE.test(word),
    )?.[1]
    if (other === undefined) continue
    return {
      state,
      changes: [startWith(state, withString(state.says, other))],
      isSwitched:
        isSetTo(page, state, [`["']${own}["']`, `["']${other}["']`]) ||
        tabsOf(page).some((tabs) => isTied(page, tabs, state.name) && hasBoth(tabs, own, other)),
    }
  }
  return null
}

const tabsOf = ({ root }: Page): Element[] => elementsIn(root).filter(({ name }) => name === 'tabs')

const isTied = ({ text }: Page, tabs: Element, name: string): boolean =>
  new RegExp(`\\b(value|v-model)=["{]\\s*${escaped(name)}\\s*["}]`).test(
    text.slice(tabs.start, text.indexOf('>', tabs.start)),
  )

/** Whether tabs for two values stand in sight. */
const hasBoth = (tabs: Element, ...values: readonly string[]): boolean =>
  values.every((value) =>
    elementsIn(tabs).some(
      (one) => /trigger|^tab$/i.test(one.name) && given(one, 'value') === value && !isInCode(one),
    ),
  )

function inTabs(page: Page): Begin | null {
  for (const tabs of tabsOf(page)) {
    const preset = attribute(tabs, 'defaultvalue') ?? attribute(tabs, 'default-value')
    const own = preset?.value ?? ''
    if (preset?.own == null || !SIGN_IN_VALUE.test(own)) continue
    const other = elementsIn(tabs)
      .map((one) => given(one, 'value') ?? '')
      .find((value) => SIGN_UP_VALUE.test(value))
    if (other === undefined) continue
    return {
      state: null,
      changes: [{ ...preset.own, text: other, unit: tabs }],
      isSwitched: hasBoth(tabs, own, other),
    }
  }
  return null
}

const beginOf = (page: Page): Begin | null => inState(page) ?? inTabs(page)

/** What reads the address that one came by. */
const READS =
  /search_?params|\blocation\.(search|hash|state)|\b(route|router)\.(query|params|hash)|\$route\b|\bpage\.url|\$page\b|\buseParams\b|\bstate\?*\.(mode|tab|view)/i
/** What tells where one goes on afterwards, or what went wrong before: it sets no view. */
const GOES_ON =
  /^(redirect\w*|redirect_to|return\w*|next|from|callback\w*|error\w*|message|utm_\w+|ref|plan|email|code)$/i

/** Whether the page is told by its address, or by code when it is there, with what it begins. */
function isToldOtherwise(page: Page, state: State | null): boolean {
  const sets =
    state === null
      ? null
      : new RegExp(`\\b(${state.setter ?? `${escaped(state.name)}(\\.value)?\\s*=(?!=)`})`)
  if (sets !== null && effectsOf(page).some((one) => sets.test(one.code))) return true
  const code = withoutRemarks(page)
  if (!READS.test(code)) return false
  const asked = [
    ...code.matchAll(/\.(?:get|has)\(\s*["'`]([\w-]+)["'`]|\bquery\??\.(\w+)|\bstate\??\.(\w+)/g),
  ].map(([, one, other, third]) => one ?? other ?? third ?? '')
  return asked.length === 0 || asked.some((one) => !GOES_ON.test(one))
}

/** Code by which an account is really made. */
const MAKES =
  /\b\w*(signUp|sign_up|register|createUser|createAccount|registrieren|inscri\w*|registr\w*)\w*\s*\(|["'`][^"'`\s]*\/(sign-?up|register|registration)["'`]|action=["'{][^"'}]*(sign-?up|register)/i

/** Where accounts are made by those who run the site, or for those who were asked to come. */
const OTHERS =
  /\b(invit\w*|einlad\w*|eingeladen|staff|employees?|mitarbeiter\w*|personal|administra\w*|back ?office|client portal|kundenportal|espace client|access code|zugangscode)\b/i
const OTHERS_PATH =
  /(^|[/_.-])(admin\w*|staff|portal|clients?|kunden\w*|partners?|vendors?|intern\w*|dashboard|invit\w*|employees?|team|agents?|checkout|components\/ui)([/_.-]|$)/i

const FORM_NAME = /^(auth|login|signin|account)(form|card|client|content|tabs|panel)?(page|view|screen)?$/

/** Whether a file is the page at an address, or the form that it is made of, by its name. */
function isAtDoor(href: string, path: string): boolean {
  if (isAt(href, '', path)) return true
  const name = plain(nameOf(path))
  const last = plain(href.split('/').at(-1) ?? '')
  return last !== '' && name.startsWith(last) && FORM_NAME.test(name)
}

/** Whether a page may begin with signing in though newcomers are led to it. */
export const mayBeginInside = ({ page }: View): boolean =>
  elementsIn(page.root).some(isPassword) && beginOf(page) !== null

/** The words that lead newcomers to a page; `null` where more words lead those there who have an account. */
function newcomersTo({ page, site }: View): (Door & { path: string }) | null {
  const doors = (site?.doors ?? []).filter(
    ({ href, path }) => programOf(path) === programOf(page.path) && isAtDoor(href, page.path),
  )
  const newcomers = doors.filter(({ isForNewcomers }) => isForNewcomers)
  if (newcomers.length * 2 < doors.length) return null
  const seen = newcomers.find(({ path }) => opensSite(path) || isStartPage(path) || ON_MANY.test(path))
  // What one page further in says is not what most come by.
  return seen ?? (newcomers.length === doors.length ? (newcomers[0] ?? null) : null)
}

/** Files whose links many pages show. */
const ON_MANY = /(^|[/_.-])(header|nav\w*|\w*footer|top-?bar|layout|hero|cta|pricing)(?=[/_.-]|$)/i

const SIGN_UP_PAGE =
  /\/(sign-?up|register|registration|create-?account|registrieren|inscription|registro|crear-?cuenta)\/?$/i

/**
 * A page on which one signs in or signs up, which begins with signing in though the site's own calls to begin lead there: it begins with signing up, and those who have an account
 * switch with one press. Writes no text. Not where the address or the page that shows it says with what it begins, where another page is for signing up, where more links for
 * those who have an account lead there, nor where accounts are made by others.
 */
export function* signUpFirst(view: View): Generator<Idea> {
  const { page, site } = view
  if (site === null || OTHERS_PATH.test(page.path) || OTHERS.test(wordsIn(page.root))) return
  const fields = elementsIn(page.root).filter(isField)
  if (!fields.some(isPassword) || !fields.some(isEmail)) return
  const begin = beginOf(page)
  if (begin === null || !begin.isSwitched || isToldOtherwise(page, begin.state) || !MAKES.test(page.text))
    return
  const door = newcomersTo(view)
  if (door === null || site.links.some(({ href }) => SIGN_UP_PAGE.test(href))) return
  yield {
    mechanism: 'default choice',
    pattern: 'sign-up-first',
    name: `Begin with signing up where “${door.label}” leads`,
    anchor: 'code "sign in or sign up"',
    topics: ['sign up', 'sign in', 'account', 'form', door.label],
    arms: [{ name: 'Signing up first', changes: begin.changes, says: null }],
    audience: `visitors who press “${door.label}” and have no account yet`,
    change: `beginning ${door.href} with signing up, and not with signing in, which stays one press away,`,
    because:
      'who wants to begin and is asked for a password that they do not have looks for the way on, or leaves',
    goal: 'sign up',
    effect: 4,
    evidence: [{ path: door.path, says: door.label }],
  }
}
