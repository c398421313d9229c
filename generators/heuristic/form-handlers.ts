import { UnsupportedEditError } from '../../variants/dialect.js'
import {
  childOf,
  listOf,
  programOf,
  type SourceNode,
  syntaxOf,
  textOf,
} from '../../variants/script/syntax.js'
import { allIn, flowOf, functionsOf, isFunction, isGivenTo } from './form-flow.js'
import { withoutComments } from './uses.js'

/**
 * Who receives what a form sends: the code at an address, where no script that the page loads has to do with forms; a file, what stands beside the page, a function of another
 * file, or the one of the page's scripts that finds the form by its id.
 */
export type Receiver =
  | { kind: 'address'; address: string; scripts?: readonly string[] }
  | { kind: 'beside' }
  | { kind: 'call'; name: string; from: string; index: number }
  | { kind: 'script'; id: string; scripts: readonly string[] }

/** What the code that receives a form reads of it, by name. */
export interface Handler {
  path: string
  reads: readonly string[]
  /** of these, what it may turn down where it is empty */
  insists: readonly string[]
  /** all words of the file and their parts, in lower case and parted by spaces: a name that is none of them is read nowhere in it */
  words: string
}

/** Code that looks at forms, or at what is in their fields. */
const TOUCHES_FORMS =
  /FormData|\.elements\b|\bforms\b|["'`](?:submit|invalid|input|change|blur)["'`]|valid|required|\.value\b|\.val\(|querySelector(?:All)?\(\s*["'`][^"'`]*(?:input|form|field|select\b|textarea|\[name)/i

/** Whether a script leaves forms alone. @param text `null`: it is not there */
export const leavesForms = (text: string | null): boolean =>
  text !== null && !TOUCHES_FORMS.test(withoutComments(text))

/** Code that sends forms as a whole, or answers for them. */
const SENDS_FORMS = /\.(?:requestS|s)ubmit\b|\bonsubmit\b|serialize(?:Array)?\(|emailjs|\bform(?:s|Data)?\b/i

/** Whether a script neither looks at forms nor sends any. @param text `null`: it is not there */
export const sendsNoForm = (text: string | null): boolean =>
  text !== null && leavesForms(text) && !SENDS_FORMS.test(withoutComments(text))

/** The files that a script of a page may be. */
export function scriptsAt(path: string, src: string): string[] {
  const own = src.replace(/[?#].*$/, '')
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return own.startsWith('/')
    ? [own.slice(1), `${APPS.exec(path)?.[0] ?? ''}${own.slice(1)}`, `public${own}`]
    : [resolved(folder, own) ?? own]
}

/** One name for one receiver of a page's form. */
export const receiverKey = (path: string, to: Receiver): string => `${path} ${JSON.stringify(to)}`

/** Longer files hold more than the receiving of a form. */
const LONGEST_HANDLER = 60_000

const POSTS =
  /\.(?:post|all|route)\(\s*["'`](\/[\w/.:-]*)["'`]|\bmethod\s*:\s*["']POST["']\s*,\s*(?:url|path)\s*:\s*["'](\/[\w/-]*)["']/g

/** The addresses at which a file's own server takes what is sent. @param code without comments */
export const postsOf = (code: string): string[] => [
  ...new Set([...code.matchAll(POSTS)].flatMap(([, one, other]) => one ?? other ?? [])),
]

const CODE = ['ts', 'js', 'mjs', 'tsx', 'jsx', 'mts', 'cjs'] as const
const APPS = /^(.*?\/)?(?=(?:src|app|pages|public|components|views|lib|client|web|www|static)\/|[^/]*$)/

/** The files that may receive what a page's form sends, the likeliest first, by the folders that frameworks have for them. */
export function filesFor(
  path: string,
  to: Receiver,
  posts: ReadonlyMap<string, readonly string[]>,
): string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  if (to.kind === 'beside')
    return ['ts', 'js'].map((ending) => path.replace(/\+page\.svelte$/, `+page.server.${ending}`))
  if (to.kind === 'call') return modulesAt(path, to.from)
  if (to.kind === 'script') return []
  const address = to.address.replace(/[?#].*$/, '').replace(/\/$/, '')
  const own = address.replace(/^\//, '')
  if (/\.php$/i.test(own))
    return address.startsWith('/')
      ? [own, `public/${own}`, `${folder}${own}`]
      : [resolved(folder, own) ?? own]
  if (!address.startsWith('/')) return []
  const root = APPS.exec(path)?.[1] ?? ''
  const last = own.slice(own.lastIndexOf('/') + 1)
  const spots = [
    `app/${own}/route`,
    `src/app/${own}/route`,
    `pages/${own}`,
    `src/pages/${own}`,
    `pages/${own}/index`,
    `src/routes/${own}/+server`,
    `server/${own}.post`,
    `server/${own}`,
    `server/${own}/index.post`,
    own,
    `functions/${own}`,
    `netlify/functions/${last}`,
    `netlify/functions/${last}/${last}`,
    `netlify/functions/${last}/index`,
  ]
  const roots = [...new Set([root, ''])]
  return [
    ...(posts.get(address) ?? []),
    ...roots.flatMap((one) => spots.flatMap((spot) => CODE.map((ending) => `${one}${spot}.${ending}`))),
  ]
}

/** A folder that stands where a program begins. */
const SOURCES = /^(src|app|pages|routes|components|lib)$/

/** The files that a module may be that a file takes something from, the likeliest first. */
export function modulesAt(path: string, from: string): string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const parts = path.split('/')
  const above = parts.flatMap((one, at) =>
    SOURCES.test(one)
      ? parts
          .slice(0, at)
          .map((each) => `${each}/`)
          .join('')
      : [],
  )
  const roots = [...new Set([...above, APPS.exec(path)?.[1] ?? ''])]
  const spots = /^\.{1,2}\//.test(from)
    ? [resolved(folder, from)]
    : /^[@~$]/.test(from)
      ? [from.replace(/^(@|~|\$lib|\$)\/?/, from.startsWith('$lib') ? 'lib/' : '')].flatMap((rest) =>
          roots.flatMap((root) => [`${root}src/${rest}`, `${root}${rest}`, `${root}app/${rest}`]),
        )
      : []
  return spots.flatMap((spot) =>
    spot === null || spot === undefined
      ? []
      : /\.[cm]?[jt]sx?$/.test(spot)
        ? [spot]
        : [...CODE.map((ending) => `${spot}.${ending}`), `${spot}/index.ts`, `${spot}/index.js`],
  )
}

function resolved(folder: string, asked: string): string | null {
  const parts = folder.split('/').filter((one) => one !== '')
  for (const part of asked.split('/'))
    if (part === '..') {
      if (parts.pop() === undefined) return null
    } else if (part !== '.' && part !== '') parts.push(part)
  return parts.join('/')
}

/** What a file reads of a form that it receives; `null` where it takes all of it, or where that is not told. */
export function handlerOf(path: string, text: string, to: Receiver): Handler | null {
  if (text.length > LONGEST_HANDLER) return null
  const code = withoutComments(text)
  const reads = /\.php$/i.test(path) ? readsOfPhp(code) : readsOfScript(path, text, to)
  if (reads === null || reads.length === 0) return null
  return { path, reads, insists: reads.filter((name) => mayInsist(code, name)), words: wordsOf(code) }
}

/** Code by which a script takes fields in other ways than by the names that it says. */
const TAKES_OTHERWISE =
  /Object\.(?:values|entries|keys)\(|\.elements\b|\bforms?\[|serialize(?:Array)?\(|emailjs|sendForm|querySelectorAll\(|\.(?:requestS|s)ubmit\(|\bimport\b/

/** What a page's script sends of the form that it finds by its id, by the names that it says; `null` where it does not, takes more, or lets the browser send it. */
export function scriptOfForm(path: string, text: string, id: string): Handler | null {
  if (text.length > LONGEST_HANDLER || !text.includes(id) || !/\bnew FormData\(/.test(text)) return null
  const code = withoutComments(text)
  const found = code.match(
    new RegExp(
      `(?<=\\b(?:const|let|var)\\s+)[\\w$]+(?=\\s*=\\s*document\\.(?:getElementById\\(\\s*["']|querySelector\\(\\s*["'](?:form)?#)${id.replace(/[^\w-]/g, '\\$&')}["']\\s*\\))`,
      'g',
    ),
  )
  const [name = '', ...more] = found ?? []
  const waits = [...code.matchAll(/([\w$]+)\??\.addEventListener\(\s*["']submit["']/g)]
  const taken = [...code.matchAll(/\bnew FormData\(\s*([\w$.]*)/g)]
  if (name === '' || more.length > 0 || TAKES_OTHERWISE.test(code) || !/\bfetch\(|\baxios\b/.test(code))
    return null
  if (waits.length !== 1 || waits[0]?.[1] !== name) return null
  if (taken.some(([, of = '']) => of !== name && !/^(?:this|[\w$]+\.(?:t|currentT)arget)$/.test(of)))
    return null
  const program = parsed(path, text)
  if (program === null || !alwaysPrevents(program, text, name)) return null
  const reads = told(flowOf(program, text, [program]))
  return reads === null || !isGivenTo(program, text, reads, 2)
    ? null
    : { path, reads, insists: reads, words: wordsOf(code) }
}

/** Whether the browser never sends a form by itself: what waits for that says so before anything else is asked. */
const alwaysPrevents = (program: SourceNode, text: string, form: string): boolean =>
  allIn(program).some((node) => {
    const callee = childOf(node, 'callee')
    if (node.type !== 'CallExpression' || callee === undefined) return false
    const [event, own] = listOf(node, 'arguments')
    const called = own?.type === 'Identifier' ? functionsOf(program).get(textOf(own, 'name') ?? '') : own
    return (
      /\.addEventListener$/.test(text.slice(callee.start, callee.end)) &&
      textOf(childOf(callee, 'object'), 'name') === form &&
      textOf(event, 'value') === 'submit' &&
      called !== undefined &&
      listOf(childOf(called, 'body'), 'body')
        .slice(0, 1)
        .some(({ start, end }) => /^[\w$]+\.preventDefault\(\)/.test(text.slice(start, end)))
    )
  })

const CHECKED = [
  // Not there, empty, short, of another form, or given to what checks it.
  (own: string): string => `!\\s*\\$?(?:[\\w$]+\\??\\.)*${own}\\b(?!\\s*\\()`,
  (own: string): string => `\\b${own}\\b[\\w.?()\\s]{0,40}\\.length\\b`,
  (own: string): string => `\\b(?:empty|isset|strlen|preg_match)\\s*\\([^;{}\\n]*\\b${own}\\b`,
  (own: string): string =>
    `(?:valid|check|assert|require|normali[sz]e|parse|ensure|\\bis[A-Z])\\w*\\(\\s*(?:[\\w$]+\\.)*${own}\\b`,
  (own: string): string => `\\.test\\([^()\\n]*\\b${own}\\b|\\b${own}\\b[\\w.?()]*\\.match\\(`,
  (own: string): string => `\\b${own}\\b(?:\\.trim\\(\\))?\\s*[!=]==?\\s*(?:["'\`]{2}|null|undefined)`,
  (own: string): string => `\\[[^\\][{}]*["']${own}["'][^\\][{}]*\\]`,
  (own: string): string =>
    `["']?\\b${own}["']?\\s*:\\s*(?:z|zod|v|yup|Yup|joi|Joi)\\b(?!\\s*\\.string\\(\\)(?:\\.trim\\(\\)|\\.max\\(\\d+\\)|\\.optional\\(\\))*\\s*[,\\n}])`,
  (own: string): string =>
    `["']?\\b${own}["']?\\s*:\\s*\\{[^{}]*required|\\brequired\\b[^;{}]{0,80}["']${own}["']`,
]

/** What is asked whether it may be left out: of other names nobody wants to know. */
const DONE_WITHOUT = /phone|\btel|telef|mobil|handy|celular|whats|hear|src|source|connu|conoc|referr|survey/i

/** Whether code may turn down what has nothing under a name: it is checked, or a name that it goes by is. */
function mayInsist(code: string, name: string): boolean {
  if (!/^[\w-]+$/.test(name) || !DONE_WITHOUT.test(name)) return true
  const names = new Set([name])
  for (let before = 0; before < names.size && names.size < 20; ) {
    before = names.size
    for (const one of [...names])
      for (const { 1: alias = '' } of code.matchAll(
        new RegExp(`([\\w$]+)\\s*(?::[^=;\\n{}]+)?=(?![=>])[^;\\n]*\\b${one.replace(/\$/g, '\\$')}\\b`, 'g'),
      ))
        names.add(alias)
  }
  return [...names].some((one) =>
    CHECKED.some((form) => new RegExp(form(one.replace(/[$-]/g, '\\$&'))).test(code)),
  )
}

/** Services that take what any form sends, and hand it on as it is. */
const SERVICES =
  /^netlify:|^https:\/\/(?:[\w-]+\.)*(?:formspree\.io|formsubmit\.co|getform\.io|web3forms\.com|formcarry\.com|usebasin\.com|submit-form\.com|staticforms\.\w+|formbold\.com|herotofu\.com)\//i

/** @param address where a form or a call sends what is filled in */
export const isService = (address: string): boolean => SERVICES.test(address)

/** What is known of a receiver that is no file of the repository: it asks for nothing by name. */
export const servedBy = (to: Receiver): Handler | null =>
  to.kind === 'address' && isService(to.address) ? { path: '', reads: [], insists: [], words: '' } : null

/** Words, and the parts that they are made of. */
function wordsOf(code: string): string {
  const whole = code.match(/[\p{L}\d_]+/gu) ?? []
  const parts = whole.flatMap((one) => one.match(/\p{Lu}?[\p{Ll}\d]+|\p{Lu}+/gu) ?? [])
  return [...new Set([...whole, ...parts].map((one) => one.toLowerCase()))].join(' ')
}

const SENT = /\$_(?:POST|REQUEST)\b/
/** What a script may take in without its reading the form. */
const TAKES_IN = /\b(?:require|include)(?:_once)?\b[^;]*;/g
const KNOWN_PARTS = /vendor|autoload|phpmailer|smtp|exception|config|connect|database|\bdb\b|dbh?\.|conn/i

function readsOfPhp(code: string): string[] | null {
  if (/php:\/\/input|\bextract\s*\(|\bimport_request_variables\b/.test(code)) return null
  if ([...code.matchAll(TAKES_IN)].some(([one]) => !KNOWN_PARTS.test(one))) return null
  const reads = [
    ...code.matchAll(/\$_(?:POST|REQUEST)\s*\[\s*(["'])([\w-]+)(?:\[\])?\1\s*\]/g),
    ...code.matchAll(/\bfilter_input\s*\(\s*INPUT_POST\s*,\s*(["'])([\w-]+)\1/g),
  ].flatMap(([, , name = '']) => name)
  const lists = new Map(
    [...code.matchAll(/(\$\w+)\s*=\s*(?:\[|array\()([^[\]()$]*)[\])]/g)].map(([, name = '', list = '']) => [
      name,
      [...list.matchAll(/["']([\w-]+)["']/g)].flatMap(([, one = '']) => one),
    ]),
  )
  const loops = new Map(
    [...code.matchAll(/\bforeach\s*\(\s*(\$\w+)\s+as\s+(\$\w+)\s*\)/g)].map(([, list = '', one = '']) => [
      one,
      lists.get(list) ?? null,
    ]),
  )
  let isKnown = true
  const rest = code
    .replace(/\$_(?:POST|REQUEST)\s*\[\s*(["'])[\w-]+(?:\[\])?\1\s*\]/g, '')
    .replace(/\$_(?:POST|REQUEST)\s*\[\s*(\$\w+)\s*\]/g, (_, name: string) => {
      const list = loops.get(name) ?? null
      if (list === null) isKnown = false
      else reads.push(...list)
      return ''
    })
    .replace(/\b(?:isset|empty|count)\s*\(\s*\$_(?:POST|REQUEST)\s*\)|\bif\s*\(\s*!?\s*\$_POST\s*\)/g, '')
  return isKnown && !SENT.test(rest) ? [...new Set(reads)] : null
}

function parsed(path: string, text: string): SourceNode | null {
  try {
    return programOf(text, syntaxOf(path))
  } catch (error) {
    if (error instanceof UnsupportedEditError) return null
    throw error
  }
}

function readsOfScript(path: string, text: string, to: Receiver): string[] | null {
  const program = parsed(path, text)
  if (program === null) return null
  if (to.kind === 'call') {
    const own = functionsOf(program).get(to.name)
    const parameter = own === undefined ? undefined : listOf(own, 'params')[to.index]
    const name = textOf(parameter, 'name')
    if (own === undefined || parameter === undefined) return null
    // What sends nothing on is not the end of the way.
    if (!ENDS.test(text.slice(own.start, own.end))) return null
    if (name === undefined) return told(flowOf(program, text, [own]))
    const isForm = /FormData|^form(data)?$/i.test(text.slice(parameter.start, parameter.end))
    return told(flowOf(program, text, [own], new Map([[name, isForm ? 'form' : 'values']])))
  }
  const routes = to.kind === 'address' ? routesIn(program, to.address) : []
  const [route, ...more] = routes
  if (more.length > 0) return null
  if (route === undefined) return told(flowOf(program, text, [program]))
  const functions = functionsOf(program)
  const handlers = listOf(route, 'arguments').slice(1)
  // What stands before a handler may look at all that is sent.
  const last = handlers.at(-1)
  if (handlers.slice(0, -1).some((one) => !HARMLESS.test(text.slice(one.start, one.end)))) return null
  const handler = last?.type === 'Identifier' ? functions.get(textOf(last, 'name') ?? '') : last
  return handler === undefined || !isFunction(handler) ? null : told(flowOf(program, text, [handler]))
}

const ENDS = /\bfetch\(|axios|\.(post|put|insert|create|save|send\w*|add|upsert|sign[A-Z]\w*)\(/

const HARMLESS =
  /^(express|bodyParser)\.(json|urlencoded)\(|^\w*(limit|cors|upload)\w*(\.none\(\)|\([^()]*\))?$/i

const told = ({ reads, wholes, passes }: ReturnType<typeof flowOf>): string[] | null =>
  wholes.length > 0 || passes.length > 0 ? null : [...reads]

/** The calls by which a server takes what is sent to an address. */
const routesIn = (program: SourceNode, address: string): SourceNode[] =>
  [...allIn(program)].filter((node) => {
    if (node.type !== 'CallExpression') return false
    const [first] = listOf(node, 'arguments')
    const method = textOf(childOf(childOf(node, 'callee'), 'property'), 'name') ?? ''
    return /^(post|all)$/.test(method) && textOf(first, 'value') === address
  })
