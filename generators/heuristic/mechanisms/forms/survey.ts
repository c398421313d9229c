import { childOf, listOf, type SourceNode, textOf } from '../../../../variants/script/syntax.js'
import { type Change, removeWith } from '../../edits.js'
import { allIn } from '../../form-flow.js'
import type { Idea, View } from '../../idea.js'
import {
  above,
  collapsed,
  type Element,
  elementAt,
  elementsIn,
  given,
  has,
  isUnder,
  type Page,
  textsIn,
  wordsIn,
} from '../../markup/tree.js'
import { scriptOf } from '../../script.js'
import { anchorOf, type Form, isButton, isField, isPassword } from '../../surface.js'
import { countOf, goalOfForm, theForm } from './called.js'
import { demandsOn } from './demands.js'
import { removalsOf } from './removal.js'
import { boundTo } from './sending.js'
import { takesEmpty } from './takes-empty.js'
import { callsOf } from './unread.js'

/** What the team would like to know of everybody who comes. */
const QUESTION =
  /\b(how|where) (did|have) you (first )?(hear|heard|find|found|learn|learned|discover|discovered)\b.{0,30}\b(us|about|of)\b|\bheard? about us\b|\bwie (haben sie|hast du|sind sie|bist du)\b.{0,30}\b(von uns|zu uns|auf uns|aufmerksam|gefunden)\b|\bwoher kenn(en|st)\b|\bcomment (nous )?(avez|as)-(vous|tu)\b.{0,30}(connu|découvert|trouvé|entendu)|\bcomment avez-vous (connu|découvert|entendu)|\bc[oó]mo (nos|has|te|supiste|supo|se) ?.{0,20}(conoci|encontr|enter|sab|sup|o[ií]do)/i
/** Forms for which it is no aside. */
const ABOUT_THAT =
  /survey|umfrage|encuesta|sondage|feedback|research|(^|[/_.-])(admin|staff|settings|account|profile)|careers?|\bjobs?\b|karriere|bewerb|candidat|empleo/i
const JOINS =
  /sign.?up|regist|join|inscri|anmeld|onboard|crear|créer|konto|book|reserv|buch|réserv|termin|order|checkout|bestell|command|pedido|quote|devis|angebot|cotiza|presupuesto|contact|kontakt|demo|request|trial|subscri|wait.?list/i
const OTHER = /^(other|others|autre|autres|otro|otros|otra|sonstige|sonstiges|andere|anderes)$/i

/**
 * A question of where people have heard of it, in a form by which they sign up, book, order or ask: taken out. Where the form insists on an answer, or what receives it is not
 * known, the answer “other” is sent, which the question itself offers; where there is none, the form has to be known to go through without.
 */
export function* survey(view: View): Generator<Idea> {
  if (!QUESTION.test(view.page.text)) return
  for (const form of view.forms) yield* withoutQuestion(view, form)
}

function* withoutQuestion(view: View, form: Form): Generator<Idea> {
  const { page } = view
  const { element, heading, purpose } = form
  const about = `${heading} ${page.path}`.replace(/([a-z])([A-Z])/g, '$1 $2')
  const isJoining =
    purpose === 'sign up' ||
    purpose === 'checkout' ||
    purpose === 'contact' ||
    (purpose === null && JOINS.test(`${about} ${wordsIn(element)}`))
  if (!isJoining || ABOUT_THAT.test(about)) return
  const [asked, ...more] = questionsIn(form)
  if (asked === undefined || more.length > 0 || asked.controls.length === 0) return
  const others = elementsIn(element).filter((one) => isField(one) && !asked.controls.includes(one))
  if (others.length < 2 && !others.some(isPassword)) return
  const answered = answeredAs(view, form, asked)
  if (answered === null) return
  const [first] = asked.controls
  if (first === undefined) return
  const taken = removalsOf(page, form, [{ field: first, shown: asked.shown, isRead: false }])
  const isInCode = ({ unit: { parent } }: Change): boolean =>
    parent !== null && 'tag' in parent && parent.tag === '#code'
  if (taken === null || (taken.some(isInCode) && page.dialect !== 'vue')) return
  const sent = answered.says === null ? '' : `, and sending “${answered.says}” for it`
  yield {
    mechanism: 'friction',
    pattern: 'without-survey',
    name: `Leave “${asked.says}” out of ${theForm(form, page.path)}`,
    anchor: anchorOf(element, `${countOf(form)} fields, ${asked.says}`),
    topics: ['form', 'fields', 'survey', purpose ?? '', heading, asked.says],
    arms: [
      {
        name: 'Without the question',
        changes: [...replaced(page, taken, asked.shown, answered.hidden), ...answered.changes],
        says: null,
      },
    ],
    audience: `visitors who fill in ${theForm(form, page.path)}`,
    change: `not asking “${asked.says}”${sent},`,
    because:
      'it is there for the team alone and one more thing to think about before the end (the team loses the answers of half the visitors, and could ask them afterwards)',
    goal: purpose === null && /sign.?up|regist|inscri/i.test(about) ? 'sign up' : goalOfForm(form),
    // Where one may go on without an answer, few stop.
    effect: isInsisted(page, asked) ? 3 : 2,
  }
}

interface Question {
  says: string
  controls: Element[]
  shown: Element
}

const isControl = (one: Element): boolean =>
  isField(one) ||
  (/(select|radio|radiogroup|checkbox|combobox|picker|choice|input)$/.test(one.name) &&
    !/hidden|submit|button/.test(given(one, 'type') ?? ''))

/** The questions of a form, each with what it is answered by and all that is there for it alone. */
function questionsIn({ element }: Form): Question[] {
  const found: Question[] = []
  for (const one of elementsIn(element)) {
    const own = given(one, 'label') ?? given(one, 'aria-label') ?? given(one, 'placeholder') ?? ''
    const isLabel = /label$|^legend$/.test(one.name)
    const says = isLabel ? askedBy(one) : own
    if (!QUESTION.test(says) || says.length > 80 || (!isLabel && !isControl(one))) continue
    const question = isLabel ? answersOf(one, element) : { controls: [one], shown: one }
    const isNew =
      question !== null &&
      !found.some(({ controls }) => controls.some((other) => question.controls.includes(other)))
    if (question !== null && isNew) found.push({ ...question, says: says.replace(/[\s*:]+$/, '') })
  }
  return found
}

/** What a label says itself, without the answers that stand in it. */
function askedBy(label: Element): string {
  const inner = elementsIn(label)
  if (!inner.some(isControl)) return wordsIn(label)
  const answers = inner.filter((one) => isControl(one) || /option$/.test(one.name))
  const own = textsIn(label).filter(({ parent }) => !answers.some((one) => isUnder(parent, one)))
  // What stands beside a button to choose by is an answer too.
  return collapsed(own.map(({ value }) => value).join(' ')).replace(/\?.*$/s, '?')
}

/** What a label or a legend asks for: all that is to be filled in around it, which has to be of one name. */
function answersOf(label: Element, form: Element): Pick<Question, 'controls' | 'shown'> | null {
  for (const outer of [label, ...above(label)]) {
    if (outer === form) return null
    const controls = elementsIn(outer).filter(isControl)
    if (controls.length === 0) continue
    const names = new Set(controls.filter(isField).map((one) => given(one, 'name') ?? given(one, 'id')))
    const isOne = controls.length === 1 || (names.size <= 1 && controls.filter(isField).length <= 1)
    return isOne && !elementsIn(outer).some(isButton) && !/^(#code)?$/.test(outer.tag)
      ? { controls, shown: outer }
      : null
  }
  return null
}

interface Answered {
  changes: Change[]
  /** what is sent in its place; `null`: nothing */
  says: string | null
  /** a field that nobody sees, in the question's place */
  hidden: string | null
}

/** What is sent where nobody is asked; `null` where the form might not go through. */
function answeredAs(view: View, form: Form, { controls, shown }: Question): Answered | null {
  const { page, site } = view
  const [control] = controls
  if (control === undefined) return null
  const names = callsOf(page, control)
  const bound = boundTo(page, control)
  const key =
    (bound ?? names[0] ?? '')
      .replace(/\.value$/, '')
      .split('.')
      .at(-1) ?? ''
  if (!/^\w+$/.test(key)) return null
  const other = otherIn(page, control, shown)
  // Whoever says “other” may be asked on.
  if (other !== null && new RegExp(`[=!]==?\\s*["']${other}["']|\\(["']${other}["']\\)`).test(page.text))
    return null
  if (other !== null && !isBound(page, control)) {
    const name = given(control, 'name')
    return name === null || page.dialect !== 'html'
      ? null
      : { changes: [], says: other, hidden: `<input type="hidden" name="${name}" value="${other}">` }
  }
  const start = other === null ? null : startOf(page, key, bound)
  if (other !== null && start !== null)
    return {
      changes: [{ ...start, text: `${start.quote}${other}${start.quote}` }],
      says: other,
      hidden: null,
    }
  const demands = demandsOn(page, control)
  if (demands === null || site === null || names.some((one) => site.fieldReads.needed.includes(one)))
    return null
  // Others are told apart from it where they have to be filled in.
  const isFree =
    !isInsisted(page, { controls, shown }) &&
    form.fields.some((one) => one !== control && has(one, 'required'))
  return isFree || takesEmpty(view, form, names)
    ? { changes: demands.changes, says: null, hidden: null }
    : null
}

/** Whether an answer is asked for: by the question itself, by the page's code, or by what it says where there is none. */
function isInsisted(page: Page, { controls, shown }: Pick<Question, 'controls' | 'shown'>): boolean {
  if (/\*/.test(wordsIn(shown)) || controls.some((one) => has(one, 'required') || has(one, ':required')))
    return true
  return controls.some((control) => {
    const named = callsOf(page, control)
      .filter((one) => /^\w+$/.test(one))
      .join('|')
    const errors = new RegExp(`err\\w*(?:\\??\\.|\\[["'])(?:${named})\\b|\\b(?:${named})_?err`, 'i')
    return demandsOn(page, control)?.isDemanded === true || (named !== '' && errors.test(page.text))
  })
}

const isBound = (page: Page, control: Element): boolean =>
  boundTo(page, control) !== null || page.dialect !== 'html'

/** The answer that fits everybody, as the question sends it. */
function otherIn(page: Page, control: Element, shown: Element): string | null {
  const inside = [...elementsIn(control), ...elementsIn(shown)].map((one) => given(one, 'value') ?? '')
  const own = inside.find((one) => OTHER.test(one))
  if (own !== undefined) return own
  const list = /(?::options|:items|options|items)=(?:"|\{)\s*(\w+)/.exec(
    page.text.slice(control.start, control.end),
  )?.[1]
  const made = list === undefined ? -1 : page.text.search(new RegExp(`\\b(?:const|let|var)\\s+${list}\\b`))
  const values =
    made === -1
      ? []
      : [...page.text.slice(made, made + 1500).matchAll(/\b(?:value|id|key)\s*:\s*["']([\w-]+)["']/g)]
  return values.map(([, value = '']) => value).find((one) => OTHER.test(one)) ?? null
}

/** The empty string with which a field begins, where there is but one. */
function startOf(
  page: Page,
  key: string,
  bound: string | null,
): (Pick<Change, 'start' | 'end' | 'unit'> & { quote: string }) | null {
  const script = scriptOf(page)
  if (script === null) return null
  const isEmpty = (node: SourceNode | undefined): node is SourceNode =>
    node?.type === 'StringLiteral' && textOf(node, 'value') === ''
  const found: { value: SourceNode; whole: SourceNode }[] = []
  for (const node of allIn(script.program)) {
    if (node.type === 'CallExpression') {
      const [first] = listOf(node, 'arguments')
      const callee = childOf(node, 'callee')
      if (
        callee === undefined ||
        !/^(useForm|reactive|ref|useState|React\.useState|\$state|useFormik)$/.test(
          script.text.slice(callee.start, callee.end),
        )
      )
        continue
      for (const inner of first?.type === 'ObjectExpression' ? allIn(first) : []) {
        const value = childOf(inner, 'value')
        if (
          inner.type === 'ObjectProperty' &&
          textOf(childOf(inner, 'key'), 'name') === key &&
          isEmpty(value)
        )
          found.push({ value, whole: node })
      }
    }
    if (node.type !== 'VariableDeclarator' || bound === null) continue
    const id = childOf(node, 'id')
    const named = id?.type === 'ArrayPattern' ? listOf(id, 'elements')[0] : id
    const init = childOf(node, 'init')
    const [first] = listOf(init, 'arguments')
    if (textOf(named, 'name') !== bound.replace(/\.value$/, '') || init === undefined) continue
    if (isEmpty(first)) found.push({ value: first, whole: init })
    if (/^computed\b/.test(script.text.slice(init.start, init.end)))
      for (const inner of allIn(init)) {
        const right = childOf(inner, 'right')
        if (inner.type === 'LogicalExpression' && inner.operator !== '&&' && isEmpty(right))
          found.push({ value: right, whole: inner })
      }
  }
  const [only, ...more] = found
  if (only === undefined || more.length > 0) return null
  const outer = elementAt('#data', only.whole, elementAt('#data', only.whole, null))
  return {
    start: only.value.start,
    end: only.value.end,
    unit: elementAt('#data', only.value, outer),
    quote: script.text[only.value.start] ?? "'",
  }
}

/** What stands in the question's place, or no empty line where nothing does. */
function replaced(page: Page, taken: readonly Change[], shown: Element, hidden: string | null): Change[] {
  return taken.map((one) => {
    if (one.text !== '' || !('tag' in one.unit)) return one
    if (hidden !== null && one.start <= shown.start && one.end >= shown.end) return { ...one, text: hidden }
    const gap = /\n?[ \t]*$/.exec(page.text.slice(0, one.start))?.[0] ?? ''
    const unit = [shown, ...above(shown)].find(({ start, end }) => start === one.start && end === one.end)
    return unit === undefined ? one : removeWith(gap, unit)
  })
}
