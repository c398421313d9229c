import { createHash } from 'node:crypto'
import { type Findings, isNobodys } from './analyse.js'
import { factsOfTexts } from './facts.js'
import {
  filesFor,
  type Handler,
  handlerOf,
  leavesForms,
  type Receiver,
  receiverKey,
  scriptsAt,
} from './form-handlers.js'
import type { Evidence, KnownMark, KnownPage, KnownStatement, KnownWay, Opening, Part, Site } from './idea.js'
import type { KeyCall } from './keyed.js'
import { type Locale, type Texts, textOfKey, textsOf } from './locales.js'
import { NO_DRESS } from './mechanisms/layout/dress.js'
import { UNTOLD } from './mechanisms/opening/first.js'
import { isStartPage } from './mechanisms/opening/hero.js'
import { routeOf } from './pages-at.js'
import { fileMeant, type Node, partsShown } from './reach.js'
import type { Shown } from './start-pages.js'
import { statementsIn } from './statements.js'
import { nameOf, plain } from './uses.js'
import { isLanguage } from './words/language.js'
import type { Reassurance } from './words/phrases.js'
import { FIGURE, type StatementKind } from './words/statements.js'

/** What the files of a repository say for each other. `key` changes whenever any of it does. */
export interface Known {
  texts: Texts
  site: Site
  hasSite: boolean
  key: string
}

const MOST_LOCALE_TEXT = 8_000_000
/** How many files stand between a page and what opens it, and how many ways to act are known. */
const MOST_STEPS = 4
const MOST_WAYS = 300
const LONGEST_KEYED = 200
const MOST_STATEMENTS = 120
const MOST_PAGES = 600
const MOST_LABELS = 20
/** How many forms are followed to the code that receives them. */
const MOST_RECEIVERS = 300

/** Files that show a part to nobody who visits. */
const NO_PAGE = /\.(test|spec|stories)\.|(^|\/)(__tests__|tests?|stories|storybook)\//i

/** Gathers, file by file and in any order, what later proposals can lean on. */
export class Around {
  /** classes that stand somewhere: what the site has a style for */
  readonly classes = new Set<string>()
  /** by name, the files that name it */
  readonly uses = new Map<string, Set<string>>()
  /** some file speaks of making an account */
  signsUp = false
  readonly #marks = new Map<string, KnownMark>()
  readonly #fieldReads = { asTheyAre: new Set<string>(), needed: new Set<string>() }
  /** by address, the files whose own server takes what is sent there */
  readonly #posts = new Map<string, string[]>()
  readonly #receivers: { path: string; to: Receiver }[] = []
  readonly #handlers = new Map<string, Handler>()
  /** some page has a part that stays at the top of the window */
  sticks = false
  /** by folder, pages that a theme has to show what it can do */
  readonly #samples = new Map<string, Set<string>>()
  /** by file, what it sends to the site's own analytics */
  readonly sentEvents = new Map<string, readonly string[]>()
  readonly #labels = new Map<string, number>()
  /** files as they name others */
  readonly nodes: Node[] = []
  /** with what pages open, by their path */
  readonly #opensWith = new Map<string, string | null>()
  /** what lists of routes show where the site begins, by the file of the list */
  readonly #atRoot: (Shown & { path: string })[] = []
  readonly #pages: KnownPage[] = []
  readonly #ways: KnownWay[] = []
  readonly #locales: Locale[] = []
  readonly #links = new Map<string, { label: string; count: number; labels: Map<string, string> }>()
  readonly #languages = new Map<string, number>()
  #localeText = 0
  #free: Evidence | null = null
  #promise: Evidence | null = null
  #proof: Evidence | null = null
  #trial: Evidence | null = null
  #hasPrices = false
  #line: Evidence | null = null
  #freePlan: Evidence | null = null
  readonly #parts = new Map<string, Part>()
  readonly #places = new Map<string, string>()
  readonly #ids = new Set<string>()
  readonly #finds = new Map<string, string[]>()
  readonly #statements: KnownStatement[] = []
  readonly #figures = new Map<StatementKind, Set<string>>()
  readonly #keyCalls: { path: string; shows: readonly string[]; calls: readonly KeyCall[] }[] = []
  readonly #reassures = new Map<Reassurance, Evidence>()

  /** Pages that the site has by where their files are. */
  addRoute(path: string): void {
    this.#addSample(path)
    const href = routeOf(path)
    if (href !== null && !this.#links.has(href))
      this.#links.set(href, { label: '', count: 0, labels: new Map() })
  }

  addLocale(locale: Locale): void {
    this.#localeText += locale.text.length
    if (this.#localeText <= MOST_LOCALE_TEXT) this.#locales.push(locale)
  }

  /** Whether a page shows a theme and not a site: in its folder, or one above it, stand sheets of samples. Nobody comes to these to do what they speak of. */
  isTheme(path: string): boolean {
    const parts = path.split('/')
    return parts.some(
      (_, at) => (this.#samples.get(parts.slice(0, at).join('/'))?.size ?? 0) >= LEAST_SAMPLES,
    )
  }

  #addSample(path: string): void {
    const name = SAMPLE.exec(path)?.[1]?.toLowerCase()
    if (name === undefined) return
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    this.#samples.set(folder, (this.#samples.get(folder) ?? new Set()).add(name))
  }

  /** What a file names, and whether it speaks of accounts. */
  addNamed(
    path: string,
    { uses, signsUp, imports, atRoot }: Pick<Findings, 'uses' | 'signsUp' | 'imports' | 'atRoot'>,
  ): void {
    this.nodes.push({ path, imports, uses })
    if (!NO_PAGE.test(path)) this.#atRoot.push(...atRoot.map((shown) => ({ ...shown, path })))
    for (const use of uses) this.uses.set(use, (this.uses.get(use) ?? new Set()).add(path))
    this.signsUp ||= signsUp
  }

  /** What a file does with what visitors fill in and press. */
  addHandled(
    path: string,
    { fieldReads: { asTheyAre, needed }, marks, sentEvents, posts, receivers }: Findings,
  ): void {
    for (const mark of marks) {
      const key = `${mark.property} ${mark.says ?? ''}`
      const known = this.#marks.get(key)
      if (known === undefined || path < known.path) this.#marks.set(key, { ...mark, path })
    }
    for (const post of posts) this.#posts.set(post, [...(this.#posts.get(post) ?? []), path].sort())
    this.#receivers.push(...receivers.map((to) => ({ path, to })))
    if (sentEvents.length > 0) this.sentEvents.set(path, sentEvents)
    for (const one of asTheyAre) this.#fieldReads.asTheyAre.add(one)
    for (const one of needed) this.#fieldReads.needed.add(one)
  }

  add(path: string, { classes, language, facts }: Findings): void {
    for (const one of classes) this.classes.add(one)
    if (facts.opensWith !== undefined) this.#opensWith.set(path, facts.opensWith)
    const { heading, describes } = facts
    if (heading !== null || describes !== null) this.#pages.push({ path, heading, describes, language })
    this.#ways.push(...facts.ways.map((way) => ({ ...way, path })))
    if (language !== null) this.#languages.set(language, (this.#languages.get(language) ?? 0) + 1)
    for (const { href, label } of facts.links) {
      const known = this.#links.get(href)
      const labels = known?.labels ?? new Map<string, string>()
      const by = labels.get(label)
      if (by === undefined ? labels.size < MOST_LABELS : path < by) labels.set(label, path)
      this.#links.set(href, {
        label: known?.label === '' ? label : (known?.label ?? label),
        count: (known?.count ?? 0) + 1,
        labels,
      })
    }
    for (const { href, label } of facts.places)
      if (!this.#places.has(href) || label < (this.#places.get(href) ?? '')) this.#places.set(href, label)
    for (const id of facts.ids) this.#ids.add(id)
    this.#free = first(this.#free, path, facts.free)
    this.#promise = first(this.#promise, path, facts.promise)
    this.#proof = first(this.#proof, path, facts.proof)
    for (const says of facts.finds) this.#finds.set(says, [...(this.#finds.get(says) ?? []), path].sort())
    this.#trial = first(this.#trial, path, facts.trial)
    this.#hasPrices ||= facts.hasPrices
    this.sticks ||= facts.sticks
    if (facts.part !== null) this.#addPart(path, facts.part)
    if (facts.labelStyle !== null)
      this.#labels.set(facts.labelStyle, (this.#labels.get(facts.labelStyle) ?? 0) + 1)
    this.#line = first(this.#line, path, facts.line)
    this.#freePlan = first(this.#freePlan, path, facts.freePlan)
    for (const { kind, figure } of facts.figures)
      this.#figures.set(kind, (this.#figures.get(kind) ?? new Set()).add(figure))
    this.#statements.push(...facts.statements.map((one) => ({ ...one, path, shows: facts.shows })))
    if (facts.keyCalls.length > 0) this.#keyCalls.push({ path, shows: facts.shows, calls: facts.keyCalls })
    for (const { kind, says } of facts.reassures) {
      const best = first(this.#reassures.get(kind) ?? null, path, says)
      if (best !== null) this.#reassures.set(kind, best)
    }
  }

  /** Reads the files that forms name, and no others. @param read `null`: it is not there */
  async addHandlers(read: (path: string) => Promise<string | null>): Promise<void> {
    for (const { path, to } of this.#receivers.slice(0, MOST_RECEIVERS)) {
      if (!(await leaveForms(path, to, read))) continue
      const files = filesFor(path, to, this.#posts)
      for (const file of files) {
        const text = file === path ? null : await read(file)
        if (text === null) continue
        const handler = handlerOf(file, text, to)
        if (handler !== null) this.#handlers.set(receiverKey(path, to), handler)
        break
      }
    }
  }

  /** Of two with one name nothing is known. */
  #addPart(path: string, part: Part): void {
    const name = plain(nameOf(path))
    this.#parts.set(
      name,
      this.#parts.has(name)
        ? { isStandIn: false, asks: false, showsField: false, hasIds: true, dress: NO_DRESS }
        : part,
    )
  }

  /** With what the site opens: the files in whose hands that is, of each of its start pages. */
  #openings(): Record<string, Opening> {
    const shownBy = partsShown(this.nodes)
    const found = new Map<string, Opening>()
    const atRoot = this.#startPages(shownBy)
    const pages = [...this.#opensWith.keys()].filter((one) => isStartPage(one) || atRoot.has(one)).sort()
    const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
    // Of pages in folders the uppermost opens the site.
    const isBelow = (path: string): boolean =>
      pages.some(
        (other) =>
          /\.html?$/i.test(other) && folderOf(other) !== folderOf(path) && path.startsWith(folderOf(other)),
      )
    for (const page of pages.filter((one) => !/\.html?$/i.test(one) || !isBelow(one))) {
      let path = page
      let below: string | null = null
      for (let steps = 0; steps < MOST_STEPS; steps++) {
        const tag = this.#opensWith.get(path)
        if (tag === undefined || tag === UNTOLD) break
        if (tag === null) {
          if (!found.has(path)) found.set(path, { page, below: null })
          break
        }
        const part = shownBy(path, tag)
        if (part === null) break
        if (this.#isShared(part, path)) {
          below = tag
          if (this.#parts.get(plain(nameOf(part)))?.asks === false) found.set(path, { page, below })
          break
        }
        path = part
      }
    }
    return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** The files that routes show where a site begins, whatever they are called. */
  #startPages(shownBy: (path: string, tag: string) => string | null): ReadonlySet<string> {
    const meant = fileMeant(this.nodes)
    return new Set(
      this.#atRoot.flatMap(({ path, name, from }) => {
        const found = from === null ? shownBy(path, name ?? '') : meant(path, from)
        return found === null || isNobodys(found) ? [] : [found]
      }),
    )
  }

  /** Whether more than one file shows a part. */
  #isShared(part: string, by: string): boolean {
    const name = plain(nameOf(part))
    for (const [use, paths] of this.uses) {
      if (part.endsWith('.vue') ? !use.endsWith(name) : use !== name) continue
      for (const path of paths) if (path !== by && path !== part && !NO_PAGE.test(path)) return true
    }
    return false
  }

  /** The language of nearly all files that say one; files with few words are taken to be in it. */
  mainLanguage(): string | null {
    const [best, next] = [...this.#languages].sort((a, b) => b[1] - a[1])
    return best !== undefined && best[1] >= 4 * (next?.[1] ?? 0) ? best[0] : null
  }

  /** What every list of results names: one list may find what another does not. */
  #foundEverywhere(): Evidence[] {
    const most = Math.max(0, ...[...this.#finds.values()].map(({ length }) => length))
    return [...this.#finds]
      .filter(([, paths]) => paths.length === most)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([says, [path = '']]) => ({ path, says }))
      .slice(0, 6)
  }

  /** Whether the site names more than one figure for what is said with one: which holds is not told. */
  #isDisputed({ kind, says }: KnownStatement): boolean {
    const figures = new Set([...says.matchAll(FIGURE)].map(([one]) => one))
    return figures.size > 0 && (this.#figures.get(kind)?.size ?? 0) > figures.size
  }

  /** Statements that pages show by their keys: the whole of such a text, in the main language. */
  #keyedStatements(texts: Texts): KnownStatement[] {
    const language = texts.main[0]?.language ?? ''
    if (!isLanguage(language)) return []
    return this.#keyCalls.flatMap(({ path, shows, calls }) =>
      calls.flatMap((keyed): KnownStatement[] => {
        const value = textOfKey(texts, keyed.key, undefined)?.value
        if (value === undefined || value.length > LONGEST_KEYED) return []
        const [first] = statementsIn(value, language)
        return first === undefined ? [] : [{ ...first, says: value, isFramed: false, path, shows, keyed }]
      }),
    )
  }

  known(): Known {
    const texts = textsOf(this.#locales, this.mainLanguage())
    for (const { path, language, entries } of texts.main) {
      if (!isLanguage(language)) continue
      const said = factsOfTexts(
        [...entries.values()].map(({ value }) => value),
        language,
      )
      this.#free = first(this.#free, path, said.free)
      this.#trial = first(this.#trial, path, said.trial)
    }
    const links = [...this.#links]
      // A page that nothing links to may be meant for few.
      .sort((a, b) => b[1].count - a[1].count || (a[0] < b[0] ? -1 : 1))
      .slice(0, 200)
      .map(([href, { label, count, labels }]) => ({
        href,
        label,
        count,
        labels: [...labels]
          .map(([said, path]) => ({ label: said, path }))
          .sort((a, b) => (a.label < b.label ? -1 : 1)),
      }))
    const site: Site = {
      links,
      openings: this.#openings(),
      pages: [...this.#pages].sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, MOST_PAGES),
      ways: [...this.#ways]
        .sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1))
        .slice(0, MOST_WAYS),
      places: [...this.#places]
        .filter(([href]) => this.#ids.has(href.replace(/^\/?#/, '')))
        .map(([href, label]) => ({ href, label }))
        .sort((a, b) => (a.href < b.href ? -1 : 1)),
      free: this.#free,
      hasPrices: this.#hasPrices,
      parts: Object.fromEntries([...this.#parts].sort(([a], [b]) => (a < b ? -1 : 1))),
      promise: this.#promise,
      proof: this.#proof,
      trial: this.#trial,
      line: this.#line,
      freePlan: this.#freePlan,
      statements: [...this.#statements, ...this.#keyedStatements(texts)]
        .filter((one) => !this.#isDisputed(one))
        .sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1))
        .slice(0, MOST_STATEMENTS),
      finds: this.#foundEverywhere(),
      labelStyle: [...this.#labels].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? null,
      marks: [...this.#marks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, mark]) => mark),
      fieldReads: {
        asTheyAre: [...this.#fieldReads.asTheyAre].sort(),
        needed: [...this.#fieldReads.needed].sort(),
      },
      handlers: Object.fromEntries([...this.#handlers].sort(([a], [b]) => (a < b ? -1 : 1))),
      reassures: [...this.#reassures]
        .map(([kind, evidence]) => ({ kind, evidence }))
        .sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    }
    const said = JSON.stringify([site, texts.locales.map(({ path, text }) => [path, text])])
    return {
      texts,
      site,
      hasSite:
        links.length > 0 ||
        site.places.length > 0 ||
        site.ways.length > 0 ||
        site.statements.length > 0 ||
        this.#parts.size > 0 ||
        site.finds.length > 0 ||
        site.labelStyle !== null ||
        site.fieldReads.asTheyAre.length + site.fieldReads.needed.length > 0 ||
        site.reassures.length > 0 ||
        site.marks.length > 0 ||
        this.#receivers.length > 0 ||
        [site.free, site.promise, site.proof, site.trial, site.line, site.freePlan].some(
          (one) => one !== null,
        ),
      key: createHash('sha256').update(said).digest('base64url').slice(0, 16),
    }
  }
}

/** Whether all scripts that a form's page loads from its own site leave forms alone. */
async function leaveForms(
  path: string,
  to: Receiver,
  read: (path: string) => Promise<string | null>,
): Promise<boolean> {
  for (const src of to.kind === 'address' ? (to.scripts ?? []) : []) {
    let text: string | null = null
    for (const file of scriptsAt(path, src)) text ??= await read(file)
    if (!leavesForms(text)) return false
  }
  return true
}

const SAMPLE =
  /(?:^|\/)((?:ui[-_])?(?:blank|plain[-_]page|buttons?|cards?|charts?(?:js)?|echarts|other[-_]charts|(?:data-?)?tables?|tables[-_]\w+|typography|widgets|icons|(?:general[-_])?elements|forms?[-_](?:advanced|validation|wizards?|upload|buttons|elements|basic|layouts?)|utilities[-_]\w+|modals?|alerts|badges|progress|tooltips|tabs|accordions?|carousel|dropdowns?|pagination))\.(?:html?|[jt]sx|vue)$/i
const LEAST_SAMPLES = 4

/** Of several files that say it, the one whose path comes first: the same for any order of reading. */
const first = (known: Evidence | null, path: string, says: string | null): Evidence | null =>
  says === null || (known !== null && known.path < path) ? known : { path, says }
