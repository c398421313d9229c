import { withoutComments } from '../comments.js'
import { MAIL } from '../lexicon/mail-address.js'
import type { Locale } from '../page/locales.js'
import { withoutWords } from '../page/message-links.js'
import { outsideActOf } from '../page/outside.js'
import { joined } from '../page/page-paths.js'
import type { KnownSite } from '../port.js'
import { importsMessages } from './messages.js'
import { COMPUTES } from './pieces.js'
import { isSpelled, NUMBERS } from './spelled.js'

const LINK =
  /\b(?:href|to)\s*[=:]\s*\{?\s*["'`]([^"'`\s{}$<>\\]+)["'`]|\b(?:path|link|url|route)["']?\s*[=:]\s*\{?\s*["'](\/[\w/-]*)["']|\b(?:push|navigate|navigateTo|redirect)\(\s*["'](\/[^"'\s\\]*)["']/g
const IMPORT = /\bimport\s{1,9}(?!type\b)([\w$\s{},*]{1,3000}?)\s{1,9}from\s{0,9}["']([^"'\n]+)["']/g
/** The opening tag of a component, and its attributes that are words or flags. */
const COMPONENT =
  /<([A-Z][\w.]*|[a-z]+-[\w-]+)((?:\s+[\w:@.#-]+(?:=(?:"[^"<>{}]*"|'[^'<>{}]*'|\{[^{}]*\}))?)+)/g
const ATTRIBUTE =
  /\s([\w-]+)(?:=(?:"([\w -]{0,40})"|'([\w -]{0,40})'|\{\s*(?:"([\w -]{0,40})"|'([\w -]{0,40})')\s*\})|(?![\w:@.#=-]))/g
const PROPERTY = /\s:?([\w-]+)=/g
/** An attribute that is given a value by its name: `text={user.name}`, `:text="user.name"`. */
const GIVEN = /\s(?:([\w-]+)=\{\s*|:([\w-]+)=")([a-zA-Z_$][\w$]*(?:\??\.[\w$]+)*)(?:\s*\}|")/g
/** A constant as the address of a link: `href={BOOK}`, `:to="BOOK"`. */
const NAMED_LINK =
  /<(?:a|\w*Link|[\w-]+-link)\b[^<>]{0,600}?\s(?::(?:href|to)="|(?:href|to)=\{\s*)([a-zA-Z_$][\w$]*)(?:"|\s*\})/g
/** The name of a component, and no constant such as `API`. */
const IS_NAME = /^[A-Z]\w*[a-z]\w*$/
const SHOWN = /<([A-Z]\w*)(?=[\s/>])/g
const ID = /\sid=\{?["'`]([^"'`\s{}$]+)["'`]/g
const IS_COMPONENT = /\.(vue|svelte|[jt]sx)$/i
/** A property of an object that code takes as given. */
const READ = /(?<![\w$.])([a-z][\w$]*)\.([a-zA-Z][\w$]*)(?![\w$(])/g
/** Properties under the name of what they are given: `{item}`, `item={item}`, `:item="item"`. */
const SAME_NAME = /\s(?::?([\w$]+)=(?:\{\s*\1\s*\}|"\1")|\{([\w$]+)\})/g
/** The components of frameworks that lead to a page of the site, with the package that brings them. */
const LINK_IMPORTS: Readonly<Record<string, RegExp>> = {
  'default Link next/link': /^next(?:$|\/)/,
  'named Link react-router-dom': /^react-router-dom$/,
  'named Link react-router': /^react-router$/,
  'named Link @remix-run/react': /^@remix-run\/react$/,
  'named Link gatsby': /^gatsby$/,
}
/** Addresses that do something when they are opened, or are not for visitors. */
const ACTS =
  /(^|[/_-])(api|log[-_]?(out|off)|sign[-_]?out|delete\w*|remove\w*|destroy|clear|unsubscribe|cancel|admin)([/_?.-]|$)|[?&]action=/i
/** The same in the name of a constant: `LOGOUT_URL`. */
const NAMES_ACT =
  /log_?(out|off)|sign_?out|delete|remove|destroy|unsubscribe|cancel|admin|(^|_)api|api(_|$|[A-Z])/i

/** The links and imports of a site, collected file by file. */
export class SiteIndex implements KnownSite {
  /** addresses, each with the number of files that link there */
  readonly #links = new Map<string, number>()
  readonly #ids = new Set<string>()
  readonly #imports = new Set<string>()
  readonly #attributes = new Set<string>()
  readonly #properties = new Set<string>()
  /** imports that links are given as addresses */
  readonly #addresses = new Set<string>()
  /** addresses of links that call or write, without the words that they fill in */
  readonly #contacts = new Set<string>()
  /** numbers and addresses that files print */
  readonly #spelled = new Set<string>()
  readonly #components = new Set<string>()
  readonly texts: Locale[] = []
  hasTemplateTexts = false
  /** by file, the properties that a component reads, as `product.available` */
  readonly #reads = new Map<string, ReadonlySet<string>>()

  addTexts(locale: Locale): void {
    this.texts.push(locale)
  }

  add(path: string, written: string): void {
    const text = withoutComments(written)
    const linked = new Set<string>()
    for (const [, first, second, third] of text.matchAll(LINK)) {
      const address = addressOf(path, first ?? second ?? third ?? '')
      if (address !== null) linked.add(address).add(address.replace(/\?.*$/, ''))
      if (outsideActOf(first ?? '') === 'contact') this.#contacts.add(withoutWords(first ?? ''))
    }
    for (const address of linked) this.#links.set(address, this.linksTo(address) + 1)
    if (/\.vue$/i.test(path) && /(?<![\w.])\$t\(/.test(text)) this.hasTemplateTexts = true
    const route = routeOf(path)
    if (route !== null) this.#links.set(route, this.linksTo(route))
    // A page of components may have the elements of several files.
    if (!IS_PAGE.test(path)) for (const [, id = ''] of text.matchAll(ID)) this.#ids.add(id)
    if (IS_COMPONENT.test(path))
      this.#reads.set(withoutEnding(`/${path}`), new Set([...text.matchAll(READ)].map(([read]) => read)))
    for (const [, tag = ''] of text.matchAll(SHOWN)) this.#components.add(tag)
    const shown = text.replace(TAG, ' | ')
    const numbers = (shown.match(NUMBERS) ?? []).filter(
      (one) => /^(\+|\(?0|\(\d)/.test(one) && !one.includes('\n'),
    )
    for (const said of [...numbers, ...(shown.match(MAIL) ?? [])]) this.#spelled.add(said)
    if (/whats ?app/i.test(shown)) this.#spelled.add('WhatsApp')
    const named = new Set([...text.matchAll(NAMED_LINK)].map(([, name]) => name))
    for (const { key, local, from } of importsIn(path, text)) {
      this.#imports.add(key)
      if (named.has(local)) this.#addresses.add(key)
      for (const [link, is] of Object.entries(LINK_IMPORTS)) if (is.test(from)) this.#imports.add(link)
    }
    for (const [, tag = '', attributes = ''] of text.matchAll(COMPONENT)) {
      for (const [, name = '', ...values] of attributes.matchAll(ATTRIBUTE))
        this.#attributes.add(attributeKey(tag, name, values.find((one) => one !== undefined) ?? ''))
      for (const [, name, bound, code = ''] of attributes.matchAll(GIVEN))
        this.#attributes.add(attributeKey(tag, name ?? bound ?? '', `{${code}}`))
      for (const [, name = ''] of attributes.matchAll(PROPERTY)) this.#properties.add(attributeKey(tag, name))
    }
  }

  /** The components that a file imports, whether it shows them or not, and other files show. */
  shownImports(path: string, text: string): string[] {
    return importsIn(path, withoutComments(text)).flatMap(({ key, local }) =>
      IS_NAME.test(local) && !key.startsWith('default *') && this.#components.has(local) ? [local] : [],
    )
  }

  /** The number of files that link to an address. */
  linksTo(address: string): number {
    return this.#links.get(address) ?? 0
  }

  /** The same for the page of a file, `null` if its address is not known by its path. */
  linksToPage(path: string): number | null {
    const address = IS_PAGE.test(path) ? `/${path.replace(/^(?:public|static)\//, '')}` : routeOf(path)
    if (address === null) return null
    const forms = [address, address.replace(/(?:\/index)?\.html?$/i, ''), address.toLowerCase()]
    return Math.max(...forms.map((one) => this.linksTo(one)))
  }

  /** Whether a file gives a component this attribute in the same words. */
  hasAttribute(tag: string, name: string, value: string | null): boolean {
    return value !== null && this.#attributes.has(attributeKey(tag, name, value))
  }

  hasProperty(tag: string, name: string): boolean {
    return this.#properties.has(attributeKey(tag, name))
  }

  spells(address: string): boolean {
    return isSpelled(address, [...this.#spelled].join('\n|\n'))
  }

  addressNames(path: string, text: string): string[] {
    return importsIn(path, text).flatMap(({ key, local }) =>
      this.#addresses.has(key) && !NAMES_ACT.test(local) ? [local] : [],
    )
  }

  get links(): string[] {
    return [...this.#links.keys()].filter((one) => !ACTS.test(one)).sort()
  }

  /** Whether a file of the site links to an address, a page answers there, or a component has the id. */
  hasLink(path: string, value: string): boolean {
    const id = /^\/?#(.+)/.exec(value)?.[1]
    if (id !== undefined && this.#ids.has(id) && !IS_PAGE.test(path)) return true
    if (this.#contacts.has(value)) return true
    const address = addressOf(path, value)
    return address !== null && this.#links.has(address) && !ACTS.test(address)
  }

  /** The properties that the components of a file read of objects which it gives them under the same name. */
  readsBelow(path: string, text: string): string[] {
    const imported = importsIn(path, text)
    return [...text.matchAll(OPENING)].flatMap(([, tag = '', attributes = '']) => {
      const from = imported.find(({ local }) => local === tag)?.from
      const reads = from === undefined ? undefined : this.#reads.get(withoutEnding(from))
      const given = [...attributes.matchAll(SAME_NAME)].map(([, named, short]) => named ?? short ?? '')
      return [...(reads ?? [])].filter((one) => given.includes(one.split('.')[0] ?? ''))
    })
  }

  /** The names of imports in a text that are components or compute something, and are imported elsewhere. */
  namesOf(path: string, text: string): { local: string; isKnown: boolean }[] {
    return importsIn(path, text).map(({ key, local, from }) => ({
      local,
      isKnown:
        this.#imports.has(key) &&
        (/^[A-Z]\w*$/.test(local) ||
          COMPUTES.test(local) ||
          importsMessages(from) ||
          (this.#addresses.has(key) && !NAMES_ACT.test(local))),
    }))
  }
}

/** The opening tag of a component with all its attributes. */
const OPENING = /<([A-Z]\w*)((?:[^<>"{}]|"[^"]*"|\{[^{}]*\})*)>/g

const withoutEnding = (path: string): string => path.replace(/\.[cm]?[jt]sx?$/, '')

const IS_PAGE = /\.html?$/i

/** A tag with its attributes, in which code may stand. */
const TAG = /<[a-zA-Z](?:[^<>"'{}]|"[^"]{0,1000}"|'[^']{0,1000}'|\{[^{}]{0,1000}\}){0,1000}>/g

const attributeKey = (tag: string, name: string, value = ''): string =>
  `${tag} ${name.toLowerCase()} ${value}`

/** The text without its imports of names, or without some of them. */
export const withoutImports = (
  text: string,
  isLeftOut: (statement: string) => boolean = () => true,
): string => text.replace(IMPORT, (statement) => (isLeftOut(statement) ? '' : statement))

function importsIn(path: string, text: string): { key: string; local: string; from: string }[] {
  return [...text.matchAll(IMPORT)].flatMap(([, names = '', written = '']) => {
    const from = (written.startsWith('.') ? `/${joined(path, written)}` : written).replace(
      /\.[cm]?[jt]sx?$/,
      '',
    )
    const braced = /\{([^}]*)\}/.exec(names)?.[1]?.split(',') ?? []
    const whole = names
      .replace(/\{[^}]*\}/, '')
      .split(',')
      .map((name) => ({ name, kind: 'default' }))
    return [...whole, ...braced.map((name) => ({ name, kind: 'named' }))]
      .map(({ name, kind }) => ({ name: name.trim().replace(/\s+/g, ' '), kind }))
      .filter(({ name }) => name !== '')
      .map(({ name, kind }) => ({
        from,
        key: `${kind} ${name} ${from}`,
        local: name.replace(kind === 'default' ? /^\* ?as / : /^\w+ as /, ''),
      }))
  })
}

/** An address inside of the site as a path from its root, without fragment; `null` for all others. */
function addressOf(path: string, value: string): string | null {
  const bare = value.replace(/#.*$/, '')
  if (/^\/(?![/\\])[\w\-./~%?=&+,@]*$/.test(bare)) return bare.replace(/(?<=.)\/(?=$|\?)/, '')
  const isRelative = IS_PAGE.test(path) && /^[\w.-][\w./-]*(\?[\w=&%-]*)?$/.test(bare)
  if (!isRelative) return null
  return `/${joined(path, bare)}${/\?.*$/.exec(bare)?.[0] ?? ''}`
}

/** `src/app/(shop)/cart/page.tsx` and `pages/cart.vue` are shown at `/cart`. */
function routeOf(path: string): string | null {
  const found =
    /(?:^|\/)app\/(.*\/)?page\.[jt]sx?$/.exec(path)?.[1] ??
    /(?:^|\/)routes\/(.*\/)?\+page\.svelte$/.exec(path)?.[1] ??
    /(?:^|\/)pages\/(?!api\/|_)(.+)\.(?:[jt]sx|vue)$/.exec(path)?.[1]
  const route = found?.replace(/\([^)]*\)\//g, '').replace(/\/$|(^|\/)index$/g, '')
  return route === undefined || /[[\]$]/.test(route) ? null : `/${route}`
}
