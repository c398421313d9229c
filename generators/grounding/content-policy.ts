import type { Edit } from '../../variants/port.js'
import { splice } from '../../variants/text.js'
import { setOf } from '../lexicon/words.js'
import { filledIn, withoutWords } from '../page/message-links.js'
import { addedTexts, SHOWN } from '../page/visible-text.js'
import type { DropReason, KnownSite } from '../port.js'
import { FREE, IS_MARKUP, newInCode, UNSEEN } from './code-facts.js'
import { newInData } from './data-files.js'
import { type AttributeUse, type Inventory, inventoryOf, isSentence } from './inventory.js'
import { withoutImports } from './site-index.js'

export interface Violation {
  reason: Extract<DropReason, 'invented' | 'dark_pattern' | 'unsafe'>
  message: string
}

/** Claims that only the site can make: the file has to make them already. */
const CLAIMS: readonly RegExp[] = [
  /\bguarant\w+|\bgarant\w+/i,
  /\bfree\b|\bkostenlos\w*|\bgr[aá]tis\b|\bgratuit\w*/i,
  /\bno credit card\b|\bkeine kreditkarte\b|\bsans carte\b|\bsin tarjeta\b/i,
  /\bcancel any ?time\b|\bjederzeit kündbar\b|\bsans engagement\b|\bsin (compromiso|permanencia)\b/i,
  /\bmoney[- ]back\b|\bgeld[- ]zurück\b|\bremboursé\w*|\bdevolución del dinero\b/i,
  /\b(trusted|used|loved|recommended|chosen) by\b|\bvertrauen\b|\bfont confiance\b|\bconfían\b/i,
  /\b(award|certified|official|patented|accredited)\b|\bausgezeichnet\w*|\bzertifiziert\w*|\bcertifi[eé]\w*|\bcertificad\w*/i,
  /\b(most popular|best[- ]?sell\w*|number one|world['’]s|leading)\b|\bbeliebtest\w*|\bmarktführe\w*|\bleader\b|\blíder\b/i,
  /\b(discount|sale|% off|deal)\b|\brabatt\w*|\bremise\b|\bdescuento\b/i,
  /\b(until|till|by|before) (tomorrow|tonight|midnight|(mon|tues|wednes|thurs|fri|satur|sun)day)\b|\b(ends|expires|closes) (today|tonight|tomorrow|soon)\b|\btoday only\b|\bbis (heute|morgen|mitternacht|(mon|diens|donners|frei|sams|sonn)tag|mittwoch)\b|\bnur heute\b|\bjusqu['’](à|au|en) (demain|ce soir|minuit|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\b|\bhasta (el )?(hoy|mañana|medianoche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)\b/i,
  /\b(secure|encrypted|safe)\b|\bverschlüsselt\w*|\bsicher\b|\bsécuris\w*|\bsegur[oa]\b/i,
]

const PRESSES =
  /\b(hurry|last chance|act (now|fast)|selling (out )?fast|almost gone|don['’]t miss( out)?|before it['’]s (gone|too late)|only \d+ left|limited[- ]time)\b|\b(beeil\w*|letzte chance|nur noch \d+|schnell sein)\b|\b(dépêchez|dernière chance|plus que \d+)\b|\b(date prisa|última oportunidad|s[oó]lo quedan?)\b/i

/** An answer that shames the visitor who chooses it. */
const SHAMES =
  /\bno,? thanks?,? i\b|\bi (don['’]t want|hate|prefer not) (to )?\w+|\bnein,? (danke,? )?ich (will|möchte|verzichte)\b|\bnon,? (merci,? )?je (ne veux|préfère)\b|\bno,? (gracias,? )?(no quiero|prefiero)\b/i

/** Notations that servers, template engines, compilers and styles act on, and invisible characters. */
const NOTATIONS =
  /<[?%][\s\S]*?(?:[?%]>|$)|<!(?:--[\s\S]*?(?:-->|$)|[^>]*>?)|\{%[\s\S]*?(?:%\}|$)|@(?:import|php|include)\b|(?<![\w-])(?:url|src|image|image-set|cross-fade|element|paint|expression)\([^)]*\)?|[\w-]*\\[\w\\-]*\(|\bbehavior\s*:|-moz-binding/giu
/** The same in files that are not code. */
const TEMPLATES =
  /\/\*[\s\S]*?(?:\*\/|$)|(?<![:"'`\w])\/\/[^\n]*|\{\{[\s\S]*?(?:\}\}|$)|\{[#!][\s\S]*?(?:[#!]?\}|$)|[$#@*~]\{[^}]*\}?|\[\[[\s\S]*?(?:\]\]|$)|\\\d|__proto__|^\s*!!?[\w<]|:\s!!?[\w<]/gm
/** Comments that compilers obey. */
const PRAGMAS =
  /[#@]\s*(?:source(?:Mapping)?URL|jsx\w*|ts-\w+|__\w+__|vite-ignore|flow|babel|license|preserve|cc_on)[^\n]*|\bwebpack\w+\s*:[^\n]*/g
/** Signs of templates that are left in a text whose known templates are taken out. */
const TEMPLATE_SIGNS = /[{}]|<[%?#@]|\[[[%#$@/]|[#$]!?[a-z]\w*[.(]|(?<!\w)@[\w.]*\(/i
/** Elements that protect the page or load what it needs. */
const NEEDED = /^<(script|meta|link|base|style) /

/** Elements that hold text, which a variant may add. The file must have all others already. */
const INERT = setOf(
  `a p span small strong em b i u s br hr ul ol li dl dt dd div section article aside header footer details
  summary h1 h2 h3 h4 h5 figure figcaption blockquote cite q mark sub sup abbr time label`,
)
/** Elements that run, load or send something: none may be added or changed. */
const RISKY =
  /^<(\w*script|\w*style|iframe|frame|object|embed|base|meta|link|form|svg|math|template|noscript|portal|audio|video|source|track|param|animate\w*|set|use|foreignobject|component|svelte:\w+) /i
const ADDRESS =
  /^(href|src|to|xlink:href|poster|cite|data|background|longdesc|manifest|codebase|classid|profile|icon|:?href|:src|:to)$/
/** An address of the same site, which evidence may state as a whole. */
const OWN_ADDRESS = /^(\/(?![/\\])|#|[\w-]+\.html\b)[\w/#.-]*$/
const INPUT_TYPES = setOf('button submit text email tel number search url checkbox radio')
/** Attributes that run code at an event or bind an element to code: no variant has more of them. */
const RUNS = /^(on|@|v-on|use:|bind:|transition:|in:|out:|animate:)/
/** Handlers of frameworks, whose code is checked against the file's own. */
const HANDLER = /^on[a-z:]+$/

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
  address: 'which neither this file nor the site links to',
  text: 'which a template engine would act on',
  code: 'which the code around it does not use: it may only show and compare what is read there already',
  import:
    'which no other file imports in these words, or which is neither a component nor a function that formats',
  data: 'which the other texts of the file do not have',
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
    offences.push(...addedBy(own, file, known, site))
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
    if (rule === 'undeclared') return [`it reads ${named}, which nothing declares there`]
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
  { path, text, packages }: ChangedFile,
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
  if (/\.(json|ya?ml)$/i.test(path)) {
    const inData = newInData(path, text, now)
    return [...notations, ...(inData === undefined ? [] : as('data', [inData]))]
  }
  let before: Inventory
  let after: Inventory
  const imports = site === undefined ? [] : edits.flatMap((edit) => knownImports(edit, path, site))
  try {
    // Imports of other files count as if they were this file's.
    before = inventoryOf(path, splice(text, imports.map(partOf)))
    after = inventoryOf(path, now)
  } catch {
    // Not parsing is the violation.
    return [...notations, ...as('element', ['something that its parser does not read'])]
  }
  for (const { local } of imports.flatMap(({ replace }) => site?.namesOf(path, replace) ?? []))
    allowName(before, local)
  if (packages?.has('nuxt') === true && path.endsWith('.vue')) allowName(before, 'NuxtLink')
  const stated = new Set(known.split('\n').filter((line) => OWN_ADDRESS.test(line)))
  const isLinked = (address: string): boolean =>
    stated.has(address) || isSpelled(address, text) || site?.hasLink(path, address) === true
  return [
    ...notations,
    ...as('element', newElements(before, after)),
    ...newAttributes(before, after, { isPage: /\.html?$/i.test(path), isLinked, site }),
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

const ticked = ({ attributes }: Inventory): number =>
  attributes.filter(({ name, inputType }) => /^(default)?checked$/.test(name) && inputType !== 'radio').length

const inputsOf = ({ attributes }: Inventory): number =>
  attributes.filter(
    ({ name, value }) => name === 'type' && (value === 'password' || INPUT_TYPES.has(value ?? '')),
  ).length

/** A field under the name of another one is data of the form. */
function moreFields(before: Inventory, after: Inventory): string[] {
  const namesOf = ({ attributes }: Inventory): string[] =>
    attributes.flatMap(({ name, source }) => (name === 'name' ? [source] : []))
  const left = namesOf(before)
  return namesOf(after).filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

interface AttributeContext {
  isPage: boolean
  isLinked(address: string): boolean
  site: KnownSite | undefined
}

function newAttributes(before: Inventory, after: Inventory, context: AttributeContext): Offence[] {
  const sources = new Set(before.attributes.map(keyOf))
  const isNew = isNewAttribute(before, context)
  return [
    ...moreFields(before, after).map((what): Offence => ({ rule: 'attribute', what })),
    ...after.attributes.flatMap((one): Offence[] => {
      const { name, inputType, source } = one
      // A box that is ticked beforehand asks no one for consent.
      const isTicked = /^(default)?checked$/.test(name) && inputType !== 'radio'
      const breaks =
        isTicked && ticked(after) > ticked(before) ? true : !sources.has(keyOf(one)) && isNew(one)
      return breaks ? [{ rule: isAddress(one) ? 'address' : 'attribute', what: source }] : []
    }),
  ]
}

/** Components and elements of frameworks take addresses by other names, too. */
const isAddress = ({ tag, name }: AttributeUse): boolean =>
  ADDRESS.test(name) || (/^[A-Z]|-/.test(tag) && /^(link|url)$/.test(name))

/** Whether an attribute in other words than those of the file may not be there. */
function isNewAttribute(
  before: Inventory,
  { isPage, isLinked, site }: AttributeContext,
): (one: AttributeUse) => boolean {
  const names = new Set(before.attributes.map(({ name }) => name))
  const ids = new Set(before.attributes.filter(({ name }) => name === 'id').map(({ value }) => value))
  const ofTag = new Set(before.attributes.map(({ tag, name }) => `${tag} ${name}`))
  const addresses = new Set(
    before.attributes
      .filter(isAddress)
      .flatMap(({ value }) => [normal(value), normal(value === null ? null : withoutWords(value))]),
  )
  return (one) => {
    const { name, value, tag, inputType } = one
    const isComponent = /^[A-Z]/.test(tag)
    if (isComponent && isOfComponent(one, ofTag.has(`${tag} ${name}`))) return false
    if (isAddress(one)) {
      const isHere = value === '/' || (value?.startsWith('#') && ids.has(value.slice(1)))
      const isLink = /^(href|to|link|url)$/.test(name) && (tag === 'a' || /^[A-Z]|-/.test(tag))
      return !(
        value !== null &&
        (isHere ||
          addresses.has(normal(value)) ||
          addresses.has(normal(withoutWords(value))) ||
          (isLink && isLinked(withoutWords(value))))
      )
    }
    if (!RUNS.test(name) && !STEERS.test(name) && site?.hasAttribute(tag, name, value) === true) return false
    if (name === 'type') return value === null || !INPUT_TYPES.has(value.toLowerCase())
    // The value of a button is its label; the value of a field is data.
    if (name === 'value') {
      const isLabel = tag === 'input' && /^(submit|button)$/.test(inputType ?? '')
      return value === null || !(isLabel || (tag === 'option' && value === ''))
    }
    if (HANDLER.test(name) && value === null && !isPage) return !names.has(name)
    if (FREE.test(name)) {
      const isCodeForPages = isPage && TEMPLATE_SIGNS.test(value ?? '') && name !== 'class'
      return (
        value !== null && (IS_MARKUP.test(value) || isCodeForPages || (name === 'class' && !isStyling(value)))
      )
    }
    return !(isComponent && ofTag.has(`${tag} ${name}`) && isWord(value))
  }
}

/** Properties that name elements, or take code and addresses, which are checked by themselves. */
const NOT_SHOWN = /html|style|src|href|^(to|as|is|component|slot|ref|id|name|type|action|method|target|rel)$/

/** Properties that no component is given because another file gives them so. */
const STEERS = /html|style|src|^(is|component|slot|ref|id|name|action|method|target)$/

/** Whether a component may have a property: words that it shows, an icon, or code that is checked as such. */
const isOfComponent = ({ name, value }: AttributeUse, isThere: boolean): boolean =>
  !RUNS.test(name) &&
  !NOT_SHOWN.test(name) &&
  (value === null
    ? isThere
    : name === 'icon'
      ? /^i?[a-z][\w:-]*$/.test(value)
      : (isThere || SHOWN.test(name)) && isSentence(value))

/** `tel:` with a number, or `mailto:` with an address, that the file says in plain words. */
function isSpelled(given: string, text: string): boolean {
  const address = withoutWords(given)
  const [, kind, value = ''] = /^(tel|mailto):([+\w.@-]+)$/.exec(address) ?? []
  if (kind === 'mailto') return value.includes('@') && text.includes(value)
  const digits = (said: string): string => said.replace(/\(0\)|[^\d+]/g, '')
  return kind === 'tel' && (text.match(NUMBERS) ?? []).some((one) => digits(one) === value)
}
const NUMBERS = /[+(]?\d[\d\s()./-]{6,20}\d/g

/** The value of a component's property, as `size="lg"`. */
const isWord = (value: string | null): boolean =>
  value !== null && /^[\w -]{1,40}$/.test(value) && !RISKY.test(`<${value} `)

/** Functions of styles that load nothing. */
const STYLE_FUNCTIONS = setOf(
  `calc min max clamp minmax repeat var rgb rgba hsl hsla oklch color-mix translate scale rotate
  linear-gradient radial-gradient cubic-bezier steps blur drop-shadow opacity not is where has nth-child theme`,
)

/** Class names, also those that hold a style, which may load nothing. */
const isStyling = (value: string): boolean =>
  /^[\w\s:/.\-[\]%#!,&>*=@+~|)]*$/.test(
    value.replace(/([\w-]+)\(/g, (call, name: string) => (STYLE_FUNCTIONS.has(name) ? '' : call)),
  )

/** The attributes that spread an object depend on the element. */
const keyOf = ({ tag, name, source }: AttributeUse): string =>
  /^(v-bind|\{\.\.\.)/.test(name) ? `${tag} ${source}` : `${name} ${source}`

/** An address as browsers read it on any site: they resolve entities, and drop white space and controls. */
const normal = (value: string | null): string =>
  ['https://site.invalid/', 'http://other.invalid/']
    .map((base) => (URL.canParse(value ?? '', base) ? new URL(value ?? '', base).href : value))
    .join(' ')

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

/** The delay at the end of a timer's call is not a figure that visitors read. */
const DELAY = /(?<=\w\((?:true|false|\d*)\)\s*,\s*)\d+(?=\s*\)$)/

/** The new words of edits that press, or that state what is not known. */
function violationInWords(edits: readonly Edit[], known: string): Violation | null {
  const wordsOf = (edit: Edit): string[] => [
    ...addedTexts(edit).map(({ text }) => text),
    ...filledIn(edit.replace).filter((words) => !filledIn(edit.find).includes(words)),
  ]
  // Words that stand in the same place already are not the variant's.
  const presses = (text: string, before: string): boolean =>
    [PRESSES, SHAMES].some((form) => form.test(text) && !form.test(before.replace(/\s+/g, ' ')))
  const said = edits.map((edit) => ({ words: wordsOf(edit), before: edit.find }))
  const pressing = said.flatMap(({ words, before }) => words.filter((text) => presses(text, before)))
  const unstated = [...new Set(said.flatMap(({ words }) => words.flatMap((text) => unstatedIn(text, known))))]
  if (pressing.length + unstated.length === 0) return null
  const named = unstated.map((one) => (/^\d/.test(one) ? one : `“${one}”`))
  const messages = [
    ...pressing.map((text) => `“${text.slice(0, 80)}” presses or shames`),
    ...(named.length === 0
      ? []
      : [`nothing in the file says ${named.slice(0, MAX_NAMED.things).join(', ')}`]),
  ]
  return { reason: pressing.length > 0 ? 'dark_pattern' : 'invented', message: messages.join('; ') }
}

/** Figures and claims of a text that `known` does not state. */
export function unstatedIn(text: string, known: string): string[] {
  const figures = (text.replace(DELAY, '').match(/\d+(?:[.,]\d+)*/g) ?? []).filter(
    (figure) => !new RegExp(`(?<![\\d.,])${figure.replace(/[.]/g, '\\.')}(?![\\d]|[.,]\\d)`).test(known),
  )
  const claims = CLAIMS.flatMap((form) => {
    const said = form.exec(text)?.[0]
    return said === undefined || form.test(known) ? [] : [said]
  })
  return [...figures, ...claims]
}

/** How a text says a figure or claim of `unstatedIn`, undefined if it does not. */
export const statedAs = (said: string, text: string): string | undefined =>
  unstatedIn(said, text).length > 0
    ? undefined
    : (CLAIMS.find((form) => form.test(said))?.exec(text)?.[0] ?? said)
