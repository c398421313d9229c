import type { Edit } from '../../variants/port.js'
import { splice } from '../../variants/text.js'
import { setOf } from '../lexicon/words.js'
import { addedTexts } from '../page/visible-text.js'
import type { DropReason, KnownSite } from '../port.js'
import { FREE, IS_MARKUP, newInCode, UNSEEN } from './code-facts.js'
import { newInData, newInJson } from './data-files.js'
import { type AttributeUse, type Inventory, inventoryOf, isSentence } from './inventory.js'
import { withoutImports } from './site-index.js'

export interface Violation {
  reason: Extract<DropReason, 'invented' | 'dark_pattern' | 'unsafe'>
  message: string
}

/** Claims that only the site can make: the file has to make them already. */
const CLAIMS: readonly RegExp[] = [
  /\bguarant\w+|\bgarant\w+/i,
  /\bfree\b|\bkostenlos\w*|\bgratis\b|\bgratuit\w*/i,
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

/**
 * Why the edits of a file may not be shown, `null` if they may. An edit may only use the elements,
 * attributes, addresses and code that its file has already. Figures and claims have to be stated in `known`.
 * @param file the file that the edits change
 * @param known the file's text and whatever else is known to be true
 * @param site what other files link to and import
 */
export function policyViolation(
  edits: readonly Edit[],
  file: { path: string; text: string },
  known: string,
  site?: KnownSite,
): Violation | null {
  if (!READ.test(file.path)) return unsafe('svc does not read files of this kind')
  for (const edit of edits)
    for (const { text } of addedTexts(edit)) {
      const violation = violationInWords(text, known)
      if (violation !== null) return violation
    }
  for (const { replace } of edits) {
    const notation =
      UNSEEN.exec(replace)?.[0] ??
      newIn(replace, NOTATIONS, file.text) ??
      (isCode(file.path) ? null : newIn(replace, TEMPLATES, file.text))
    if (notation !== null) return unsafe(`it brings in “${notation.slice(0, 60)}”`)
  }
  // A variant is seen together with the edits for everybody.
  for (const variant of new Set(edits.map((edit) => edit.variant))) {
    const own = edits.filter((edit) => edit.variant === undefined || edit.variant === variant)
    const added = addedBy(own, file, known, site)
    const links = /^(href|to)\s*=/.test(added ?? '') ? (site?.links.slice(0, 20).join(', ') ?? '') : ''
    const linked = links === '' ? '' : `: the site links to ${links}`
    if (added !== null) return unsafe(`it brings in “${added.trim().slice(0, 60)}”${linked}`)
    const hindrance = hindranceIn(own)
    if (hindrance !== null) return unsafe(hindrance)
  }
  return null
}

const unsafe = (message: string): Violation => ({ reason: 'unsafe', message })

/** The first thing that the edits of one variant add to a file, read by the file's parser; or `null`. */
function addedBy(
  edits: readonly Edit[],
  { path, text }: { path: string; text: string },
  known: string,
  site: KnownSite | undefined,
): string | null {
  const partOf = ({ find, replace }: Edit) => ({
    start: text.indexOf(find),
    end: text.indexOf(find) + find.length,
    text: replace,
  })
  const parts = edits.map(partOf)
  // Grounding refuses an edit whose place is not found.
  if (parts.some(({ start }) => start < 0)) return null
  const now = splice(text, parts)
  // An edit may change the inside of a comment or an address.
  const notation = newIn(now, PRAGMAS, text) ?? (isCode(path) ? null : newIn(now, NOTATIONS, text))
  if (notation !== null) return notation
  const added = /\.json$/i.test(path) ? newInJson(text, now) : undefined
  if (added !== undefined) return added
  let before: Inventory | null
  let after: Inventory | null
  const imports = site === undefined ? [] : edits.filter((edit) => importsOnly(edit, path, site))
  try {
    // Imports of other files count as if they were this file's.
    before = inventoryOf(path, splice(text, imports.map(partOf)))
    after = inventoryOf(path, now)
  } catch {
    // Not parsing is the violation.
    return 'something that its parser does not read'
  }
  if (before === null || after === null)
    return (
      edits.map(({ find, replace }) => newInData(find, replace, text)).find((one) => one !== null) ?? null
    )
  for (const { local } of imports.flatMap(({ replace }) => site?.namesOf(path, replace) ?? []))
    allowName(before, local)
  const isPage = /\.html?$/i.test(path)
  const stated = new Set(known.split('\n').filter((line) => OWN_ADDRESS.test(line)))
  const isLinked = (address: string): boolean =>
    stated.has(address) || isSpelled(address, text) || site?.hasLink(path, address) === true
  return (
    newElement(before, after) ??
    newAttribute(before, after, isPage, isLinked) ??
    newText(before, after, text) ??
    newInCode(before.code, after.code)
  )
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

/** Whether an edit adds nothing but imports of components and computations that other files import. */
const importsOnly = ({ find, replace }: Edit, path: string, site: KnownSite): boolean =>
  withoutImports(find) === withoutImports(replace) &&
  site
    .namesOf(path, find)
    .every(({ local }) => site.namesOf(path, replace).some((one) => one.local === local)) &&
  site
    .namesOf(path, replace)
    .every(({ local, isKnown }) => isKnown || site.namesOf(path, find).some((one) => one.local === local))

/** The first match of a replacement that the file does not have. */
const newIn = (replace: string, form: RegExp, text: string): string | null =>
  replace.match(form)?.find((one) => !text.includes(one)) ?? null

/** Texts of pages in which a template engine, or a framework in the browser, would find code. */
function newText(before: Inventory, after: Inventory, file: string): string | null {
  for (const text of after.texts) {
    if (before.texts.has(text)) continue
    const rest = text.replace(TEMPLATES, (one) => (file.includes(one) ? '' : one))
    if (TEMPLATE_SIGNS.test(rest) || UNSEEN.test(rest)) return rest
  }
  return null
}

function newElement(before: Inventory, after: Inventory): string | null {
  for (const tag of after.tags) if (!before.tags.has(tag) && !INERT.has(tag)) return `<${tag}>`
  // `Link` is a component of a framework, and stands in the file.
  for (const [opening, count] of after.openings)
    if (
      RISKY.test(opening) &&
      !/^<[A-Z](?!\w*(?:Script|Style|cript|tyle) )[a-z]/.test(opening) &&
      count > (before.openings.get(opening) ?? 0)
    )
      return opening
  for (const [opening, count] of before.openings)
    if (NEEDED.test(opening) && count > (after.openings.get(opening) ?? 0)) return `a page without ${opening}`
  for (const block of after.shell) if (!before.shell.has(block)) return block
  if (after.passwords > before.passwords) return 'a password field'
  if (after.passwords < before.passwords && inputsOf(after) >= inputsOf(before))
    return 'a password in clear text'
  for (const [tag, combinations] of after.combinations)
    for (const one of combinations)
      if (!before.combinations.get(tag)?.some((other) => [...one].every((each) => other.has(each))))
        return `<${tag} ${[...one].join(' ')}>`
  const handlers = ({ attributes }: Inventory): AttributeUse[] =>
    attributes.filter(({ name }) => RUNS.test(name))
  return handlers(after).length > handlers(before).length ? (handlers(after).at(-1)?.source ?? null) : null
}

const ticked = ({ attributes }: Inventory): number =>
  attributes.filter(({ name, inputType }) => /^(default)?checked$/.test(name) && inputType !== 'radio').length

const inputsOf = ({ attributes }: Inventory): number =>
  attributes.filter(
    ({ name, value }) => name === 'type' && (value === 'password' || INPUT_TYPES.has(value ?? '')),
  ).length

/** A field under the name of another one is data of the form. */
function moreFields(before: Inventory, after: Inventory): string | undefined {
  const namesOf = ({ attributes }: Inventory): string[] =>
    attributes.flatMap(({ name, source }) => (name === 'name' ? [source] : []))
  const left = namesOf(before)
  return namesOf(after).find((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

function newAttribute(
  before: Inventory,
  after: Inventory,
  isPage: boolean,
  isLinked: (address: string) => boolean,
): string | null {
  const sources = new Set(before.attributes.map(keyOf))
  const names = new Set(before.attributes.map(({ name }) => name))
  const ids = new Set(before.attributes.filter(({ name }) => name === 'id').map(({ value }) => value))
  const ofTag = new Set(before.attributes.map(({ tag, name }) => `${tag} ${name}`))
  const addresses = new Set(
    before.attributes.filter(({ name }) => ADDRESS.test(name)).map(({ value }) => normal(value)),
  )
  const extra = moreFields(before, after)
  if (extra !== undefined) return extra
  for (const one of after.attributes) {
    // A box that is ticked beforehand asks no one for consent.
    if (/^(default)?checked$/.test(one.name) && one.inputType !== 'radio' && ticked(after) > ticked(before))
      return one.source
    if (sources.has(keyOf(one))) continue
    const { name, value, tag, inputType } = one
    if (/^[A-Z]/.test(tag) && isOfComponent(one, ofTag.has(`${tag} ${name}`))) continue
    if (ADDRESS.test(name)) {
      const isHere = value === '/' || (value?.startsWith('#') && ids.has(value.slice(1)))
      const isLink = /^(href|to)$/.test(name) && (tag === 'a' || /^[A-Z]|-/.test(tag))
      const isKnown =
        value !== null && (isHere || addresses.has(normal(value)) || (isLink && isLinked(value)))
      if (!isKnown) return one.source
    } else if (name === 'type') {
      if (value === null || !INPUT_TYPES.has(value.toLowerCase())) return one.source
    } else if (name === 'value') {
      // The value of a button is its label; the value of a field is data.
      const isLabel = tag === 'input' && /^(submit|button)$/.test(inputType ?? '')
      if (value === null || !(isLabel || (tag === 'option' && value === ''))) return one.source
    } else if (HANDLER.test(name) && value === null && !isPage) {
      if (!names.has(name)) return one.source
    } else if (FREE.test(name)) {
      if (
        value !== null &&
        (IS_MARKUP.test(value) || (isPage && TEMPLATE_SIGNS.test(value) && name !== 'class'))
      )
        return one.source
      if (name === 'class' && value !== null && !isStyling(value)) return one.source
    } else if (!(/^[A-Z]/.test(tag) && ofTag.has(`${tag} ${name}`) && isWord(value))) return one.source
  }
  return null
}

/** Properties by which components are given what they show. */
const SHOWN =
  /^(sub)?(title|heading|headline|description|text|label|message|hint|caption|tagline)$|^\w+(text|label|title|description)$/
/** Properties that name elements, or take code and addresses, which are checked by themselves. */
const NOT_SHOWN = /html|style|src|href|^(to|as|is|component|slot|ref|id|name|type|action|method|target|rel)$/

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
function isSpelled(address: string, text: string): boolean {
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

/** The reason why edits make a page harder to use with a screen reader or a keyboard, null if they do not. */
function hindranceIn(edits: readonly Edit[]): string | null {
  const count = (form: RegExp, side: 'find' | 'replace'): number =>
    edits.reduce((sum, edit) => sum + (edit[side].match(form)?.length ?? 0), 0)
  const gone = Math.max(0, count(NAMED, 'find') - count(NAMED, 'replace'))
  if (READ_ALOUD.some((form) => count(form, 'replace') < count(form, 'find') - gone))
    return 'it takes away what screen readers read'
  if (HINDERS.some((form) => count(form, 'replace') > count(form, 'find')))
    return 'it hides something, or takes the focus'
  return null
}

/** The delay at the end of a timer's call is not a figure that visitors read. */
const DELAY = /(?<=\w\((?:true|false|\d*)\)\s*,\s*)\d+(?=\s*\)$)/

function violationInWords(text: string, known: string): Violation | null {
  if (PRESSES.test(text) || SHAMES.test(text))
    return { reason: 'dark_pattern', message: `“${text.slice(0, 80)}” presses or shames` }
  const [first] = unstatedIn(text, known)
  if (first === undefined) return null
  return {
    reason: 'invented',
    message: `nothing in the file says ${/^\d/.test(first) ? first : `“${first}”`}`,
  }
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
