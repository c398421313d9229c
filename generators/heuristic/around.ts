import { createHash } from 'node:crypto'
import { type Findings, isNobodys, type PasswordStep } from './analyse.js'
import { isNamedForSamples, isTitledKit, saysKit } from './exhibits.js'
import { factsOfTexts } from './facts.js'
import {
  filesFor,
  type Handler,
  handlerOf,
  leavesForms,
  modulesAt,
  type Receiver,
  receiverKey,
  scriptOfForm,
  scriptsAt,
  sendsNoForm,
  servedBy,
} from './form-handlers.js'
import type {
  Browse,
  CopiedTitle,
  Door,
  Evidence,
  KnownAnswer,
  KnownMark,
  KnownMount,
  KnownPage,
  KnownStatement,
  KnownWay,
  Opening,
  Part,
  Site,
  Start,
} from './idea.js'
import type { Node } from './imports.js'
import type { KeyCall } from './keyed.js'
import { type Locale, type Texts, textOfKey, textsOf } from './locales.js'
import type { Taken } from './markup/tree.js'
import { NO_DRESS } from './mechanisms/layout/dress.js'
import { copiedTitleIn, type TitleTaken } from './mechanisms/opening/copied.js'
import { UNTOLD } from './mechanisms/opening/first.js'
import { isStartPage } from './mechanisms/opening/hero.js'
import { bothBelow, NOTHING_BELOW } from './mechanisms/phones/below.js'
import { answeredBy, isAt, routeOf } from './pages-at.js'
import { fileMeant, isShownByPlace, partsShown, programOf } from './reach.js'
import { spokenIn, spokenKey, valueKey } from './spoken.js'
import type { Kept, Shown } from './start-pages.js'
import { type Answers, OTHERWISE, statementsIn } from './statements.js'
import { NO_PAGE, nameOf, plain, wordedPath } from './uses.js'
import { answerTimeIn, figureOfAnswer } from './words/answers.js'
import { isLanguage, type Language } from './words/language.js'
import type { Reassurance } from './words/phrases.js'
import { FIGURE, IS_FREE, type StatementKind } from './words/statements.js'

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
/** How many start pages are followed to the file that has their title. */
const MOST_TITLES = 10
/** How many forms are followed to the code that receives them. */
const MOST_RECEIVERS = 300
/** Pages that show texts of other files. */
const MOST_SPOKEN = 600

/** What stands in a folder, or under a name, of a language is meant to be in it. */
const FOR_LANGUAGE =
  /(^|[/._-])(en|de|fr|es|it|nl|pt|pl|tr|ru|cs|sv|da|ca|english|deutsch|german|french|francais|spanish|espanol|lang|locales?)(?=[/._-])/i
/** How many times as many files speak the language of a site as one that is left in it. */
const LEAST_RATIO = 2

/** One alone may be meant to be sent by what is not in the repository. */
const FEW_FORMS = 2

/** With fewer, something else may answer. */
const FEW_PAGES = 2

/** Gathers, file by file and in any order, what later proposals can lean on. */
export class Around {
  /** classes that stand somewhere: what the site has a style for */
  readonly classes = new Set<string>()
  /** by name, the files that name it */
  readonly uses = new Map<string, Set<string>>()
  /** some file speaks of making an account */
  signsUp = false
  readonly #setsAnew = new Set<PasswordStep>()
  /** some file asks a server for something */
  #asksServer = false
  readonly #marks = new Map<string, KnownMark>()
  readonly #fieldReads = { asTheyAre: new Set<string>(), needed: new Set<string>() }
  /** by address, the files whose own server takes what is sent there */
  readonly #posts = new Map<string, string[]>()
  readonly #receivers: { path: string; to: Receiver }[] = []
  readonly #handlers = new Map<string, Handler>()
  readonly #asked: { path: string; spoken: readonly Taken[] }[] = []
  readonly #spoken = new Map<string, Evidence>()
  /** some page has a part that stays at the top of the window */
  sticks = false
  /** what stays at the lower edge of the window */
  below = NOTHING_BELOW
  readonly #ofStaff = new Set<string>()
  /** by the folder of a program, the addresses that everybody sees there */
  readonly #seenByAll: { within: string; addresses: readonly string[] }[] = []
  /** by the folder of a program, the addresses that it keeps for some */
  readonly #kept: { within: string; kept: Kept }[] = []
  readonly #clipped = new Set<string>()
  readonly #forms: { path: string; forms: 'live' | 'dead' | null; shows: readonly string[] }[] = []
  /** pages whose forms nothing sends but a script, if one of these does */
  readonly #mayBeIdle: { path: string; scripts: readonly string[]; areAll: boolean }[] = []
  readonly #idle = new Set<string>()
  /** pages that show how parts of a kit may look, with whether their title says that there is one */
  readonly #showing = new Map<string, boolean>()
  /** it says of itself that it is there to be taken */
  #saysKit = false
  /** by folder, pages that a theme has to show what it can do */
  readonly #samples = new Map<string, Set<string>>()
  /** by file, what it sends to the site's own analytics */
  readonly sentEvents = new Map<string, readonly string[]>()
  readonly #labels = new Map<string, number>()
  /** files as they name others */
  readonly nodes: Node[] = []
  /** with what pages open, by their path */
  readonly #opensWith = new Map<string, string | null>()
  /** by the files around pages, what these show above them */
  readonly #abovePages = new Map<string, readonly string[]>()
  /** what lists of routes show where the site begins, by the file of the list */
  readonly #atRoot: (Shown & { path: string })[] = []
  readonly #pages: KnownPage[] = []
  readonly #titlesTaken: { path: string; taken: TitleTaken }[] = []
  readonly #copiedTitles = new Map<string, CopiedTitle>()
  readonly #ways: KnownWay[] = []
  readonly #browses: (Browse & { path: string })[] = []
  readonly #starts: (Start & { path: string })[] = []
  readonly #doors: (Door & { path: string })[] = []
  /** by number, the first file that has it */
  readonly #dials = new Map<string, string>()
  #callsFirst = false
  readonly #mounts: KnownMount[] = []
  readonly #locales: Locale[] = []
  readonly #links = new Map<string, { label: string; count: number; labels: Map<string, string> }>()
  readonly #languages = new Map<string, number>()
  /** by file, the language of its words */
  readonly #languageOf = new Map<string, string>()
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
  /** which parts files show, and how soon those are answered who write */
  readonly #answers: {
    path: string
    language: Language | null
    shows: readonly string[]
    answers: Answers
  }[] = []

  readonly #answering: RegExp[] = []
  readonly #pagePaths: string[] = []
  /** of which kinds the headings of files are */
  readonly #headed: { path: string; kinds: readonly StatementKind[] }[] = []

  /** Whether no page is at an address, as far as files tell. */
  isNowhere(href: string): boolean {
    return this.#answering.length >= FEW_PAGES && !this.#answering.some((one) => one.test(href))
  }

  /** Pages that the site has by where their files are. */
  addRoute(path: string): void {
    this.#addSample(path)
    // What runs beside pages is none, wherever it stands.
    if (!/\.m?js$/i.test(path) || isShownByPlace(path)) this.#pagePaths.push(path)
    const answers = answeredBy(path)
    if (answers !== null) this.#answering.push(answers)
    const href = routeOf(path)
    if (href !== null && !this.#links.has(href))
      this.#links.set(href, { label: '', count: 0, labels: new Map() })
  }

  addLocale(locale: Locale): void {
    this.#localeText += locale.text.length
    if (this.#localeText <= MOST_LOCALE_TEXT) this.#locales.push(locale)
  }

  /**
   * Whether a page shows a theme and not a site: in its folder, or one above it, stand sheets of samples. Nobody comes to these to do what they speak of. Where a
   * repository has no page beside them, the theme is what it is there for, and its sheets of samples alone are nobody's.
   */
  isTheme(path: string): boolean {
    const parts = path.split('/')
    const folder = parts
      .map((_, at) => parts.slice(0, at).join('/'))
      .find((one) => (this.#samples.get(one)?.size ?? 0) >= LEAST_SAMPLES)
    if (folder !== undefined && (SAMPLE.test(path) || !this.#isAllOfIt(folder))) return true
    return (
      this.#isShowing(path) && (folder !== undefined || this.#saysKit || this.#showing.get(path) === true)
    )
  }

  /** Whether a page shows how parts of a kit may look, where there is one. */
  #isShowing(path: string): boolean {
    return this.#showing.has(path) || isNamedForSamples(path)
  }

  /** Whether a folder has all pages that there are. */
  #isAllOfIt(folder: string): boolean {
    return folder === '' || this.#pagePaths.every((one) => one.startsWith(`${folder}/`))
  }

  /**
   * Whether the repository is a kit that others make their site of: a theme as a whole, or what says so of itself and has forms of which none sends anything, where no code asks a
   * server.
   */
  get #isKit(): boolean {
    for (const [folder, names] of this.#samples)
      if (names.size >= LEAST_SAMPLES && this.#isAllOfIt(folder)) return true
    return this.#saysKit && this.#sendsNothing()
  }

  /** Whether it has forms of which none sends anything, and no code asks a server. */
  #sendsNothing(): boolean {
    const forms = this.#forms.flatMap((one) => one.forms ?? [])
    return !this.#asksServer && forms.length >= FEW_FORMS && forms.every((one) => one === 'dead')
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
    {
      uses,
      signsUp,
      setsAnew,
      imports,
      atRoot,
      titledAll,
      ofStaff,
    }: Pick<Findings, 'uses' | 'signsUp' | 'setsAnew' | 'imports' | 'atRoot' | 'titledAll' | 'ofStaff'>,
  ): void {
    this.nodes.push({ path, imports, uses })
    for (const part of ofStaff) this.#ofStaff.add(part)
    if (titledAll !== null)
      this.#pages.push({ path, heading: null, describes: null, titled: titledAll, language: null })
    if (!NO_PAGE.test(path)) this.#atRoot.push(...atRoot.map((shown) => ({ ...shown, path })))
    for (const use of uses) this.uses.set(use, (this.uses.get(use) ?? new Set()).add(path))
    this.signsUp ||= signsUp
    for (const step of setsAnew) this.#setsAnew.add(step)
  }

  /** Whether a forgotten password can be set anew: what a library mails leads to where the new one is taken. */
  get setsAnew(): boolean {
    return this.#setsAnew.has('offered') && (!this.#setsAnew.has('mailed') || this.#setsAnew.has('taken'))
  }

  /** Whether a file is a page that routes show to staff alone, or to those alone who have signed in. */
  isInside(path: string): boolean {
    if (this.#ofStaff.has(plain(nameOf(path)))) return true
    const route = routeOf(path)
    if (route === null) return false
    return (
      this.#seenByAll.some(
        ({ within, addresses }) =>
          path.startsWith(within) && !addresses.some((one) => isAtOrBelow(route, one)),
      ) ||
      this.#kept.some(
        ({ within, kept }) => path.startsWith(within) && kept.forStaff.some((one) => isAtOrBelow(route, one)),
      )
    )
  }

  /** Whether middleware keeps a page for those who have signed in. */
  isKept(path: string): boolean {
    const route = routeOf(path)
    return (
      route !== null &&
      this.#kept.some(
        ({ within, kept }) => path.startsWith(within) && kept.forSome.some((one) => isAtOrBelow(route, one)),
      )
    )
  }

  /** Whether it is known, too, that a mail is sent to those who have forgotten it. */
  get mailsAnew(): boolean {
    // A kit has nobody yet who sends it, and says that it is sent.
    return this.setsAnew && (this.#setsAnew.has('sent') || (this.#isKit && this.#setsAnew.has('said')))
  }

  /** What a file does with what visitors fill in and press. */
  addHandled(
    path: string,
    {
      fieldReads: { asTheyAre, needed },
      marks,
      sentEvents,
      posts,
      receivers,
      idle,
      spoken,
      setsAnew,
      seenByAll,
      kept,
      asksServer,
    }: Findings,
  ): void {
    this.#asksServer ||= asksServer
    if (setsAnew.includes('sent')) this.#setsAnew.add('sent')
    const within = path.replace(/[^/]+$/, '')
    if (seenByAll !== null) this.#seenByAll.push({ within, addresses: seenByAll })
    if (kept.forStaff.length + kept.forSome.length > 0) this.#kept.push({ within, kept })
    for (const mark of marks) {
      const key = `${mark.property} ${mark.says ?? ''}`
      const known = this.#marks.get(key)
      if (known === undefined || path < known.path) this.#marks.set(key, { ...mark, path })
    }
    for (const post of posts) this.#posts.set(post, [...(this.#posts.get(post) ?? []), path].sort())
    this.#receivers.push(...receivers.map((to) => ({ path, to })))
    if (idle !== null) this.#mayBeIdle.push({ path, ...idle })
    if (spoken.length > 0) this.#asked.push({ path, spoken })
    if (sentEvents.length > 0) this.sentEvents.set(path, sentEvents)
    for (const one of asTheyAre) this.#fieldReads.asTheyAre.add(one)
    for (const one of needed) this.#fieldReads.needed.add(one)
  }

  add(path: string, { classes, language, facts }: Findings): void {
    for (const one of classes) this.classes.add(one)
    if (facts.opensWith !== undefined) this.#opensWith.set(path, facts.opensWith)
    if (facts.abovePages.length > 0 && !NO_PAGE.test(path)) this.#abovePages.set(path, facts.abovePages)
    const { heading, describes, titled, titleTaken } = facts
    if (heading !== null || describes !== null || titled !== null)
      this.#pages.push({ path, heading, describes, titled, language })
    if (facts.samples) this.#showing.set(path, isTitledKit(titled ?? ''))
    this.#saysKit ||= isTitledKit(titled ?? '')
    if (titleTaken !== null) this.#titlesTaken.push({ path, taken: titleTaken })
    this.#ways.push(...facts.ways.map((way) => ({ ...way, path })))
    this.#browses.push(...facts.browses.map((way) => ({ ...way, path })))
    if (!NO_PAGE.test(path)) this.#starts.push(...facts.starts.map((start) => ({ ...start, path })))
    if (!NO_PAGE.test(path)) this.#doors.push(...facts.doors.map((door) => ({ ...door, path })))
    this.#callsFirst ||= facts.callsFirst && !NO_PAGE.test(path)
    for (const href of facts.dials) {
      const by = this.#dials.get(href)
      if (by === undefined || path < by) this.#dials.set(href, path)
    }
    this.#mounts.push(...facts.mounts.map((mount) => ({ ...mount, path })))
    if (language !== null) {
      this.#languages.set(language, (this.#languages.get(language) ?? 0) + 1)
      this.#languageOf.set(path, language)
    }
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
    this.below = bothBelow(this.below, facts.below)
    for (const part of facts.clips) this.#clipped.add(part)
    if (facts.forms !== null || facts.shows.length > 0)
      this.#forms.push({ path, forms: facts.forms, shows: facts.shows })
    if (facts.part !== null) this.#addPart(path, facts.part)
    if (facts.labelStyle !== null)
      this.#labels.set(facts.labelStyle, (this.#labels.get(facts.labelStyle) ?? 0) + 1)
    this.#line = first(this.#line, path, facts.line)
    this.#freePlan = first(this.#freePlan, path, facts.freePlan)
    for (const { kind, figure } of facts.figures)
      this.#figures.set(kind, (this.#figures.get(kind) ?? new Set()).add(figure))
    this.#statements.push(...facts.statements.map((one) => ({ ...one, path, shows: facts.shows })))
    if (facts.shows.length > 0 || facts.answers.figures.length > 0)
      this.#answers.push({ path, language, shows: facts.shows, answers: facts.answers })
    if (facts.headed.length > 0) this.#headed.push({ path, kinds: facts.headed })
    if (facts.keyCalls.length > 0) this.#keyCalls.push({ path, shows: facts.shows, calls: facts.keyCalls })
    for (const { kind, says } of facts.reassures) {
      const best = first(this.#reassures.get(kind) ?? null, path, says)
      if (best !== null) this.#reassures.set(kind, best)
    }
  }

  /** Reads what files that have been looked at name, and was not looked at itself. @param read `null`: it is not there */
  async readMore(read: (path: string) => Promise<string | null>): Promise<void> {
    await this.#addHandlers(read)
    await this.#addIdle(read)
    await this.#addKit(read)
    await this.#addSpoken(read)
    await this.#addCopiedTitles(read)
  }

  /** Reads the files that forms name, and no others. @param read `null`: it is not there */
  async #addHandlers(read: (path: string) => Promise<string | null>): Promise<void> {
    for (const { path, to } of this.#receivers.slice(0, MOST_RECEIVERS)) {
      if (to.kind === 'script') {
        const handler = await scriptAmong(path, to, read)
        if (handler !== null) this.#handlers.set(receiverKey(path, to), handler)
        continue
      }
      if (!(await leaveForms(path, to, read))) continue
      const served = servedBy(to)
      if (served !== null) this.#handlers.set(receiverKey(path, to), served)
      // What stands in the page itself is no other file.
      const found = await firstThere(
        filesFor(path, to, this.#posts).filter((file) => file !== path),
        read,
      )
      const handler = found === null ? null : handlerOf(found.file, found.text, to)
      if (handler !== null) this.#handlers.set(receiverKey(path, to), handler)
    }
  }

  /** Reads the scripts of pages whose forms nothing else sends, each once. @param read `null`: it is not there */
  async #addIdle(read: (path: string) => Promise<string | null>): Promise<void> {
    const leaving = new Map<string, boolean>()
    const leaves = async (path: string, src: string): Promise<boolean> => {
      const files = scriptsAt(path, src)
      const key = files.join(' ')
      const known = leaving.get(key) ?? sendsNoForm((await firstThere(files, read))?.text ?? null)
      leaving.set(key, known)
      return known
    }
    for (const { path, scripts, areAll } of this.#mayBeIdle.slice(0, MOST_RECEIVERS)) {
      let isIdle = true
      for (const src of scripts) isIdle &&= await leaves(path, src)
      if (!isIdle) continue
      this.#idle.add(path)
      if (areAll) for (const one of this.#forms) if (one.path === path) one.forms = 'dead'
    }
  }

  /** Reads what a repository says of itself, where it may be a kit and nothing else has told that. @param read `null`: it is not there */
  async #addKit(read: (path: string) => Promise<string | null>): Promise<void> {
    const mayBe = this.#showing.size > 0 || this.#pagePaths.some(isNamedForSamples) || this.#sendsNothing()
    if (this.#saysKit || !mayBe) return
    this.#saysKit = saysKit(await read('package.json'), await read('README.md'))
  }

  /** Reads the files whose texts pages show, and no others. @param read `null`: it is not there */
  async #addSpoken(read: (path: string) => Promise<string | null>): Promise<void> {
    const texts = new Map<string, string | null>()
    const once = async (file: string): Promise<string | null> => {
      const known = texts.get(file)
      if (known !== undefined) return known
      const text = await read(file)
      texts.set(file, text)
      return text
    }
    // By the file that has them, so that each is read once.
    const asked = new Map<string, { text: string; by: { path: string; one: Taken }[] }>()
    for (const { path, spoken } of this.#asked.slice(0, MOST_SPOKEN))
      for (const from of new Set(spoken.map((one) => one.from))) {
        const found = await firstThere(modulesAt(path, from), once)
        if (found === null) continue
        const there = asked.get(found.file) ?? { text: found.text, by: [] }
        for (const one of spoken) if (one.from === from) there.by.push({ path, one })
        asked.set(found.file, there)
      }
    for (const [file, { text, by }] of asked) {
      const values = spokenIn(
        file,
        text,
        by.map(({ one }) => one),
      )
      for (const { path, one } of by) {
        const says = values.get(valueKey(one))
        if (says !== undefined) this.#spoken.set(spokenKey(path, one.expression), { path: file, says })
      }
    }
  }

  /** Reads the files from which start pages take their titles, and no others. @param read `null`: it is not there */
  async #addCopiedTitles(read: (path: string) => Promise<string | null>): Promise<void> {
    const starts = this.#openings()
    const taken = this.#titlesTaken.filter(({ path }) => starts[path] !== undefined)
    for (const { path, taken: title } of taken.slice(0, MOST_TITLES)) {
      const there = await firstThere(modulesAt(path, title.from), read)
      const found = there === null ? null : copiedTitleIn(there.file, there.text, title)
      if (found !== null) this.#copiedTitles.set(path, found)
    }
  }

  /** Of two with one name nothing is known. */
  #addPart(path: string, part: Part): void {
    const name = plain(nameOf(path))
    this.#parts.set(
      name,
      this.#parts.has(name)
        ? {
            waits: null,
            covers: false,
            isStandIn: false,
            asks: false,
            showsField: false,
            takesChild: false,
            hasIds: true,
            room: 0,
            dress: NO_DRESS,
          }
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
      if (this.#isOpenedAround(page, shownBy)) continue
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

  /** Whether a file around a page shows what opens the site above it. */
  #isOpenedAround(page: string, shownBy: (path: string, tag: string) => string | null): boolean {
    const opens = (path: string, tag: string): boolean => {
      if (tag === 'h1') return true
      const part = shownBy(path, tag)
      return (
        OPENING_NAME.test(tag) ||
        (part !== null && this.#parts.get(plain(nameOf(part)))?.dress.opens === true)
      )
    }
    return [...this.#abovePages].some(
      ([path, tags]) => path !== page && isAround(path, page) && tags.some((tag) => opens(path, tag)),
    )
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

  /** Whether all pages that show a part are the one at an address; `false` too where that is not known. */
  isSeenOnlyAt(part: string, href: string, steps = MOST_STEPS): boolean {
    const name = plain(nameOf(part))
    const by = [...(this.uses.get(name) ?? [])].filter((one) => one !== part && !NO_PAGE.test(one))
    return (
      steps > 0 &&
      by.length > 0 &&
      by.every(
        (one) => isAt(href, one, one) || (!isShownByPlace(one) && this.isSeenOnlyAt(one, href, steps - 1)),
      )
    )
  }

  /** Pages of which nobody takes what is filled in: on themselves, or in the parts that they show. */
  #deadEnds(): string[] {
    const dead = new Set<string>()
    const live = new Set<string>()
    for (const { path, forms } of this.#forms)
      if (forms !== null) (forms === 'dead' ? dead : live).add(plain(nameOf(path)))
    if (dead.size === 0) return []
    return this.#forms
      .filter(({ forms, shows }) => forms === 'dead' || shows.some((one) => dead.has(one)))
      .filter(({ forms, shows }) => forms !== 'live' && !shows.some((one) => live.has(one)))
      .map(({ path }) => path)
      .sort()
      .slice(0, MOST_PAGES)
  }

  /** The language of nearly all files that say one; files with few words are taken to be in it. */
  mainLanguage(): string | null {
    const [best, next] = [...this.#languages].sort((a, b) => b[1] - a[1])
    return best !== undefined && best[1] >= 4 * (next?.[1] ?? 0) ? best[0] : null
  }

  /** Whether a file speaks another language than most others, and is in no folder of a language: what it was begun with is left in it. */
  isLeftOver(path: string): boolean {
    const own = this.#languageOf.get(path)
    const [most] = [...this.#languages].sort((a, b) => b[1] - a[1])
    if (own === undefined || most === undefined || most[0] === own || FOR_LANGUAGE.test(path)) return false
    return most[1] >= LEAST_RATIO * (this.#languages.get(own) ?? 0)
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
    const named = this.#figures.get(kind)
    const isDenied = named?.has(OTHERWISE) === true
    if (isDenied && (kind !== 'returns' || IS_FREE.test(says))) return true
    return figures.size > 0 && (named?.size ?? 0) - (isDenied ? 1 : 0) > figures.size
  }

  /** Whether nothing leads to a page: what it says may be over. */
  #isLinked(path: string): boolean {
    const route = routeOf(path)
    const isPage = /\.html?$/i.test(path)
    if (!isPage && (route === null || /(^|\/)pages\//.test(path))) return true
    const name = nameOf(isPage ? path : `${route ?? ''}`)
    if (isPage && /(^|\/)index\.html?$/i.test(path) && path.split('/').length <= 2) return true
    return [name, name.replace(/\.html?$/i, '')].some((one) =>
      [...(this.uses.get(plain(one)) ?? [])].some((by) => by !== path && !/sitemap|robots/i.test(by)),
    )
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

  /** How soon those are answered who write, where the site says that in one way, and the parts of pages beside which it is said. */
  #answersOf(texts: Texts): Pick<Site, 'answers' | 'answersBeside'> {
    const language = texts.main[0]?.language ?? ''
    const keyed = !isLanguage(language)
      ? []
      : this.#keyCalls.flatMap(({ path, calls }) =>
          calls.flatMap((call) => {
            const value = textOfKey(texts, call.key, undefined)?.value
            const figure = value === undefined ? null : figureOfAnswer(value, language)
            return value === undefined || figure === null ? [] : [{ path, call, value, figure, language }]
          }),
        )
    const said = this.#answers.filter(({ answers }) => answers.figures.length > 0)
    const figures = new Set([
      ...said.flatMap(({ answers }) => answers.figures),
      ...keyed.map(({ figure }) => figure),
    ])
    if (figures.size === 0) return { answers: [], answersBeside: {} }
    const stated = said.flatMap(({ path, language: own, answers: { stated: all, to } }): KnownAnswer[] =>
      own === null ? [] : all.map((one) => ({ ...one, path, to, language: own })),
    )
    const byKey = keyed.flatMap(({ path, call, value, language: own }): KnownAnswer[] => {
      const one = answerTimeIn(value, own)
      return one === null || one.source !== value.trim()
        ? []
        : [{ ...one, path, to: null, language: own, keyed: call }]
    })
    return {
      answers:
        figures.size > 1
          ? []
          : [...stated, ...byKey]
              .filter((one) => this.#isLinked(one.path))
              .sort((a, b) => (a.path < b.path ? -1 : 1)),
      answersBeside: this.#saidBeside([...said, ...keyed].map(({ path }) => path)),
    }
  }

  /** By part, which of these files say something beside it. */
  #saidBeside(paths: readonly string[]): Record<string, readonly string[]> {
    const found = new Map<string, string[]>()
    for (const path of [...new Set(paths)].sort())
      for (const part of this.#besides([path])) found.set(part, [...(found.get(part) ?? []), path])
    return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** The parts of all pages that show one of these files, by name, and the parts of these themselves. */
  #besides(paths: readonly string[]): string[] {
    const named = (path: string): string => plain(nameOf(path))
    const telling = new Set(paths.filter((path) => !/^(footer|header|layout)/.test(named(path))))
    const names = new Set([...telling].map(named))
    for (let size = -1, steps = 0; size !== telling.size && steps < MOST_STEPS; steps++) {
      size = telling.size
      for (const { path, shows } of this.#answers)
        if (shows.some((one) => names.has(one)) && !telling.has(path)) {
          telling.add(path)
          // Programs that go by folders call every page the same.
          if (!/^(page|layout|index|app|main|template)$/.test(named(path))) names.add(named(path))
        }
    }
    return [...this.#partsOf(telling)].sort()
  }

  /** The parts that files show, and the parts of these, by name. */
  #partsOf(files: ReadonlySet<string>): ReadonlySet<string> {
    const named = (path: string): string => plain(nameOf(path))
    const told = new Set(this.#answers.flatMap(({ path, shows }) => (files.has(path) ? shows : [])))
    for (let size = -1, steps = 0; size !== told.size && steps < MOST_STEPS; steps++) {
      size = told.size
      for (const { path, shows } of this.#answers)
        if (told.has(named(path))) for (const one of shows) told.add(one)
    }
    return told
  }

  /** By part, the kinds of statements that the pages say in their headings which show it. */
  #headedAbove(): Record<string, readonly StatementKind[]> {
    const found = new Map<string, Set<StatementKind>>()
    for (const { path, kinds } of this.#headed)
      for (const part of this.#partsOf(new Set([path])))
        found.set(part, new Set([...(found.get(part) ?? []), ...kinds]))
    return Object.fromEntries(
      [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([part, kinds]) => [part, [...kinds].sort()]),
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
      copiedTitles: Object.fromEntries([...this.#copiedTitles].sort(([a], [b]) => (a < b ? -1 : 1))),
      pages: [...this.#pages].sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, MOST_PAGES),
      ways: firstByPath(this.#ways, MOST_WAYS),
      browses: firstByPath(this.#browses, MOST_WAYS),
      starts: firstByPath(this.#starts, MOST_WAYS),
      doors: firstByPath(this.#doors, MOST_WAYS),
      callsFirst: this.#callsFirst,
      dials: [...this.#dials]
        .map(([href, path]) => ({ href, path }))
        .sort((a, b) => (a.href < b.href ? -1 : 1)),
      mounts: firstByPath(this.#mounts, MOST_WAYS),
      places: [...this.#places]
        .filter(([href]) => this.#ids.has(href.replace(/^\/?#/, '')))
        .map(([href, label]) => ({ href, label }))
        .sort((a, b) => (a.href < b.href ? -1 : 1)),
      clipped: [...this.#clipped].sort(),
      below: this.below,
      isKit: this.#isKit,
      idle: [...this.#idle].sort().slice(0, MOST_PAGES),
      deadEnds: this.#isKit ? [] : this.#deadEnds(),
      free: this.#free,
      hasPrices: this.#hasPrices,
      parts: Object.fromEntries([...this.#parts].sort(([a], [b]) => (a < b ? -1 : 1))),
      promise: this.#promise,
      proof: this.#proof,
      trial: this.#trial,
      line: this.#line,
      freePlan: this.#freePlan,
      statements: firstByPath(
        [...this.#statements, ...this.#keyedStatements(texts)].filter(
          (one) => !this.#isDisputed(one) && this.#isLinked(one.path),
        ),
        MOST_STATEMENTS,
      ),
      ...this.#answersOf(texts),
      headedAbove: this.#headedAbove(),
      deniesCancel: this.#figures.get('cancel')?.has(OTHERWISE) === true,
      finds: this.#foundEverywhere(),
      labelStyle: [...this.#labels].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? null,
      marks: [...this.#marks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, mark]) => mark),
      fieldReads: {
        asTheyAre: [...this.#fieldReads.asTheyAre].sort(),
        needed: [...this.#fieldReads.needed].sort(),
      },
      handlers: Object.fromEntries([...this.#handlers].sort(([a], [b]) => (a < b ? -1 : 1))),
      spoken: Object.fromEntries([...this.#spoken].sort(([a], [b]) => (a < b ? -1 : 1))),
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
        site.dials.length > 0 ||
        site.doors.length > 0 ||
        site.statements.length > 0 ||
        site.answers.length > 0 ||
        this.#parts.size > 0 ||
        site.finds.length > 0 ||
        site.labelStyle !== null ||
        site.fieldReads.asTheyAre.length + site.fieldReads.needed.length > 0 ||
        site.reassures.length > 0 ||
        site.marks.length > 0 ||
        this.#receivers.length > 0 ||
        site.idle.length > 0 ||
        this.#spoken.size > 0 ||
        site.isKit ||
        site.deniesCancel ||
        [site.free, site.promise, site.proof, site.trial, site.line, site.freePlan].some(
          (one) => one !== null,
        ),
      key: createHash('sha256').update(said).digest('base64url').slice(0, 16),
    }
  }
}

const isAtOrBelow = (route: string, address: string): boolean =>
  address === route || (address !== '/' && `${route}/`.startsWith(address.replace(/\/?$/, '/')))

const OPENING_NAME = /hero|jumbotron|masthead/i
/** What is around other pages than the one with which a site begins. */
const AROUND_OTHERS =
  /(^|[/_.-])(dashboard|admin\w*|auth|account|blog|docs?|checkout|legal|portal)(?=[/_.-])/i

/** Whether a file may be around a page: by its folder where frameworks go by that, else in the same program. */
function isAround(path: string, page: string): boolean {
  if (AROUND_OTHERS.test(wordedPath(path))) return false
  const goesByFolders = /(^|\/)(app|routes)\/(.*\/)?\+?layout\.\w+$/.test(path)
  return goesByFolders
    ? page.startsWith(path.slice(0, path.lastIndexOf('/') + 1))
    : programOf(path) === programOf(page)
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

/** The first of some files that is there, with its text. */
async function firstThere(
  files: readonly string[],
  read: (path: string) => Promise<string | null>,
): Promise<{ file: string; text: string } | null> {
  for (const file of files) {
    const text = await read(file)
    if (text !== null) return { file, text }
  }
  return null
}

/** So many, of the files whose paths come first. */
const firstByPath = <T extends { path: string }>(all: readonly T[], most: number): T[] =>
  [...all].sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1)).slice(0, most)

/** The one of a page's scripts that has to do with forms, where it sends that one. */
async function scriptAmong(
  path: string,
  { id, scripts }: Extract<Receiver, { kind: 'script' }>,
  read: (path: string) => Promise<string | null>,
): Promise<Handler | null> {
  const found: Handler[] = []
  for (const src of scripts) {
    const script = await firstThere(scriptsAt(path, src), read)
    if (leavesForms(script?.text ?? null)) continue
    const handler = script === null ? null : scriptOfForm(script.file, script.text, id)
    if (handler === null) return null
    found.push(handler)
  }
  return found.length === 1 ? (found[0] ?? null) : null
}

const SAMPLE =
  /(?:^|\/)((?:ui[-_])?(?:blank|plain[-_]page|buttons?|cards?|charts?(?:js)?|echarts|other[-_]charts|(?:data-?)?tables?|tables[-_]\w+|typography|widgets|icons|(?:general[-_])?elements|forms?[-_](?:advanced|validation|wizards?|upload|buttons|elements|basic|layouts?)|utilities[-_]\w+|modals?|alerts|badges|progress|tooltips|tabs|accordions?|carousel|dropdowns?|pagination))\.(?:html?|[jt]sx|vue)$/i
const LEAST_SAMPLES = 4

/** Of several files that say it, the one whose path comes first: the same for any order of reading. */
const first = (known: Evidence | null, path: string, says: string | null): Evidence | null =>
  says === null || (known !== null && known.path < path) ? known : { path, says }
