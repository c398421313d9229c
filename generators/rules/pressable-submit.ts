// Evidence: a button that is disabled until a form is complete does not say what it waits for; the GOV.UK
// Design System advises against it, because such buttons confuse people, have poor contrast and get no
// focus. Admitted because one file shows the condition, and that pressing the button says what is missing.
import { type CtaPurpose, PURPOSES } from '../lexicon/lexicon.js'
import { type Condition, codeOf, type Decisions, decisionsOf, partsOf } from '../page/conditions.js'
import type { PageChange } from '../page/edits.js'
import { type Form, labelOf, wordsOfCode } from '../page/forms.js'
import { type Attribute, attribute, elementsIn, has, type PageElement, type PageTree } from '../page/tree.js'
import { quoted } from './place-words.js'
import type { PageContext, ProposalRule } from './rule.js'

const BUTTON = /^[\w-]*(button|btn)$/
/** Something is under way, or the page is not ready. */
const IS_BUSY =
  /^(?!!(?!!|is\w*(hydrat|mount|ready)))\W{0,9}[\w$.]{0,60}?(submit|load|pend|send|sav|busy|process|progress|adding|post|creat|upload|confirming|placing|register|logg|working|fetching|paying|hydrat|mount|ready|status)[\w$.]{0,60}(\s*[!=]==?\s*["'\w]+)?$/i
/** The acts that count, and what people call the button that does them. */
const BUTTONS = {
  'sign up': 'the button of the sign-up form',
  quote: 'the button of the quote form',
  booking: 'the button that books',
  purchase: 'the button that orders',
  contact: 'the button of the contact form',
  cart: 'the button that adds to the cart',
  subscribe: 'the button of the newsletter',
} as const
const GOALS = PURPOSES.filter((one): one is keyof typeof BUTTONS => one in BUTTONS)
const OF_STAFF =
  /admin|manage|employee|settings|profile|account|career|job|chat|review|dashboard|staff|business|onboard/i

/** A library that checks a form when it is sent, and shows its errors. */
const OF_LIBRARY = /^!([\w.]+\.)?(isValid|dirty|isDirty|meta\.valid)$/
const BY_LIBRARY = /\bhandleSubmit\(|<Formik\b|\buseFormik\(/
const SHOWS_ERRORS = /\berrors[.[]|<(ErrorMessage|FormMessage)\b/
/** Nothing that visitors can fill in. */
const OF_SHOP = /avail|stock|sold|stripe|elements|limit|attempt|minimum/i

/** The code that keeps the value of a field: `value={form.name}`, `v-model="name"`, `bind:value={name}`. */
const BOUND = /\b(?:value|checked)=\{([\w$.?]+)\}|\bv-model(?:\.\w+)*="([\w$.]+)"/
const NAMES = /[A-Za-z_$][\w$]*(\??\.[\w$]+)*/g

const isNamed = (name: string, code: string): boolean =>
  new RegExp(`(?<![\\w$.-])${name.replace(/[$.?]/g, '\\$&')}(?![\\w$-])`).test(code)

/** The code to which the fields of a form are bound that the browser asks for. */
function demandedIn({ element: form, fields }: Form, { text }: PageTree): string[] {
  return !/^(motion\.)?form$/.test(form.tag) || has(form, 'novalidate')
    ? []
    : fields.flatMap(({ element }) => {
        const [, one, other] = BOUND.exec(text.slice(element.start, element.end)) ?? []
        return has(element, 'required') && /^[a-z]/.test(element.tag) ? [one ?? other ?? ''] : []
      })
}

/** The code that runs if a form is sent, or a button pressed. */
function handlerOf(page: PageTree, element: PageElement, event: 'submit' | 'click'): string | null {
  const named = new RegExp(`^(on:?|@|v-on:)${event}\\b`, 'i')
  const handler = element.attributes.find(({ start, end }) => named.test(page.text.slice(start, end)))
  return handler === undefined ? null : codeOf(page, handler)
}

interface Pressed {
  told: readonly Condition[]
  demanded: readonly string[]
  byLibrary: boolean
  decisions: Decisions
}

/** Whether people learn of a condition if they press the button. */
function isTold(condition: Condition, pressed: Pressed, depth = 0): boolean {
  const { told, demanded, byLibrary, decisions } = pressed
  if (told.includes(condition) || (byLibrary && OF_LIBRARY.test(condition))) return true
  const field = /^!([\w$.]+?)(\.trim\(\))?$/.exec(condition)?.[1]
  if (field !== undefined && demanded.includes(field)) return true
  const name = condition.replace(/^!/, '')
  const value = depth < 3 && /^[\w$]+$/.test(name) ? decisions.valueOf(name, name === condition) : null
  return value !== null && value.length > 0 && value.every((one) => isTold(one, pressed, depth + 1))
}

interface Pressing {
  element: PageElement
  disabled: Attribute
  form: Form | undefined
  handler: string
}

/** The parts of the condition that stay, `null` if people would not learn what is missing. */
function remaining({ element, disabled, form, handler }: Pressing, page: PageTree): string[] | null {
  const parts = partsOf(codeOf(page, disabled) ?? '')
  const missing = parts?.filter(({ source }) => !IS_BUSY.test(source)) ?? []
  if (parts === null || missing.length === 0) return null
  const names = missing.flatMap(({ source }) => source.match(NAMES) ?? [])
  // Its look or its label depends on the same, or a text beside it says it already.
  const same = attribute(element, 'aria-disabled')
  const [hidden, shown] = [
    page.text.slice(same?.start, same?.end),
    page.text.slice(element.start, element.end),
  ]
  const rest = shown
    .replace(page.text.slice(disabled.start, disabled.end), '')
    .replace(same === undefined ? '' : hidden, '')
  const isSaid = (name: string): boolean =>
    new RegExp(`(\\{#if |\\{|v-if=")\\s*!?${name.replace(/[$.?]/g, '\\$&')}\\s*(&&|\\?[^.]|\\}\\s*<|")`).test(
      page.text,
    )
  if (
    names.some((name) => isNamed(name, rest) || OF_SHOP.test(name) || (/^[\w$]+$/.test(name) && isSaid(name)))
  )
    return null
  const decisions = decisionsOf(page)
  const pressed: Pressed = {
    told: decisions.toldBy(handler),
    demanded: form === undefined ? [] : demandedIn(form, page),
    byLibrary: BY_LIBRARY.test(page.text) && SHOWS_ERRORS.test(page.text),
    decisions,
  }
  const areTold = missing.every(({ conditions }) => conditions.every((one) => isTold(one, pressed)))
  return areTold ? parts.filter((one) => !missing.includes(one)).map(({ source }) => source) : null
}

/** The attribute with the rest of its condition, or without it. An attribute that repeats it goes. */
function changesOf(page: PageTree, unit: PageElement, rest: readonly string[]): PageChange[] {
  return ['disabled', 'aria-disabled'].flatMap((name) => {
    const found = attribute(unit, name)
    const code = found === undefined ? null : codeOf(page, found)
    if (found === undefined || code === null) return []
    const { start, end } = found
    const before = page.text.slice(0, start).trimEnd().length
    return name === 'disabled' && rest.length > 0
      ? [{ start, end, text: page.text.slice(start, end).replace(code, () => rest.join(' || ')), unit }]
      : [{ start: before, end, text: '', unit }]
  })
}

export const pressableSubmit: ProposalRule = {
  ruleId: 'pressable-submit',
  why: 'A button that cannot be pressed does not say what is missing, and people who miss one field give up.',
  *find({ page, forms, actions }: PageContext) {
    if (page.dialect === 'html' || OF_STAFF.test(page.path)) return
    for (const element of elementsIn(page.root)) {
      const disabled = attribute(element, 'disabled')
      if (!BUTTON.test(element.name) || disabled === undefined || disabled.own !== null) continue
      const form = forms.find(({ submit }) => submit === element)
      const sent = form === undefined ? null : handlerOf(page, form.element, 'submit')
      const handler = sent ?? handlerOf(page, element, 'click')
      const isFormik = form !== undefined && /<Formik\b/.test(page.text)
      if (handler === null && !isFormik) continue
      const words = wordsOfCode(/[\w$]{4,}/.exec(handler?.replace(/\b(async|event)\b/g, '') ?? '')?.[0] ?? '')
      const act: CtaPurpose | null | undefined =
        form?.purpose ??
        actions.find((one) => one.element === element)?.purpose ??
        GOALS.find((one) => BY_NAME[one].test(words))
      const goal = GOALS.find((one) => one === act)
      const rest =
        goal === undefined
          ? null
          : remaining(
              { element, disabled, form: sent === null ? undefined : form, handler: handler ?? '' },
              page,
            )
      if (goal === undefined || rest === null) continue
      const label = labelOf(element)
      const said = label === '' ? BUTTONS[goal] : quoted(label)
      yield {
        mechanism: 'friction',
        name: `Let people press ${said} and see what is missing`,
        anchor: `${element.tag} "${label}"`,
        topics: [label, form?.heading ?? '', goal, 'form', 'button'],
        displayName: 'Can be pressed at any time',
        says: null,
        changes: changesOf(page, element, rest),
        change: `${said} can be pressed at any time, and the page then says what is still missing`,
        goal,
        because: 'a button that is grey without a word leaves people to guess what it waits for',
        effect: 4,
      }
    }
  },
}

/** Names of handlers, which are English everywhere. */
const BY_NAME = {
  'sign up': /\b(sign up|register)\b/i,
  quote: /\bquote\b/i,
  booking: /\b(book|booking|reserve|reservation|appointment)\b/i,
  purchase: /\b(checkout|order|pay|buy|purchase)\b/i,
  contact: /\bcontact\b/i,
  cart: /\badd to (cart|bag|basket)\b/i,
  subscribe: /\bsubscribe\b/i,
} as const
