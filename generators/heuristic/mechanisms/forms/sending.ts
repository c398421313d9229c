import { childOf, listOf, type SourceNode, textOf } from '../../../../variants/script/syntax.js'
import { type Flow, flowOf, functionsOf, isGivenTo, type Kind } from '../../form-flow.js'
import { isService, leavesForms, type Receiver, sendsNoForm } from '../../form-handlers.js'
import type { View } from '../../idea.js'
import {
  type Element,
  elementsIn,
  given,
  has,
  isInCode,
  type Page,
  type Place,
  type Taken,
  textsIn,
} from '../../markup/tree.js'
import { SCRIPT, type Script, scriptOf } from '../../script.js'
import { type Form, isField } from '../../surface.js'
import { withoutComments } from '../../uses.js'

/** Where a form's values go, as far as its own page says it. */
export interface Sending {
  /** `null`: the page names no one receiver that could be read */
  to: Receiver | null
  /** the page's script that may send it instead */
  by?: Receiver
  /** the page hands on all that is in the form, and not this and that by name */
  isWhole: boolean
  /** what its own code takes out of all before it hands the rest on */
  drops: ReadonlySet<string>
  /** by its own code: names that it reads, apart from the fields that code cannot be told from */
  reads: ReadonlySet<string>
  /** whether its own code gives so many of these names to something that sends them */
  gives(names: readonly string[], least: number): boolean
  /** the page's code without the form's fields, what it says, and its styles */
  code: string
}

/** The receivers of all forms of a page. */
export const receiversOf = (page: Page, forms: readonly Form[]): Receiver[] =>
  forms.flatMap((form) => {
    if (form.fields.length < MIN_FIELDS) return []
    const sending = sendingOf(page, form)
    const to = sending?.to ?? serviceOf(page, form)
    return [to, sending?.by].flatMap((one) => one ?? [])
  })

const SPOKEN = /\{\s*(([A-Za-z_$][\w$]*)(?:\.[A-Za-z_$][\w$]*)+)\s*\}/g
const MAX_SPOKEN = 40

/** The texts of other files by which a page's forms call their fields, with what else they say. */
export const spokenBy = (page: Page, forms: readonly Form[]): Taken[] =>
  page.dialect !== 'jsx'
    ? []
    : forms.flatMap((form) => {
        if (form.fields.length < MIN_FIELDS || sendingOf(page, form) === null) return []
        const program = scriptOf(page)?.program
        const { start, end } = form.element
        return [...page.text.slice(start, end).matchAll(SPOKEN)]
          .slice(0, MAX_SPOKEN)
          .flatMap(({ 1: expression = '', 2: root = '' }) => {
            const from = program === undefined ? null : fromOf(program, root)
            return from === null ? [] : [{ expression, ...from }]
          })
      })

/** Whether a page has a form of which more could be told once its receiver is known. */
export const asksLess = ({ page, forms }: View): boolean =>
  forms.some(
    (form) =>
      form.fields.length >= MIN_FIELDS && (sendingOf(page, form) !== null || serviceOf(page, form) !== null),
  )

/** Scripts of others that have to do with forms. */
const OF_FORMS = /valid|parsley|form|bouncer/i

/** The service that a form is sent to by its own address, with the scripts that may look at it before. */
export function serviceOf(page: Page, { element }: Form): Receiver | null {
  const isNetlify = has(element, 'data-netlify') || has(element, 'netlify')
  const action = isNetlify ? 'netlify:' : (given(element, 'action') ?? '')
  if (!isService(action) || !/^post$/i.test(given(element, 'method') ?? '')) return null
  if (page.dialect !== 'html') return receiverAt(action, [])
  const all = scriptsOf(page)
  const isOthers = (src: string): boolean => /^(https?:)?\/\//.test(src)
  return all.some((src) => isOthers(src) && OF_FORMS.test(src))
    ? null
    : receiverAt(
        action,
        all.filter((src) => !isOthers(src)),
      )
}

/** Shorter forms have nothing to spare. */
export const MIN_FIELDS = 3

const CALLS = /\b(?:fetch|\$fetch|ofetch|axios|(?:\w+\.)?post)\s*(?:<[^<>()]*>)?\(\s*(["'`])([^"'`\s]+)\1/g
/** What takes values by their place, and what goes through them all. */
const GOES_THROUGH =
  /Object\.(?:values|entries|keys)\(|\.(?:every|some)\(|\b(?:elements|target|currentTarget|form)\[\s*(?:\d|[a-z]\w*\s*\])|\bvalidationSchema\b|Resolver\(|serialize(?:Array)?\(|emailjs|sendForm|querySelectorAll\(/

/** How a form is sent; `null` where that cannot be followed. */
export function sendingOf(page: Page, form: Form): Sending | null {
  const known = sendings.get(form.element)
  if (known !== undefined) return known
  const made = followed(page, form)
  sendings.set(form.element, made)
  return made
}

const sendings = new WeakMap<Element, Sending | null>()

function followed(page: Page, form: Form): Sending | null {
  const { element, fields } = form
  if (
    elementsIn(element).some(
      ({ tag, attributes }) => tag === 'slot' || attributes.some(({ name }) => SPREADS.test(name)),
    )
  )
    return null
  const code = codeOf(page, form)
  const script = scriptOf(page)
  const action = given(element, 'action')
  const isPost = /^post$/i.test(given(element, 'method') ?? '')
  const isNative = !element.attributes.some(
    ({ name }) => /submit/i.test(name) && !/onsubmitcapture/i.test(name),
  )
  const none = new Set<string>()
  const never = (): boolean => false
  if (/\bdata-netlify\b|\bnetlify\b/.test(page.text.slice(element.start, element.start + 400))) return null
  if (page.dialect === 'svelte' && /\+page\.svelte$/.test(page.path) && isPost && isNative) {
    if (action !== null && !/^\?\/\w+$/.test(action)) return null
    return { to: { kind: 'beside' }, isWhole: true, drops: none, reads: none, gives: never, code }
  }
  if (isNative && isPost && action !== null && /^[\w./?=&-]+$/.test(action) && action !== '') {
    const scripts = page.dialect === 'html' ? loadedBy(page) : []
    if (scripts === null || (page.dialect === 'html' && GOES_THROUGH.test(code))) return null
    const by = scriptFor(page, form, scripts)
    return {
      to: receiverAt(action, scripts),
      ...(by === null ? {} : { by }),
      isWhole: true,
      drops: none,
      reads: none,
      gives: never,
      code,
    }
  }
  const loaded = page.dialect === 'html' ? loadedBy(page) : []
  if (loaded === null || GOES_THROUGH.test(code)) return null
  if (script === null) {
    const by = isNative && action === null ? scriptFor(page, form, loaded) : null
    return by === null ? null : { to: null, by, isWhole: true, drops: none, reads: none, gives: never, code }
  }
  const isScripted = page.dialect === 'html' && isOnlyForm(page, form) && SUBMITS.test(script.text)
  if (page.dialect === 'html' && !isScripted) return null
  const acted = page.dialect === 'jsx' ? actionOf(page, element) : null
  const flow = flowIn(script, page, fields)
  if (flow === null) return null
  if (acted !== null) return actedOn(script, acted, code)
  if (isNative && !isScripted) return null
  const calls = callsIn(script.text)
  const sent = [...calls, ...packedIn(script.text, calls)]
  const outside = flow.wholes.filter(
    ({ start, end }) =>
      !SETTING.test(before(script.text, start)) &&
      !sent.some((call) => call.start <= start && call.end >= end),
  )
  if (outside.length > 0) return null
  const wholes = flow.wholes.filter(({ start }) => !SETTING.test(before(script.text, start)))
  const [call, ...more] = new Map(calls.map((one) => [one.address, one])).values()
  const [passed, ...others] = flow.passes
  if (passed !== undefined) {
    if (others.length > 0 || wholes.length > 0) return null
    const from = fromOf(script.program, passed.name)
    return from === null
      ? null
      : {
          to: { kind: 'call', ...from, index: passed.index },
          isWhole: true,
          drops: none,
          reads: flow.reads,
          gives: never,
          code,
        }
  }
  if (more.length > 0) return null
  if (call !== undefined && !calls.some((one) => mayReach(script, page, element, one))) return null
  const { program, text } = script
  const gives: Sending['gives'] = (names, least) => isGivenTo(program, text, names, least)
  const to: Receiver | null = call === undefined ? null : receiverAt(call.address, loaded)
  const [rest, ...rests] = flow.rests
  // All that is sent as a whole is what one taking out has left.
  const isRest = wholes.every(({ start, end }) => text.slice(start, end) === rest?.name)
  const drops = wholes.length > 0 && isRest && rests.length === 0 ? new Set(rest?.dropped) : none
  return { to, isWhole: wholes.length > 0, drops, reads: flow.reads, gives, code }
}

/** How many functions stand between a form and the call that sends it. */
const MAX_BETWEEN = 4

/** Whether the functions that a form calls when it is sent come to a call; `true` too where they are not told. */
function mayReach({ program, text }: Script, page: Page, form: Element, call: Place): boolean {
  const own = form.attributes.find(({ name }) => /submit/i.test(name))
  const functions = functionsOf(program)
  const named = (code: string): SourceNode[] =>
    [...new Set(code.match(/[\w$]+/g) ?? [])].flatMap((name) => functions.get(name) ?? [])
  const asked = new Set(own === undefined ? [] : named(page.text.slice(own.start, own.end)))
  if (asked.size === 0) return true
  for (let steps = 0; steps < MAX_BETWEEN; steps++) {
    const all = [...asked]
    if (all.some(({ start, end }) => start <= call.start && end >= call.end)) return true
    for (const one of all) for (const next of named(text.slice(one.start, one.end))) asked.add(next)
  }
  return false
}

/** Where something is put into a form's data that is made for a call, and sent by it. */
function packedIn(text: string, calls: readonly Place[]): Place[] {
  return [...text.matchAll(/\b(?:const|let|var)\s+([\w$]+)\s*=\s*new FormData\(\s*\)/g)].flatMap(
    ({ 1: name = '' }) => {
      const own = name.replace(/\$/g, '\\$')
      const isSent = calls.some(({ start, end }) =>
        new RegExp(`(?<![\\w$.])${own}(?![\\w$]|\\s*:)`).test(text.slice(start, end)),
      )
      return isSent
        ? [...text.matchAll(new RegExp(`(?<![\\w$.])${own}\\.(?:append|set)\\(`, 'g'))].map(
            ({ index, 0: whole }) => ({ start: index, end: closing(text, index + whole.length - 1) }),
          )
        : []
    },
  )
}

/** The scripts of a page of HTML one of which may find its form by its id, where none that stands in it has to do with forms. */
function scriptFor(page: Page, { element }: Form, scripts: readonly string[]): Receiver | null {
  const id = given(element, 'id')
  const inline = page.dialect === 'html' ? [...page.text.matchAll(SCRIPT)].map(([, own = '']) => own) : []
  return page.dialect !== 'html' || id === null || scripts.length === 0 || !leavesForms(inline.join('\n'))
    ? null
    : { kind: 'script', id, scripts }
}

const receiverAt = (address: string, scripts: readonly string[]): Receiver => ({
  kind: 'address',
  address,
  ...(scripts.length === 0 ? {} : { scripts }),
})

const SUBMITS = /addEventListener\(\s*["']submit["']|\.onsubmit\s*=/
/** Scripts of others that count visits or bring fonts. */
const COUNTS =
  /plausible|googletagmanager|google-analytics|analytics|fathom|umami|matomo|fonts?\b|kit\.fontawesome/i

/** Scripts that many sites load, and that send no form. */
const OF_LIBRARIES =
  /(?:^|[/@.-])(?:bootstrap|jquery(?!.*(?:form|valid|ajax))|popper|font-?awesome|lucide|feather|swiper|slick|owl|splide|aos|wow|gsap|scrolltrigger|tailwind\w*|lightbox\w*|glightbox|fancybox|isotope|masonry|modernizr|particles|typed|lenis|three|chart|leaflet|prism|ionicons?|lottie\w*|maps\.google\w*|cookieconsent)(?=[\w.@/-]*$|[?])/i

/** What a page does itself with what is filled in. */
const ASKS = /\bfetch\(|XMLHttpRequest|\bsend\w*\(|\.(?:post|ajax|sendBeacon)\(|\.get\(\s*["'`]/

/**
 * The scripts of its own site that a page of HTML loads, where nothing else that it has may send its forms; `null` where something may, or where it has none at all and may be
 * a part of a page. Those that many sites load are left out.
 */
export function scriptsBesideForms(page: Page): string[] | null {
  if (!/<script\b/i.test(page.text)) return null
  const inline = [...page.text.matchAll(SCRIPT)].map(([, own = '']) => own).join('\n')
  if (!sendsNoForm(inline) || ASKS.test(inline)) return null
  const others = scriptsOf(page).filter((src) => !COUNTS.test(src) && !OF_LIBRARIES.test(src))
  return others.some((src) => /^(https?:)?\/\//.test(src)) ? null : others
}

/** The scripts that a page of HTML loads from its own site; `null` where those of others may look at its forms. */
function loadedBy(page: Page): string[] | null {
  const all = scriptsOf(page)
  const others = all.filter((src) => /^(https?:)?\/\//.test(src))
  return others.every((src) => COUNTS.test(src)) ? all.filter((src) => !others.includes(src)) : null
}

const scriptsOf = ({ text }: Page): string[] =>
  [...text.matchAll(/<script\b[^>]*?\bsrc\s*=\s*["']?([^"'\s>]+)/gi)].flatMap(([, src = '']) => src)

/** Whether the one script of a page that waits for a form to be sent can mean no other one. */
const isOnlyForm = (page: Page, { element }: Form): boolean =>
  elementsIn(page.root).every((one) => one.name !== 'form' || one === element)

const SPREADS = /^(\{\.\.\.|v-bind$)/

/** A setter of state, right before what it is given: that values are kept is no sending. */
const SETTING = /\bset[A-Z]\w*\(\s*(?:\(?\w+\)?\s*=>\s*)?\(?\s*\{?\s*(?:\.\.\.)?$/
const before = (text: string, at: number): string => text.slice(Math.max(0, at - 80), at)

/** State that holds several fields: the first part of what a field is bound to, as `form` of `form.email`. */
function flowIn({ program, text }: Script, page: Page, fields: readonly Element[]): Flow | null {
  const kinds = new Map<string, Kind>()
  for (const field of fields) {
    const bound = boundTo(page, field)
    const root = bound === null ? null : /^([\w$]+)\.(?:value\.)?[\w$]+$/.exec(bound)?.[1]
    if (root != null) kinds.set(root, 'state')
  }
  // What is set by the name of its field belongs to a state that is known by its setter alone.
  if (/\[\s*(?:[\w$]+\.)*(?:name|id|key|field)\s*\]\s*[:\]=]/.test(text))
    for (const { 1: state = '' } of text.matchAll(
      /\[\s*([\w$]+)\s*,\s*set[A-Z]\w*\s*\]\s*=\s*(?:React\.)?useState(?:<[^()]*>)?\(\s*[{\w]/g,
    ))
      kinds.set(state, 'state')
  if (page.dialect !== 'jsx' && [...kinds.keys()].some((name) => isHandedOnIn(page, name))) return null
  return flowOf(program, text, [program], kinds)
}

/** Whether the markup of a page gives all of a state to something that may look at it: to a part, or to a function. */
function isHandedOnIn({ root, text }: Page, name: string): boolean {
  const own = name.replace(/\$/g, '\\$')
  const whole = new RegExp(`(?<![\\w$.'"-])${own}(?![\\w$'"-]|\\s*\\??\\.\\s*[\\w$]|\\s*:|\\s*=[^=])`)
  const emptied = new RegExp(`Object\\.assign\\(\\s*${own}\\s*,`, 'g')
  return elementsIn(root).some(({ attributes }) =>
    attributes.some((one) => {
      const written = text.slice(one.start, one.end)
      const said = written.slice(written.indexOf('=') + 1)
      const code = /^(?:[:@#]|v-)/.test(written)
        ? said.slice(1, -1)
        : (/^\{([\s\S]*)\}$/.exec(said)?.[1] ?? '')
      return whole.test(code.replace(emptied, ''))
    }),
  )
}

/** Whether a page itself keeps what a field holds: what it is given from elsewhere may be read there. */
export function isKept(page: Page, bound: string): boolean {
  const [root = ''] = bound.split('.')
  const own = root.replace(/\$/g, '\\$')
  return new RegExp(
    `\\[\\s*${own}\\s*,\\s*\\w+\\s*\\]\\s*=\\s*(?:React\\.)?useState\\b|\\b(?:const|let|var)\\s+${own}\\s*(?::[^=\\n]+)?=\\s*(?:reactive|ref|shallowRef|\\$state)\\b|\\blet\\s+${own}\\s*(?::[^=\\n]+)?(?:=\\s*['"{]|[;\\n])`,
  ).test(page.text)
}

/** What a field's value is kept in, as the code writes it. */
export function boundTo(page: Page, field: Element): string | null {
  const own = page.text.slice(field.start, field.end)
  return (
    /\bv-model(?:\.\w+)*\s*=\s*["']\s*([\w$.]+)\s*["']/.exec(own)?.[1] ??
    /\bbind:value\s*=\s*\{\s*([\w$.]+)\s*\}/.exec(own)?.[1] ??
    /(?<![\w-])value\s*=\s*\{\s*([\w$.]+)\s*(?:(?:\|\||\?\?)\s*(?:''|""))?\s*\}/.exec(own)?.[1] ??
    null
  )
}

/** `action={signUp}`: the function, where it is called by its own name. */
function actionOf(page: Page, element: Element): string | null {
  const own = element.attributes.find(({ name }) => name === 'action')
  if (own === undefined || isInCode(element)) return null
  return /=\s*\{\s*([\w$]+)\s*\}$/.exec(page.text.slice(own.start, own.end))?.[1] ?? null
}

function actedOn({ program, text }: Script, name: string, code: string): Sending | null {
  const hooked = new RegExp(
    `\\[\\s*[\\w$]+\\s*,\\s*${name.replace(/\$/g, '\\$')}\\b[^\\]]*\\]\\s*=\\s*(?:React\\.)?use(?:ActionState|FormState)\\(\\s*([\\w$]+)`,
  ).exec(text)?.[1]
  const own = functionsOf(program).get(hooked ?? name)
  const index = hooked === undefined ? 0 : 1
  if (own === undefined) {
    const from = fromOf(program, hooked ?? name)
    return from === null
      ? null
      : {
          to: { kind: 'call', ...from, index },
          isWhole: true,
          drops: new Set(),
          reads: new Set(),
          gives: () => false,
          code,
        }
  }
  const parameter = textOf(listOf(own, 'params')[index], 'name')
  if (parameter === undefined) return null
  const flow = flowOf(program, text, [own], new Map([[parameter, 'form']]))
  return flow.wholes.length > 0 || flow.passes.length > 0
    ? null
    : {
        to: null,
        isWhole: false,
        drops: new Set(),
        reads: flow.reads,
        gives: (names, least) => isGivenTo(own, text, names, least),
        code,
      }
}

function fromOf(program: SourceNode, name: string): { name: string; from: string } | null {
  for (const node of listOf(program, 'body'))
    for (const one of listOf(node, 'specifiers'))
      if (node.type === 'ImportDeclaration' && textOf(childOf(one, 'local'), 'name') === name) {
        const imported = textOf(childOf(one, 'imported'), 'name')
        const from = textOf(childOf(node, 'source'), 'value')
        return from === undefined || imported === undefined ? null : { name: imported, from }
      }
  return null
}

/** The calls that send something, with their addresses. */
export function callsIn(text: string): { address: string; start: number; end: number }[] {
  return [...text.matchAll(CALLS)].flatMap(({ index, 0: whole, 2: address = '' }) => {
    const end = closing(text, index + whole.indexOf('('))
    const isPost = /post\s*(?:<[^<>()]*>)?\($/.test(whole.slice(0, whole.indexOf('(') + 1))
    if (!isPost && !/\bmethod\s*:\s*["']?(post|put)/i.test(text.slice(index, end))) return []
    return [{ address: address.replace(/^\$\{[^}]*\}/, ''), start: index, end }]
  })
}

function closing(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth += 1
    else if (text[at] === ')' && --depth === 0) return at + 1
  }
  return text.length
}

/** What of a page could name a field, apart from the fields themselves and their labels. */
function codeOf(page: Page, { element }: Form): string {
  const cut = [
    ...elementsIn(element).filter((one) => isField(one) || one.name === 'label'),
    ...textsIn(page.root).filter(
      ({ quote, key, attribute }) => quote === null && key === undefined && attribute === undefined,
    ),
  ]
  let text = page.text
  for (const { start, end } of cut) text = text.slice(0, start) + ' '.repeat(end - start) + text.slice(end)
  if (page.dialect === 'html')
    return withoutComments([...text.matchAll(SCRIPT)].map(([, inner = '']) => inner).join('\n'))
  return withoutComments(text.replace(/<style\b[\s\S]*?<\/style>/gi, ''))
}

/** How often a page's code says what a field is called, apart from where it is declared, empty, or handed on by its own name. */
export function mentionsOf(code: string, name: string): { all: number; sent: number; as: string[] } {
  const own = name.replace(/[$.]/g, '\\$&')
  const empty = `(?:''|""|\`\`|null|undefined|false)`
  const declared = [
    `["']?\\b${own}["']?\\s*:\\s*${empty}\\s*(?=[,}\\n])`,
    `\\b${own}\\??\\s*:\\s*(?:string|number|boolean|null|undefined)(?:\\s*\\|\\s*(?:string|number|boolean|null|undefined))*\\s*(?=[;,}\\n])`,
    `\\[\\s*${own}\\s*,\\s*\\w+\\s*\\]\\s*=\\s*(?:React\\.)?useState(?:<[^()]*>)?\\(\\s*${empty}?\\s*\\)`,
    `\\b(?:const|let|var)\\s+${own}\\s*(?::\\s*[\\w<>| ]+)?=\\s*(?:ref|\\$state|shallowRef)(?:<[^()]*>)?\\(\\s*${empty}?\\s*\\)`,
    `\\blet\\s+${own}\\s*(?::\\s*[\\w| ]+)?(?:=\\s*${empty})?\\s*(?=[;\\n])`,
    `(?:\\b[\\w$]+\\.)*(?<![\\w$])${own}(?:\\.value)?\\s*=\\s*${empty}\\s*(?=[;\\n},])`,
  ]
  let rest = code
  for (const one of declared) rest = rest.replace(new RegExp(one, 'g'), ' ')
  const as: string[] = []
  const unsent = rest
    .replace(
      new RegExp(
        `(["']?)\\b([\\w$]+)\\1\\s*:\\s*(?:[\\w$]+\\.)*${own}(?:\\.value)?(?:\\.trim\\(\\))?\\s*(?=[,}\\n])`,
        'g',
      ),
      (_, _quote: string, key: string) => {
        as.push(key)
        return ' '
      },
    )
    // What stands in a text is a part of something else.
    .replace(new RegExp(`((?:(?<!\\$)\\{|,)\\s*)${own}\\s*(?=[,}])`, 'g'), (_, open: string) => {
      as.push(name)
      return `${open} `
    })
  const named = new RegExp(`(?<![\\w$-])${own}(?![\\w$-])`, 'g')
  return { all: [...unsent.matchAll(named)].length, sent: as.length, as }
}
