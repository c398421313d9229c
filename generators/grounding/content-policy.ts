import type { Edit } from '../../variants/port.js'
import { splice } from '../../variants/text.js'
import { setOf } from '../lexicon/words.js'
import { withoutWords } from '../page/message-links.js'
import { outsideActOf } from '../page/outside.js'
import type { KnownSite } from '../port.js'
import { type Violation, violationInWords } from './claims.js'
import { newInCode, UNSEEN } from './code-facts.js'
import { newInData, strangeIn } from './data-files.js'
import { type AttributeUse, type Inventory, inventoryOf } from './inventory.js'
import {
  isDataFile,
  isTextKey,
  isTextsInCode,
  messageCalls,
  type SiteTexts,
  withoutNewKeys,
} from './messages.js'
import {
  inputsOf,
  mayBeGiven,
  type NewId,
  newAttributes,
  newIdsOf,
  RISKY,
  RUNS,
  TEMPLATE_SIGNS,
} from './new-attributes.js'
import { COMPUTES, PRIVATE } from './pieces.js'
import { withoutImports } from './site-index.js'
import { isSpelled } from './spelled.js'

/** Notations that servers, template engines, compilers and styles act on, and invisible characters. */
const NOTATIONS =
  /<[?%][\s\S]*?(?:[?%]>|$)|<!(?:--[\s\S]*?(?:-->|$)|[^>]*>?)|\{%[\s\S]*?(?:%\}|$)|@(?:import|php|include)\b|(?<![\w-])(?:url|src|image|image-set|cross-fade|element|paint|expression)\([^)]*\)?|[\w-]*\\[\w\\-]*\(|\bbehavior\s*:|-moz-binding/giu
/** The same in files that are not code. */
const TEMPLATES =
  /\/\*[\s\S]*?(?:\*\/|$)|(?<![:"'`\w])\/\/[^\n]*|\{\{[\s\S]*?(?:\}\}|$)|\{[#!][\s\S]*?(?:[#!]?\}|$)|[$#@*~]\{[^}]*\}?|\[\[[\s\S]*?(?:\]\]|$)|\\\d|__proto__|^\s*!!?[\w<]|:\s!!?[\w<]/gm
/** Comments that compilers obey. */
const PRAGMAS =
  /[#@]\s*(?:source(?:Mapping)?URL|jsx\w*|ts-\w+|__\w+__|vite-ignore|flow|babel|license|preserve|cc_on)\b[^\n]*|\bwebpack\w+\s*:[^\n]*/g
/** Elements that protect the page or load what it needs. */
const NEEDED = /^<(script|meta|link|base|style) /

/** Elements that hold text, which a variant may add. The file must have all others already. */
const INERT = setOf(
  `a p span small strong em b i u s br hr ul ol li dl dt dd div section article aside header footer details
  summary h1 h2 h3 h4 h5 figure figcaption blockquote cite q mark sub sup abbr time label`,
)
/** An address of the same site, which evidence may state as a whole, as one that `outsideActOf` knows. */
const OWN_ADDRESS = /^(\/(?![/\\])|#|[\w-]+\.html\b)[\w/#.-]*$/

/** Attributes that people with a screen reader depend on. */
const READ_ALOUD: readonly RegExp[] = [
  /\balt\s*=\s*["'{][^"'}]/g,
  /\baria-(?:label|labelledby|describedby)\s*=/g,
  /<label\b/gi,
  // `v-for` is no label.
  /(?<!-)\b(?:for|htmlFor)\s*=/g,
  /\brole\s*=/g,
  /\blang\s*=/g,
]
/** Elements that they name. If one goes, its name may go with it. */
const NAMED =
  /<(?:input|select|textarea|button|a|img|\w*Input|\w*Select|\w*Textarea|\w*Field|[A-Z]\w*\.Control)\b/g
const HINDERS: readonly RegExp[] = [
  /\btabindex\s*=\s*["'{]*[1-9]/gi,
  /\bautofocus\b/gi,
  /\baria-hidden\s*=\s*["'{]*true/gi,
  /outline(?:-width)?\s*:\s*["']?(?:0|none)/gi,
  /\bdisplay\s*:\s*["']?none/gi,
  /\bopacity\s*:\s*["']?0(?![.\d])/gi,
]

/** A file that edits change. `packages`: those of its site, if they are known. */
export interface ChangedFile {
  path: string
  text: string
  packages?: ReadonlySet<string>
  /** ids that the edits of all files bring in. @default those of this file */
  newIds?: readonly NewId[]
  /** the texts of the site by key. @default they are not known */
  texts?: SiteTexts
}

/** A thing that an edit brings in or takes away, and the rule that it breaks. */
interface Offence {
  rule: Rule
  what: string
}

/** How a rule ends the sentence “it brings in …”. */
const RULES = {
  notation: 'which a server, a compiler or a template engine would act on',
  element: 'which the file does not have so',
  attribute: 'which no element of the file has so: only classes and words are free',
  id: 'which is no id of the file: a new one has words in small letters with a hyphen, as “early-access”, and a plain element that no other shares it with',
  class: 'which is no plain class: only functions of styles that load nothing may stand in it',
  address: 'which neither this file nor the site links to',
  text: 'which a template engine would act on',
  code: 'which the code around it does not use: it may only show and compare what is read there already',
  import:
    'which no other file imports in these words, or which is neither a component nor a function that formats',
  data: 'which the other texts of the file do not have',
  'old text':
    'in place of the text that is there, which the control shows as well: leave it, and add a new key to the file of each language',
  key: 'which is no key of the texts of each language: add it to the file of each by "plain" edits',
} as const
type Rule = keyof typeof RULES | 'inner link' | 'undeclared' | 'hindrance'

/** At most this many things are named for each rule, and characters of each. */
const MAX_NAMED = { things: 5, characters: 60 }

/**
 * Why the edits of a file may not be shown, `null` if they may: all that is wrong, so that it can be mended
 * at once. An edit may only use the elements, attributes, addresses and code that its file has already.
 * Figures and claims have to be stated in `known`.
 * @param known the file's text and whatever else is known to be true
 * @param site what other files link to and import
 */
export function policyViolation(
  edits: readonly Edit[],
  file: ChangedFile,
  known: string,
  site?: KnownSite,
): Violation | null {
  if (!READ.test(file.path)) return unsafe('svc does not read files of this kind')
  const inWords = violationInWords(edits, known)
  const offences = offencesOf(edits, file, known, site)
  const messages = [...(inWords === null ? [] : [inWords.message]), ...toldBy(offences, site)]
  if (messages.length === 0) return null
  return { reason: inWords?.reason ?? 'unsafe', message: messages.join('; ') }
}

const unsafe = (message: string): Violation => ({ reason: 'unsafe', message })

function offencesOf(
  edits: readonly Edit[],
  file: ChangedFile,
  known: string,
  site: KnownSite | undefined,
): Offence[] {
  const offences: Offence[] = edits.flatMap(({ replace }) =>
    [
      ...(replace.match(UNSEEN) ?? []),
      ...newIn(replace, NOTATIONS, file.text),
      ...(isCode(file.path) ? [] : newIn(replace, TEMPLATES, file.text)),
    ].map((what) => ({ rule: 'notation', what })),
  )
  // A variant is seen together with the edits for everybody.
  for (const variant of new Set(edits.map((edit) => edit.variant))) {
    const own = edits.filter((edit) => edit.variant === undefined || edit.variant === variant)
    const newIds = (file.newIds ?? newIdsOf([{ path: file.path, edits }])).filter(
      (one) => one.variant === undefined || one.variant === variant,
    )
    offences.push(...addedBy(own, { ...file, newIds }, known, site))
    offences.push(...hindrancesIn(own).map((what): Offence => ({ rule: 'hindrance', what })))
  }
  return offences
}

/** A sentence for each rule that is broken. */
function toldBy(offences: readonly Offence[], site: KnownSite | undefined): string[] {
  const byRule = new Map<Rule, Set<string>>()
  // The code of an attribute that is new is not told once more.
  const isTold = ({ rule, what }: Offence): boolean =>
    rule === 'code' && offences.some((one) => one.rule !== 'code' && one.what.includes(what))
  for (const { rule, what } of offences.filter((one) => !isTold(one)))
    byRule.set(rule, (byRule.get(rule) ?? new Set()).add(what.trim().slice(0, MAX_NAMED.characters)))
  return [...byRule].flatMap(([rule, found]) => {
    const things = [...found].slice(0, MAX_NAMED.things)
    const named = things.map((one) => `“${one}”`).join(', ')
    if (rule === 'hindrance') return things
    if (rule === 'undeclared') return [`it reads ${named}, which nothing declares before that place`]
    if (rule === 'inner link')
      return [
        `Next.js lets no plain <a> lead to a page of the site (${named}): use <Link href="…"> with the same classes, and import it by a plain edit if the file does not: import Link from 'next/link'`,
      ]
    const links = rule === 'address' ? (site?.links.slice(0, 20).join(', ') ?? '') : ''
    return [`it brings in ${named}, ${links === '' ? RULES[rule] : `but the site links to ${links}`}`]
  })
}

/** The things that the edits of one variant add to a file, read by the file's parser. */
function addedBy(
  edits: readonly Edit[],
  { path, text, packages, newIds = [], texts }: ChangedFile,
  known: string,
  site: KnownSite | undefined,
): Offence[] {
  const partOf = ({ find, replace }: Edit) => ({
    start: text.indexOf(find),
    end: text.indexOf(find) + find.length,
    text: replace,
  })
  const parts = edits.map(partOf)
  // Grounding refuses an edit whose place is not found.
  if (parts.some(({ start }) => start < 0)) return []
  const now = splice(text, parts)
  const as = (rule: Rule, found: Iterable<string>): Offence[] => [...found].map((what) => ({ rule, what }))
  // An edit may change the inside of a comment or an address.
  const notations = as('notation', [
    ...newIn(now, PRAGMAS, text),
    ...(isCode(path) ? [] : newIn(now, NOTATIONS, text)),
  ])
  if (isDataFile(path)) {
    const inData = newInData(path, text, now)
    return [...notations, ...(inData === undefined ? [] : [inData])]
  }
  let before: Inventory
  let after: Inventory
  let inTexts: Offence[] = []
  let imported = text
  const imports = site === undefined ? [] : edits.flatMap((edit) => knownImports(edit, path, site))
  try {
    // Imports of other files count as if they were this file's.
    imported = splice(text, imports.map(partOf))
    before = inventoryOf(path, imported)
    if (isTextsInCode(path)) {
      const added = withoutNewKeys(path, text, now)
      after = inventoryOf(path, added.code)
      const known = [...before.code.strings]
      inTexts = as(
        'data',
        added.texts.flatMap((one) => strangeIn(one, known) ?? []),
      )
    } else after = inventoryOf(path, now)
  } catch {
    // Not parsing is the violation.
    return [...notations, ...as('element', ['something that its parser does not read'])]
  }
  if (site !== undefined) allowOfSite(before, after, { path, text, imported, imports }, site)
  const calls = messageCalls(now, imported).filter(({ call }) => !text.includes(call))
  const isText = ({ key, isFunction }: (typeof calls)[number]): boolean =>
    texts !== undefined && isTextKey(texts, key, isFunction)
  for (const one of calls) if (one.isFunction && isText(one)) allowCall(before, one.call)
  const hasTexts = texts !== undefined && texts.before.length > 0
  const strangeKeys = hasTexts ? calls.filter((one) => !isText(one)).map(({ call }) => call) : []
  if (packages?.has('nuxt') === true && path.endsWith('.vue')) allowName(before, 'NuxtLink')
  const stated = new Set(
    known
      .split('\n')
      .filter((line) => OWN_ADDRESS.test(line) || outsideActOf(line) !== null)
      .map(withoutWords),
  )
  const isPage = /\.html?$/i.test(path)
  const ids = new Set(
    newIds
      .filter((one) => (isPage ? one.path === path : site?.hasLink(path, `#${one.id}`) !== true))
      .map(({ id }) => id),
  )
  const isLinked = (address: string): boolean =>
    ids.has(/^#(.+)/.exec(address)?.[1] ?? '') ||
    stated.has(address) ||
    isSpelled(address, text) ||
    site?.spells(address) === true ||
    site?.hasLink(path, address) === true
  return [
    ...notations,
    ...inTexts,
    ...as('key', strangeKeys),
    ...as('element', newElements(before, after)),
    ...newAttributes(before, after, { isPage, isLinked, site, ids }),
    ...as('text', newTexts(before, after, text)),
    ...[...newInCode(before.code, after.code)].map(
      (what): Offence => ({ rule: /^import\b/.test(what) ? 'import' : 'code', what }),
    ),
    ...as('undeclared', newNames(before, after)),
    ...(packages?.has('next') === true ? as('inner link', plainLinks(before, after)) : []),
  ]
}

const GLOBALS = setOf('Math Number String Boolean undefined NaN Infinity')

/** Names that nothing declares where they are read, as those of a block that has ended. */
const newNames = (before: Inventory, after: Inventory): string[] =>
  [...after.undeclared].filter((name) => !before.undeclared.has(name) && !GLOBALS.has(name))

/** An address that a page of the site may answer: no file, and no route that only a program asks. */
const INNER_PAGE = /^\/(?![/\\]|api(?:\/|$))(?!.*\.\w+(?:[?#]|$))/

/** Plain links to pages of the site, which Next's rule `no-html-link-for-pages` refuses. */
function plainLinks(before: Inventory, after: Inventory): string[] {
  const inner = ({ attributes }: Inventory): string[] =>
    attributes
      .filter(({ tag, name, value }) => tag === 'a' && name === 'href' && INNER_PAGE.test(value ?? ''))
      .map(({ source }) => source)
  const known = inner(before)
  // A file that has such links already is not held to the rule.
  return known.length > 0 ? [] : inner(after)
}

/** A component or a computation that other files import. */
function allowName({ tags, code }: Inventory, name: string): void {
  code.names.add(name)
  if (/^[A-Z]/.test(name)) tags.add(name)
  code.known.set(/^[A-Z]/.test(name) ? `<${name}` : `calls:${name}`, [''])
}

/** Lets a file take what other files of the site have. `imported` is its text with the new imports. */
function allowOfSite(
  before: Inventory,
  after: Inventory,
  {
    path,
    text,
    imported,
    imports,
  }: { path: string; text: string; imported: string; imports: readonly Edit[] },
  site: KnownSite,
): void {
  for (const { local } of imports.flatMap(({ replace }) => site.namesOf(path, replace)))
    if (/^[A-Z]/.test(local) || COMPUTES.test(local)) allowName(before, local)
  for (const read of site.readsBelow(path, text)) allowRead(before, read)
  for (const name of site.shownImports(path, text)) if (!ACTS_BY_ITSELF.test(name)) allowName(before, name)
  for (const name of site.addressNames(path, imported)) allowAddress(before, name)
  for (const one of after.attributes) allowGiven(before, one, site)
  if (site.hasTemplateTexts && path.endsWith('.vue')) allowName(before, '$t')
}

/** A constant of an import that other files give links. */
function allowAddress({ attributes, code }: Inventory, local: string): void {
  code.names.add(local)
  for (const name of ['href', 'to']) {
    for (const source of [`${name}={${local}}`, `:${name}="${local}"`])
      attributes.push({ tag: 'a', name: source.split('=')[0] ?? '', value: null, source })
    for (const slot of [name, `:${name}`]) code.known.set(`${slot}=${local}`, [''])
  }
}

/** A property that another file gives the component in the same code, of a name that is in scope. */
function allowGiven({ attributes, code }: Inventory, one: AttributeUse, site: KnownSite): void {
  const [, written = '', given = ''] = GIVEN.exec(one.source) ?? []
  const name = written.replace(/^:/, '')
  const isGiven = mayBeGiven(one.tag, name) && site.hasAttribute(one.tag, name, `{${given}}`)
  if (given === '' || one.value !== null || PRIVATE.test(given) || !isGiven) return
  const plain = given.replaceAll('?.', '.')
  // A function would run when the component calls it.
  const isData = plain.includes('.') || ['solid', 'list'].some((kind) => code.known.has(`${kind}:${plain}`))
  if (!isData || code.called.has(plain)) return
  const object = given.replace(/\??\.[\w$]+$/, '')
  const isOptional = object === given || given.startsWith(`${object}?.`)
  const atom = `${isOptional ? 'read' : 'solid'}:${object.replaceAll('?.', '.')}`
  const scopes = code.known.get(atom)
  if (scopes === undefined) return
  attributes.push(one)
  for (const part of given.split(/\??\./)) code.names.add(part)
  for (const key of [written, written.toLowerCase()]
    .map((slot) => `${slot}=${given}`)
    .concat(`show ${given}`))
    code.known.set(key, [...(code.known.get(key) ?? []), ...scopes])
}

const GIVEN = /^(:?[\w-]+)=(?:\{\s*|")([a-zA-Z_$][\w$]*(?:\??\.[\w$]+)*)(?:\s*\}|")$/

/** A function of an import that returns a text. */
function allowCall({ code }: Inventory, call: string): void {
  code.names.add(call.split('.')[1] ?? '')
  code.known.set(`calls:${call}`, [''])
}

/** A property that a component reads. It may be read if the code around reads others of the same object. */
function allowRead({ code }: Inventory, read: string): void {
  if (PRIVATE.test(read)) return
  code.names.add(read.split('.')[1] ?? '')
  code.known.set(`read:${read}`, code.known.get(`read:${read}`) ?? [])
}

/** Components that do something once they are shown, and those that are no part of a page. */
const ACTS_BY_ITSELF =
  /^(Navigate|Redirect|Script|Head|Helmet|Admin|Log(out|off)|Sign(out|off))|(Router|Provider|OnMount|Tracker|Tracking|Analytics|Effect|Boundary)$/i
/** The files that are parsed, and files of texts. */
const READ = /\.([cm]?[jt]sx?|vue|svelte|json|ya?ml|html?)$/i

/** Whether a file is code with comments, in which braces and slashes mean nothing by themselves. */
const isCode = (path: string): boolean => /\.([cm]?[jt]sx?|vue|svelte|json)$/i.test(path)

/** Of an edit that only adds imports, those of components and computations that other files import. */
function knownImports({ find, replace }: Edit, path: string, site: KnownSite): Edit[] {
  const localsIn = (text: string): string[] => site.namesOf(path, text).map(({ local }) => local)
  const rest = (text: string): string => withoutImports(text).replace(/[\s;]+/g, '')
  const had = localsIn(find)
  if (rest(find) !== rest(replace) || !had.every((one) => localsIn(replace).includes(one))) return []
  const isStrange = (statement: string): boolean =>
    site.namesOf(path, statement).some(({ local, isKnown }) => !isKnown && !had.includes(local))
  return [{ find, replace: withoutImports(replace, isStrange) }]
}

/** The matches of a replacement that the file does not have. */
const newIn = (replace: string, form: RegExp, text: string): string[] =>
  replace.match(form)?.filter((one) => !text.includes(one)) ?? []

/** Texts of pages in which a template engine, or a framework in the browser, would find code. */
function* newTexts(before: Inventory, after: Inventory, file: string): Generator<string> {
  for (const text of after.texts) {
    if (before.texts.has(text)) continue
    const rest = text.replace(TEMPLATES, (one) => (file.includes(one) ? '' : one))
    if (TEMPLATE_SIGNS.test(rest) || UNSEEN.test(rest)) yield rest
  }
}

function* newElements(before: Inventory, after: Inventory): Generator<string> {
  for (const tag of after.tags) if (!before.tags.has(tag) && !INERT.has(tag)) yield `<${tag}>`
  // `Link` is a component of a framework, and stands in the file.
  for (const [opening, count] of after.openings)
    if (
      RISKY.test(opening) &&
      !/^<[A-Z](?!\w*(?:Script|Style|cript|tyle) )[a-z]/.test(opening) &&
      count > (before.openings.get(opening) ?? 0)
    )
      yield opening
  for (const [opening, count] of before.openings)
    if (NEEDED.test(opening) && count > (after.openings.get(opening) ?? 0)) yield `a page without ${opening}`
  for (const block of after.shell) if (!before.shell.has(block)) yield block
  if (after.passwords > before.passwords) yield 'a password field'
  if (after.passwords < before.passwords && inputsOf(after) >= inputsOf(before))
    yield 'a password in clear text'
  for (const [tag, combinations] of after.combinations)
    for (const one of combinations)
      if (!before.combinations.get(tag)?.some((other) => [...one].every((each) => other.has(each))))
        yield `<${tag} ${[...one].join(' ')}>`
  const handlers = ({ attributes }: Inventory): AttributeUse[] =>
    attributes.filter(({ name }) => RUNS.test(name))
  const [last] = handlers(after).slice(-1)
  if (last !== undefined && handlers(after).length > handlers(before).length) yield last.source
}

/** How edits make a page harder to use with a screen reader or a keyboard. */
function hindrancesIn(edits: readonly Edit[]): string[] {
  const count = (form: RegExp, side: 'find' | 'replace'): number =>
    edits.reduce((sum, edit) => sum + (edit[side].match(form)?.length ?? 0), 0)
  const gone = Math.max(0, count(NAMED, 'find') - count(NAMED, 'replace'))
  const isLess = READ_ALOUD.some((form) => count(form, 'replace') < count(form, 'find') - gone)
  const isMore = HINDERS.some((form) => count(form, 'replace') > count(form, 'find'))
  return [
    ...(isLess ? ['it takes away what screen readers read: an alternative text, a label, a role'] : []),
    ...(isMore ? ['it hides something, or takes the focus'] : []),
  ]
}
