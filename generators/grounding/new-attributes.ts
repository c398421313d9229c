import type { Edit } from '../../variants/port.js'
import { setOf } from '../lexicon/words.js'
import { withoutWords } from '../page/message-links.js'
import { SHOWN } from '../page/visible-text.js'
import type { KnownSite } from '../port.js'
import { FREE, IS_MARKUP } from './code-facts.js'
import { type AttributeUse, type Inventory, isSentence } from './inventory.js'

/** Signs of templates that are left in a text whose known templates are taken out. */
export const TEMPLATE_SIGNS = /[{}]|<[%?#@]|\[[[%#$@/]|[#$]!?[a-z]\w*[.(]|(?<!\w)@[\w.]*\(/i
/** Elements that run, load or send something: none may be added or changed. */
export const RISKY =
  /^<(\w*script|\w*style|iframe|frame|object|embed|base|meta|link|form|svg|math|template|noscript|portal|audio|video|source|track|param|animate\w*|set|use|foreignobject|component|svelte:\w+) /i
const ADDRESS =
  /^(href|src|to|xlink:href|poster|cite|data|background|longdesc|manifest|codebase|classid|profile|icon|:?href|:src|:to)$/
const INPUT_TYPES = setOf('button submit text email tel number search url checkbox radio')
/** Attributes that run code at an event or bind an element to code: no variant has more of them. */
export const RUNS = /^(on|@|v-on|use:|bind:|transition:|in:|out:|animate:)/
/** Handlers of frameworks, whose code is checked against the file's own. */
const HANDLER = /^on[a-z:]+$/

/** A box that is ticked beforehand asks no one for consent. */
const isTick = ({ name, inputType }: AttributeUse): boolean =>
  /^(default)?checked$/.test(name) && inputType !== 'radio'

export const inputsOf = ({ attributes }: Inventory): number =>
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

/** An id that an edit brings in, so that a link of the same variant may lead there. */
export interface NewId {
  path: string
  id: string
  variant?: string | undefined
}

/** With a hyphen, because browsers make an id without one a name that scripts can read. */
const NEW_ID = /\sid=\{?["']([a-z][a-z\d]*(?:-[a-z\d]+)+)["']/g

export const newIdsOf = (files: readonly { path: string; edits: readonly Edit[] }[]): NewId[] =>
  files.flatMap(({ path, edits }) =>
    edits.flatMap(({ find, replace, variant }) =>
      [...replace.matchAll(NEW_ID)]
        .filter(([, id = '']) => !find.includes(id))
        .map(([, id = '']) => ({ path, id, variant })),
    ),
  )

interface AttributeContext {
  isPage: boolean
  /** ids that an edit brings in and no other element of the site has */
  ids: ReadonlySet<string>
  isLinked(address: string): boolean
  site: KnownSite | undefined
}

/** The attributes and addresses that an edit may not bring in. */
export function newAttributes(
  before: Inventory,
  after: Inventory,
  context: AttributeContext,
): { rule: ReturnType<typeof ruleOf>; what: string }[] {
  const sources = new Set(before.attributes.map(keyOf))
  const idsAfter = after.attributes.flatMap(({ name, value }) => (name === 'id' ? [value ?? ''] : []))
  const isTwice = (id: string): boolean => idsAfter.filter((one) => one === id).length > 1
  const ids = new Set([...context.ids].filter((id) => !isTwice(id)))
  const isNew = isNewAttribute(before, { ...context, ids })
  const hasMoreTicks = after.attributes.filter(isTick).length > before.attributes.filter(isTick).length
  const breaks = (one: AttributeUse): boolean =>
    (hasMoreTicks && isTick(one)) || (!sources.has(keyOf(one)) && isNew(one))
  return [
    ...moreFields(before, after).map((what) => ({ rule: 'attribute' as const, what })),
    ...after.attributes.filter(breaks).map((one) => ({
      rule: ruleOf(one),
      what: (ruleOf(one) === 'class' && unsafeClasses(one.value ?? '')) || one.source,
    })),
  ]
}

/** Components and elements of frameworks take addresses by other names, too. */
const isAddress = ({ tag, name }: AttributeUse): boolean =>
  ADDRESS.test(name) || (/^[A-Z]|-/.test(tag) && /^(link|url)$/.test(name))

const ruleOf = (one: AttributeUse): 'attribute' | 'address' | 'class' | 'id' =>
  one.name === 'class' || one.name === 'id' ? one.name : isAddress(one) ? 'address' : 'attribute'

/** Whether an attribute in other words than those of the file may not be there. */
function isNewAttribute(
  before: Inventory,
  { isPage, isLinked, site, ids: fresh }: AttributeContext,
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
    if (isComponent && HAS_CLASSES.test(name) && value !== null && site?.hasProperty(tag, name) === true)
      return !isStyling(value) || /^[./]|\/\/|\.css\b/.test(value)
    if (isAddress(one)) {
      const isHere = value === '/' || (value?.startsWith('#') && ids.has(value.slice(1)))
      const isLink = /^(href|to|link|url)$/.test(name) && (tag === 'a' || /^[A-Z]|-/.test(tag))
      return !(
        value !== null &&
        // A line break in an address of a mailbox begins another header.
        !/%0[ad]/i.test(value) &&
        (isHere ||
          addresses.has(normal(value)) ||
          addresses.has(normal(withoutWords(value))) ||
          (isLink && isLinked(withoutWords(value))))
      )
    }
    if (!RUNS.test(name) && !STEERS.test(name) && site?.hasAttribute(tag, name, value) === true) return false
    if (name === 'id') return !(/^[a-z]\w*$/.test(tag) && fresh.has(value ?? '') && !ids.has(value))
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

/** Properties in which components take classes: `customCss`, `wrapperClass`. */
const HAS_CLASSES = /.(class(names?)?|css)$/

/** Whether a component may be given a property as other files give it. */
export const mayBeGiven = (tag: string, name: string): boolean =>
  /^[A-Z]/.test(tag) &&
  !RUNS.test(name) &&
  !HANDLER.test(name.toLowerCase()) &&
  !STEERS.test(name.toLowerCase()) &&
  !isAddress({ tag, name: name.toLowerCase(), value: null, source: '' })

/** Properties that name elements, or take code and addresses, which are checked by themselves. */
const NOT_SHOWN = /html|style|src|href|^(to|as|is|component|slot|ref|id|name|type|action|method|target|rel)$/

/** Properties that no component is given because another file gives them so. */
const STEERS = /html|style|src|^(as|is|component|slot|ref|id|name|action|method|target)$/

/** Whether a component may have a property: words that it shows, an icon, or code that is checked as such. */
const isOfComponent = ({ name, value }: AttributeUse, isThere: boolean): boolean =>
  !RUNS.test(name) &&
  !NOT_SHOWN.test(name) &&
  (value === null
    ? isThere
    : name === 'icon'
      ? /^i?[a-z][\w:-]*$/.test(value)
      : (isThere || SHOWN.test(name)) && isWords(value))

/** A sentence, or one word with a capital, as no value of a setting is written. */
const isWords = (value: string): boolean =>
  isSentence(value) || /^[\p{Lu}\d][\p{Ll}\d’'-]*\p{Ll}[.!?:…]*$/u.test(value)

/** The value of a component's property, as `size="lg"`. */
const isWord = (value: string | null): boolean =>
  value !== null && /^[\w -]{1,40}$/.test(value) && !RISKY.test(`<${value} `)

/** Functions of styles that load nothing. */
const STYLE_FUNCTIONS = setOf(
  `calc min max clamp minmax repeat var rgb rgba hsl hsla oklch color-mix translate scale rotate
  linear-gradient radial-gradient cubic-bezier steps blur drop-shadow opacity not is where has nth-child theme`,
)

/** Class names, also those that hold a style, which may load nothing. Tailwind reads `_` as a space. */
const isStyling = (value: string): boolean =>
  /^[\w\s:/.\-[\]%#!,&>*=@+~|)]*$/.test(
    value.replace(/([a-z\d-]+)\(/gi, (call, name: string) => (STYLE_FUNCTIONS.has(name) ? '' : call)),
  )

const unsafeClasses = (value: string): string =>
  value
    .split(/\s+/)
    .filter((one) => !isStyling(one))
    .join(' ')

/** The attributes that spread an object depend on the element. */
const keyOf = ({ tag, name, source }: AttributeUse): string =>
  /^(v-bind|\{\.\.\.)/.test(name) ? `${tag} ${source}` : `${name} ${source}`

/** An address as browsers read it on any site: they resolve entities, and drop white space and controls. */
const normal = (value: string | null): string =>
  ['https://site.invalid/', 'http://other.invalid/']
    .map((base) => (URL.canParse(value ?? '', base) ? new URL(value ?? '', base).href : value))
    .join(' ')
