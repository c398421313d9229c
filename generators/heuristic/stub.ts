import { childOf, listOf, type SourceNode, textOf } from '../../variants/script/syntax.js'
import { escaped } from '../words.js'
import { allIn, isFunction } from './form-flow.js'
import { above, type Element, elementsIn, given, has, type Page } from './markup/tree.js'
import { type Script, scriptOf } from './script.js'

/** Attributes by which a form, or what is pressed in it, calls code. */
const CALLS_CODE = /^(on(submit|click|press)|(@|v-on:)(submit|click)[\w.]*=.*|on:(submit|click))$/is

/** What code does beside sending something: it keeps the browser from it, sets what is shown, says so, waits, checks, looks up and makes texts. */
const SENDS_NOTHING = new RegExp(
  `^(?:${[
    String.raw`.*\.(?:preventDefault|stopPropagation|stopImmediatePropagation|persist|reset|resetFields|resetForm|focus|blur|scrollIntoView|scrollTo|checkValidity|reportValidity|getElementById|querySelector(?:All)?|closest|setAttribute|removeAttribute|appendChild|remove|add|toggle)`,
    String.raw`.*\.(?:trim|toLowerCase|toUpperCase|replace|replaceAll|split|join|slice|substring|includes|startsWith|endsWith|match|test|map|filter|forEach|some|every|find|findIndex|reduce|keys|values|entries|fromEntries|has|get|toFixed|toString|toISOString|toLocaleString|toLocaleDateString|getTime|now|random|floor|round|parse|safeParse|stringify)`,
    String.raw`(?:.*\.)?(?:setTimeout|clearTimeout|alert|scroll|scrollTo|reset\w*|on(?:Close|OpenChange|Dismiss)|close\w*|nextTick)`,
    String.raw`console\.\w+`,
    String.raw`(?:toast|notify|notification|notifications|message|Swal|swal|snackbar|enqueueSnackbar|showToast|addToast|ElMessage|useToast|toaster)(?:\.\w+)*`,
    String.raw`set[A-Z]\w*`,
    'resolve',
    '(?:String|Number|Boolean|parseInt|parseFloat|isNaN|encodeURI|encodeURIComponent|Promise|FormData|Date|Error|Map|Set|URLSearchParams)',
    String.raw`(?:\w+\.)*(?:validate|isValid\w*|validate\w*)`,
    't',
  ].join('|')})$`,
)
const SENDS = /axios|\bapi\b|http|fetch|client|supabase|firebase|service|mutat|store|\bdb\b/i
/** Steps of which one is shown at a time, and what is worked out for whoever fills the form in. */
const GOES_ON =
  /^set(?:\w*(?:Step|Stage|Page|Tab|Phase|Screen|View)|Current\w*|Active\w*|Results?|Estimate\w*)$/
/** Libraries' ways to call what a form is given. */
const HANDS_VALUES = /^(?:\w+\.)?(?:handleSubmit|onSubmit)$/

/**
 * Whether all that takes what visitors fill in is known and sends it nowhere: it says thanks, and that is all. Of forms in which people say how they are
 * reached or pay; what others are filled in for may be shown on the spot.
 */
export function isStub(page: Page, form: Element): boolean {
  const known = stubs.get(form)
  if (known !== undefined) return known
  const made = isUnsent(page, form)
  stubs.set(form, made)
  return made
}

const stubs = new WeakMap<Element, boolean>()

/** Whether what is pressed belongs to a form that sends nothing. */
export const isInStub = (button: Element): boolean =>
  [...above(button)].some((one) => stubs.get(one) === true)

const REACHED =
  /\b(e-?mail|courriel|correo|tel|phone|telefon|téléphone|teléfono|password|passwort|contraseña|iban|card.?(number|num)|cc-number)\b/i

function isUnsent(page: Page, form: Element): boolean {
  const inner = elementsIn(form)
  if (has(form, 'action') || inner.some((one) => has(one, 'formaction'))) return false
  const isReached = inner.some((one) =>
    ['type', 'name', 'id', 'autocomplete', 'v-model', 'placeholder'].some((name) =>
      REACHED.test((given(one, name) ?? '').replace(/[_.]/g, ' ')),
    ),
  )
  if (!isReached) return false
  const script = scriptOf(page)
  if (script === null) return false
  const roots = page.dialect === 'html' ? listenersIn(page, form, script) : handlersOf(page, form, script)
  return roots !== null && roots.length > 0 && !new Walk(script).sends(roots)
}

/** The nodes that run when a form is sent; `null` where one cannot be found. */
function handlersOf(page: Page, form: Element, script: Script): SourceNode[] | null {
  const own = form.attributes.filter(({ name }) => CALLS_CODE.test(name))
  const pressed = own.length > 0 ? [] : elementsIn(form)
  const attributes = [
    ...own,
    ...pressed.flatMap((one) => one.attributes.filter(({ name }) => CALLS_CODE.test(name))),
  ]
  const functions = functionsIn(script.program)
  const roots: SourceNode[] = []
  for (const { start, end } of attributes) {
    if (page.dialect === 'jsx') {
      const node = allIn(script.program).find(
        (one) => one.type === 'JSXAttribute' && one.start >= start && one.end <= end,
      )
      const value = childOf(childOf(node, 'value'), 'expression')
      if (value === undefined) return null
      roots.push(value)
      continue
    }
    const written = page.text.slice(start, end)
    const value = written.slice(written.indexOf('=') + 1).replace(/^["'{\s]+|["'}\s]+$/g, '')
    const name = /^([\w$]+)(?:\(\s*(?:\$?event)?\s*\))?$/.exec(value)?.[1]
    const found = name === undefined ? undefined : functions.get(name)
    if (found === undefined) return null
    roots.push(found)
  }
  return roots
}

/** The functions of a page's own scripts that wait for a form to be sent; `null` where other scripts may send it, or another form is meant. */
function listenersIn(page: Page, form: Element, { program, text }: Script): SourceNode[] | null {
  const forms = elementsIn(page.root).filter(({ name }) => name === 'form')
  const loads = [...page.text.matchAll(/<script\b[^>]*?\bsrc\s*=\s*["']?([^"'\s>]+)/gi)]
  const mayMeanOthers =
    forms.length !== 1 || loads.some(([, src = '']) => !/^(https?:)?\/\//.test(src) || /form/i.test(src))
  const waiting = allIn(program).flatMap((node) => {
    const callee = childOf(node, 'callee')
    const [event, handler] = listOf(node, 'arguments')
    return node.type === 'CallExpression' &&
      callee !== undefined &&
      /addEventListener$/.test(text.slice(callee.start, callee.end)) &&
      textOf(event, 'value') === 'submit' &&
      handler !== undefined
      ? [{ of: text.slice(callee.start, callee.end), handler }]
      : []
  })
  if (!mayMeanOthers) return waiting.map(({ handler }) => handler)
  // What keeps a form where it is, by its own id, is what answers for it.
  const own = waiting.filter(({ of }) => isOfForm(of, form, text))
  const keeps = own.some(({ handler }) => /\.preventDefault\(/.test(text.slice(handler.start, handler.end)))
  return keeps ? own.map(({ handler }) => handler) : null
}

/** Whether a listener is added to a form that is found by its id. @param called what is called, as `form.addEventListener` */
function isOfForm(called: string, form: Element, text: string): boolean {
  const id = escaped(given(form, 'id') ?? '')
  if (id === '') return false
  const found = `document\\.(?:getElementById\\(\\s*["'\`]${id}["'\`]|querySelector\\(\\s*["'\`](?:form)?#${id}["'\`])\\s*\\)`
  const name = /^([\w$]+)\??\./.exec(called)?.[1]
  return (
    new RegExp(`^${found}`).test(called) ||
    (name !== undefined && new RegExp(`\\b(?:const|let|var)\\s+${escaped(name)}\\s*=\\s*${found}`).test(text))
  )
}

/** Functions of a file by name, methods of objects too. */
function functionsIn(program: SourceNode): Map<string, SourceNode> {
  const found = new Map<string, SourceNode>()
  for (const node of allIn(program)) {
    const name = textOf(childOf(node, 'id'), 'name') ?? textOf(childOf(node, 'key'), 'name')
    const made = childOf(node, 'init') ?? childOf(node, 'value')
    // `useCallback(() => …, [])`
    const [first] = made?.type === 'CallExpression' ? listOf(made, 'arguments') : []
    const body = [node, made, first].find((one) => one !== undefined && isFunction(one))
    if (name !== undefined && body !== undefined) found.set(name, body)
  }
  return found
}

class Walk {
  readonly #text: string
  readonly #functions: Map<string, SourceNode>
  readonly #entered = new Set<SourceNode>()

  constructor({ program, text }: Script) {
    this.#text = text
    this.#functions = functionsIn(program)
  }

  /** Whether any of these may send something. */
  sends(roots: readonly SourceNode[]): boolean {
    return roots.some((root) => {
      if (this.#entered.has(root)) return false
      this.#entered.add(root)
      if (root.type === 'Identifier') return this.#goesTo(this.#said(root))
      // A member of something that is handed in.
      if (/MemberExpression$/.test(root.type)) return true
      return allIn(root).some((node) => this.#isWay(node))
    })
  }

  #said = ({ start, end }: SourceNode): string => this.#text.slice(start, end)

  #goesTo(name: string): boolean {
    const own = this.#functions.get(name)
    return own === undefined || this.sends([own])
  }

  #isWay(node: SourceNode): boolean {
    if (node.type === 'Import' || node.type === 'TaggedTemplateExpression') return true
    if (node.type === 'AssignmentExpression')
      return (
        /\blocation(\.href)?$/.test(this.#said(childOf(node, 'left') ?? node)) &&
        !this.#staysHere(node) &&
        !this.#writesMail(node)
      )
    const isCall = /^(Optional)?CallExpression$/.test(node.type)
    if (!isCall && node.type !== 'NewExpression') return false
    const callee = childOf(node, 'callee')
    if (callee === undefined || isFunction(callee)) return false
    const called = this.#said(callee).replace(/\?\./g, '.').replace(/\s+/g, '')
    if (GOES_ON.test(called)) return true
    if (HANDS_VALUES.test(called) && !this.#functions.has(called)) {
      const given = listOf(node, 'arguments')
      return given.length === 0 || given.some((one) => one.type === 'Identifier' && this.sends([one]))
    }
    if (this.#functions.has(called)) return this.#goesTo(called)
    if (/(^|\.)(push|replace|navigate|goto|assign)$/.test(called) && this.#staysHere(node)) return false
    if (/(^|\.)(open|assign|replace|openURL)$/.test(called) && this.#writesMail(node)) return false
    return SENDS.test(called) || !SENDS_NOTHING.test(called)
  }

  /** Whether it only opens a program for mail, which has still to be there, and to send what is written. */
  #writesMail(node: SourceNode): boolean {
    const to = listOf(node, 'arguments')[0] ?? childOf(node, 'right')
    const said = to === undefined ? '' : this.#said(to)
    return (
      /^["'`]mailto:/.test(said) ||
      (/^[\w$]+$/.test(said) && new RegExp(`\\b${escaped(said)}\\s*=\\s*["'\`]mailto:`).test(this.#text))
    )
  }

  /** Whether it only shows another page of the site. */
  #staysHere(node: SourceNode): boolean {
    const to = listOf(node, 'arguments')[0] ?? childOf(node, 'right')
    const path = to === undefined ? undefined : textOf(to, 'value')
    return path !== undefined && /^\/(?!\/)[\w/-]*$/.test(path)
  }
}
