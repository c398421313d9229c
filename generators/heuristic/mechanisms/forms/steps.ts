import { insertAt, reword } from '../../edits.js'
import type { Idea, View } from '../../idea.js'
import { attribute, elementsIn, given, wordsIn } from '../../markup/tree.js'
import {
  anchorOf,
  bare,
  type Form,
  isField,
  isPassword,
  isTrap,
  labelOf,
  namesOf,
  ownHeading,
  saidOn,
} from '../../surface.js'
import { type Language, likeControl } from '../../words/language.js'
import { SENDS, STEPS, VAGUE_SUBMIT } from '../../words/phrases.js'

export function* steps(view: View): Generator<Idea> {
  for (const form of view.forms) {
    if (form.purpose === 'search') continue
    if (view.language !== null) {
      yield* stepNamesNext(view, form, view.language)
      yield* sendNamesThing(view, form, view.language)
    }
    yield* letBrowsersFill(form)
    yield* codeFromMessage(view, form)
    yield* alwaysPressable(view, form)
  }
}

/** Addresses that the code of a page goes to. */
const GOES =
  /(?:\.push|\.replace|navigate|navigateTo|goto|redirect|router\.push)\(\s*(?:\{\s*(?:path|name)\s*:\s*)?["'`]\/?([\w/-]+)["'`]/g

/**
 * A step's button that only says that it goes on, where the code goes to one next page whose address says what it is: the button names it. Not where it goes to
 * several, nor for labels that name a step already.
 */
function* stepNamesNext({ page }: View, { submit, heading }: Form, language: Language): Generator<Idea> {
  const label = submit === null ? null : labelOf(submit)
  const { continues, to } = STEPS[language]
  if (submit === null || label === null || !continues.test(bare(label.value))) return
  const targets = new Set(
    [...page.text.matchAll(GOES)].map(([, address = '']) => address.split('/').at(-1)?.toLowerCase() ?? ''),
  )
  const [next, ...more] = targets
  const found = more.length > 0 ? undefined : to.find(({ is }) => is.test(next ?? ''))
  if (found === undefined) return
  const said = likeControl(label.value, found.says, language)
  const change = reword(page, label, said)
  if (change === null) return
  yield {
    mechanism: 'specificity',
    pattern: 'step-names-next',
    name: `Name the next step on the button: “${said}”`,
    anchor: anchorOf(submit),
    topics: ['form', 'step', 'checkout', 'button', heading, next ?? ''],
    arms: [{ name: said, changes: [change], says: said }],
    audience: `visitors who fill in ${heading === '' ? 'this step' : `“${heading}”`}`,
    change: `labelling its button “${said}” in place of “${label.value}”`,
    because: 'who sees what comes next, and how near the end is, is less likely to stop on the way',
    goal: 'purchase',
    effect: 3,
  }
}

/** Where one writes to and fro: each answer is another thing. */
const TALKS = /conversation|message|chat|thread|repl(y|ies)|inbox|ticket/i

/**
 * A form that sends a review, a comment or the like, as its own heading or its fields say, and whose button only says that something is sent. Not where they
 * name two of them, nor in conversations.
 */
function* sendNamesThing(view: View, form: Form, language: Language): Generator<Idea> {
  const { submit, purpose, element, fields } = form
  const heading = ownHeading(element)
  const label = submit === null ? null : labelOf(submit)
  if (submit === null || label === null || purpose !== null || TALKS.test(view.page.path)) return
  if (!VAGUE_SUBMIT[language].has(bare(label.value))) return
  const about = `${heading} ${fields.map(namesOf).join(' ')}`
  const found = SENDS[language].filter(({ is }) => is.test(about))
  const [only, ...more] = found
  if (only === undefined || more.length > 0) return
  const said = likeControl(label.value, only.says, language)
  const change = reword(view.page, label, said)
  if (change === null) return
  yield {
    mechanism: 'clarity',
    pattern: 'send-names-thing',
    name: `Say what “${label.value}” sends: “${said}”`,
    anchor: anchorOf(submit),
    topics: ['form', 'button', heading, only.says],
    arms: [{ name: said, changes: [change], says: said }],
    audience: `visitors who have come to ${heading === '' || heading.length > 50 ? 'this form' : `“${heading}”`}`,
    change: `labelling its button “${said}” in place of “${label.value}”`,
    because: 'a label that names the outcome leaves less doubt at the moment of sending',
    goal: 'send',
    effect: 1,
  }
}

/** What is typed anew each time, so that filling it in is rightly shut off. */
const NEVER_FILLED = /captcha|one-?time|otp|code|token|cvc|cvv|search|such|recherch|busca|message|comment/

/**
 * Fields of a person in which the site shuts off what browsers fill in by themselves. Writes no text. Not for passwords, codes and what is written anew each time,
 * nor for forms that change somebody else's data.
 */
function* letBrowsersFill(form: Form): Generator<Idea> {
  const { element, fields, purpose, heading } = form
  if (!['sign up', 'checkout', 'contact', 'subscribe'].includes(purpose ?? '')) return
  const shut = [element, ...fields].flatMap((one) => {
    const own = attribute(one, 'autocomplete')
    if (own?.value !== 'off' || own.own === null) return []
    if (one !== element && (isPassword(one) || NEVER_FILLED.test(namesOf(one)))) return []
    return [{ one, own }]
  })
  if (shut.length === 0) return
  // What holds for a whole form would hold for the traps in it.
  const traps = elementsIn(element).filter((one) => isField(one) && isTrap(one))
  if (shut.some(({ one }) => one === element) && traps.length > 0) return
  yield {
    mechanism: 'friction',
    pattern: 'autofill-allowed',
    name: `Let browsers fill in what the form shuts off (${purpose ?? 'form'})`,
    anchor: anchorOf(element, `autocomplete ${shut.length}`),
    topics: ['form', 'autofill', purpose ?? '', heading],
    arms: [
      {
        name: 'Filled in by browsers',
        changes: shut.map(({ one, own }) => ({
          start: own.own?.start ?? own.start,
          end: own.own?.end ?? own.end,
          text: 'on',
          unit: one,
        })),
        says: null,
      },
    ],
    audience: `visitors who fill in the ${purpose ?? ''} form, on phones above all`,
    change: `allowing browsers to fill in ${shut.length === 1 ? 'what' : `${shut.length} fields that`} \`autocomplete="off"\` shuts off`,
    because: 'what need not be typed is neither mistyped nor a reason to stop',
    goal: purpose === null ? 'send' : purpose === 'checkout' ? 'purchase' : purpose,
    effect: 1,
  }
}

const SENT_CODE =
  /\b(otp|one-?time|verif\w*.?code|code.?(de.)?verif\w*|bestätigungscode|verification|código)\b/i

/**
 * A field for a code that was sent to a phone or an address: phones offer it from the message, with keys for digits. Writes no text. Only where the field or its file says
 * that the code was sent; not where somebody has said what the field is, nor for components that may not hand it on.
 */
function* codeFromMessage({ page }: View, { element, fields, heading }: Form): Generator<Idea> {
  const [field, ...more] = fields
  if (field === undefined || more.length > 0 || !/^(input|Input|TextInput|TextField)$/.test(field.tag)) return
  if (attribute(field, 'autocomplete') !== undefined || !/\bcode\b/i.test(namesOf(field))) return
  const about = `${namesOf(field)} ${heading} ${wordsIn(element)} ${page.path.replace(/([a-z])([A-Z])/g, '$1 $2')}`
  if (!SENT_CODE.test(about) || page.text.slice(field.start, field.end).includes('{...')) return
  const type = given(field, 'type')
  if (type !== null && !/^(text|tel|number)$/.test(type)) return
  const isJsx = page.dialect === 'jsx'
  const own = ` ${isJsx ? 'autoComplete' : 'autocomplete'}="one-time-code"`
  const digits =
    attribute(field, 'inputmode') === undefined ? ` ${isJsx ? 'inputMode' : 'inputmode'}="numeric"` : ''
  const isNumber = /\b(digits?|ziffern?|chiffres?|dígitos?|numeric|\\d|number)\b/i.test(
    about + page.text.slice(field.start, field.end),
  )
  yield {
    mechanism: 'friction',
    pattern: 'code-from-message',
    name: 'Let phones offer the code that was sent',
    anchor: anchorOf(field),
    topics: ['form', 'code', 'verification', heading],
    arms: [
      {
        name: 'Offered by the phone',
        changes: [insertAt(field.start + 1 + field.tag.length, own + (isNumber ? digits : ''), field)],
        says: null,
      },
    ],
    audience: 'visitors who have been sent a code',
    change: 'telling browsers that the field is for a code from a message, so that phones offer it',
    because: 'a code that is pressed and not typed is neither mistyped nor looked for in another window',
    goal: 'sign up',
    effect: 1,
  }
}

const VALIDITY = /^\{?\s*!\s*(?:[\w$]+\.)*(?:is)?valid\s*\}?$|^\{?\s*[\w$.]*(?:\$invalid|invalid)\s*\}?$/i
const CHECKS = /\bhandleSubmit\(|@submit|onSubmit|on:submit/

/**
 * A button that cannot be pressed until all is right, in a form whose code checks when it is sent: it can be pressed, and the form says what is missing. Writes no
 * text. Not where it is shut for another reason, as while something is being sent.
 */
function* alwaysPressable({ page }: View, { submit, purpose, heading, fields }: Form): Generator<Idea> {
  if (submit === null || fields.filter(isField).length < 2 || !CHECKS.test(page.text)) return
  if (!['sign up', 'contact', 'checkout', 'subscribe'].includes(purpose ?? '')) return
  const shut = attribute(submit, 'disabled') ?? attribute(submit, ':disabled')
  if (shut === undefined) return
  const written = page.text.slice(shut.start, shut.end)
  const value = written
    .slice(written.indexOf('=') + 1)
    .trim()
    .replace(/^["']|["']$/g, '')
  if (!VALIDITY.test(value) || given(submit, 'type') === 'button') return
  const before = /\s*$/.exec(page.text.slice(0, shut.start))?.[0].length ?? 0
  yield {
    mechanism: 'friction',
    pattern: 'always-pressable',
    name: `Let “${saidOn(submit)}” be pressed before all is filled in`,
    anchor: anchorOf(submit),
    topics: ['form', 'button', 'error', purpose ?? '', heading],
    arms: [
      {
        name: 'Always pressable',
        changes: [{ start: shut.start - before, end: shut.end, text: '', unit: submit }],
        says: null,
      },
    ],
    audience: 'visitors who have left something out and do not see what',
    change: `keeping “${saidOn(submit)}” pressable, so that the form answers with what is missing (check that it does)`,
    because: 'a grey button says that something is wrong and not what',
    goal: purpose === null ? 'send' : purpose === 'checkout' ? 'purchase' : purpose,
    effect: 1,
  }
}
