import type { Change } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { above, type Element, elementsIn, given, textsIn } from '../../markup/tree.js'
import { anchorOf, type Form, isButton, isField, isPassword, namesOf, ownNamesOf } from '../../surface.js'
import { countOf, goalOfForm, theForm } from './called.js'
import { readInstead } from './read-instead.js'
import { removalsOf } from './removal.js'

export const AGAIN =
  /confirm|repeat|again|re-?(enter|type)|password_?2|pass_?2|wiederhol|bestätig|best[aä]etig|répét|repet|encore/i
const MODEL = /\bv-model(?:\.\w+)*="([\w.]+)"|\bbind:value=\{([\w.]+)\}|\bvalue=\{([\w.]+)\}/

const CHANGES =
  /(^|[/_.\s-])(account|settings?|profile|dashboard|reset|forgot|change|update)|(new|old|current)_?-?pass/i
const MAKES = /regist|sign-?up|join|inscri|konto-?(anlegen|erstellen)/i
/** Whether a server is sent all that has a name. */
const SENDS_NAMES = /\b(action|method|use:enhance)\b/
const MODELS = /(?:v-model|bind:value=|value=)[^\s>]*/g

const MAIL_OR_ELSE = /!\s*[\w.]*e?mail\w*\s*&&\s*!|!\s*[\w.]+\s*&&\s*!\s*[\w.]*e?mail/i

/**
 * A password to be typed twice, where the page's own code compares the two: it is asked for once, and whoever reads the second reads the first. Not where a library or a
 * server is given all fields as they come, nor where nobody can set a forgotten one anew.
 */
export function* once(view: View): Generator<Idea> {
  for (const form of view.forms) yield* passwordOnce(view, form)
}

function* passwordOnce({ page }: View, form: Form): Generator<Idea> {
  const [first, second, ...more] = form.fields.filter(isPassword)
  if (form.purpose !== 'sign up' || first === undefined || second === undefined || more.length > 0) return
  // Who is invited is no newcomer to be won.
  if (/\[\w*(token|invit\w*|code|hash)\]|invit/i.test(page.path)) return
  // Whoever changes a password is signed in, and locked out by a slip.
  const place = MAKES.test(page.path) ? '' : page.path
  const models = page.text.slice(form.element.start, form.element.end).match(MODELS) ?? []
  if (CHANGES.test(`${place} ${form.fields.map(ownNamesOf).join(' ')} ${models.join(' ')}`)) return
  const modelOf = (field: Element): string | undefined =>
    MODEL.exec(page.text.slice(field.start, field.end))
      ?.slice(1)
      .find((one) => one !== undefined)
  const pair = { first: modelOf(first), second: modelOf(second) }
  if (!AGAIN.test(`${namesOf(second)} ${pair.second ?? ''}`)) return
  if (form.isDead && pair.first === undefined && pair.second === undefined) {
    yield* onceInKit(page, form, first, second)
    return
  }
  if (pair.first === undefined || pair.second === undefined || pair.first === pair.second) return
  // Where an address may be left out, nothing may be there to send a new one to.
  if (MAIL_OR_ELSE.test(page.text)) return
  const opening = page.text.slice(form.element.start, page.text.indexOf('>', form.element.start))
  if (given(second, 'name') !== null && (SENDS_NAMES.test(opening) || /new FormData\(/.test(page.text)))
    return
  const removed = removalsOf(page, form, [{ field: second, shown: aloneWith(second, form), isRead: false }])
  if (removed === null) return
  const read = readInstead(page, { first: pair.first, second: pair.second }, removed)
  if (read === null || isSpokenOf(page, removed)) return
  yield askedOnce(page, form, {
    first,
    changes: [...removed, ...read],
    how: 'without the second field that only the page itself compares,',
  })
}

/** That something is typed twice, as it is told to visitors. */
const SAYS_TWICE =
  /(?<!\p{L})(?:repeat(?:ed|ing)?|re-?(?:enter|type)|twice|wiederhol\p{L}*|zweimal|erneut|répét\p{L}*|deux fois|repet\p{L}*|dos veces)(?!\p{L})/iu
const IN_QUOTES = /(["'`])((?:(?!\1)[^\\\n<>{}]){4,160})\1/g
/** What is said where the two differ goes with the comparison. */
const DIFFERS =
  /match|mismatch|differ|identical|same|überein|unterschied|correspond|identique|différ|coincid|igual/i

/** Whether what is left of a page speaks of the second time, apart from what it says where the two differ. */
function isSpokenOf(page: View['page'], gone: readonly Change[]): boolean {
  const isGone = (start: number): boolean => gone.some((one) => one.start <= start && start < one.end)
  const isLeft = (words: string, start: number): boolean =>
    SAYS_TWICE.test(words) && !DIFFERS.test(words) && !isGone(start)
  return (
    textsIn(page.root).some((one) => isLeft(one.value, one.start)) ||
    (page.dialect !== 'html' &&
      [...page.text.matchAll(IN_QUOTES)].some(
        ({ 2: words = '', index }) => words.includes(' ') && isLeft(words, index),
      ))
  )
}

/** A form that nothing takes yet, nor compares: the second field alone goes. Not where code of the page has its name. */
function* onceInKit(page: View['page'], form: Form, first: Element, second: Element): Generator<Idea> {
  const removed = removalsOf(page, form, [{ field: second, shown: aloneWith(second, form), isRead: false }])
  if (removed === null) return
  const rest = removed.reduce(
    (text, { start, end }) => text.replace(page.text.slice(start, end), ''),
    page.text,
  )
  const names = ['id', 'name'].flatMap((name) => given(second, name) ?? [])
  if (names.some((name) => name !== '' && rest.includes(name))) return
  yield askedOnce(page, form, { first, changes: removed, how: 'without the second field,' })
}

/** Whether a password can be looked at while it is typed. */
const canBeShown = ({ text }: View['page'], { start, end }: Element): boolean =>
  /type=\{[^}]*\?|:type="[^"]*\?|PasswordInput|PasswordField/.test(text.slice(start, end))

/** The idea to ask for a password once, whoever compares the two. */
export function askedOnce(
  page: View['page'],
  form: Form,
  { first, changes, how }: { first: Element; changes: readonly Change[]; how: string },
): Idea {
  const isShown = canBeShown(page, first)
  return {
    mechanism: 'friction',
    pattern: 'password-once',
    name: `Ask for the password once in ${theForm(form, page.path)}`,
    anchor: anchorOf(form.element, `${countOf(form)} fields, password twice`),
    topics: ['form', 'password', 'sign up', form.heading],
    arms: [{ name: 'Password once', changes, says: null }],
    audience: 'visitors who make an account',
    change: `asking for the password once, ${how}`,
    because: isShown
      ? 'what can be looked at while it is typed need not be typed twice'
      : 'what is typed blindly twice is mistyped twice as often, and who mistypes once can set it anew, as the site offers',
    goal: goalOfForm(form),
    effect: 3,
    // Where it is typed blindly, whoever slips needs the mail.
    onlyWhere: isShown ? 'passwords are set anew' : 'passwords are mailed anew',
  }
}

/** A field with all that is there for it alone: its label, and what shows what is typed. */
export function aloneWith(field: Element, { element }: Form): Element {
  let shell = field
  for (const outer of above(field)) {
    const inner = elementsIn(outer)
    const hasOthers = inner.some((one) => isField(one) && one !== field)
    const sends = inner.some((one) => isButton(one) && given(one, 'type') !== 'button')
    if (outer === element || hasOthers || sends || /^(#code)?$/.test(outer.tag)) break
    shell = outer
  }
  return shell
}
