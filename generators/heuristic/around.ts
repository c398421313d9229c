import { createHash } from 'node:crypto'
import type { Findings } from './analyse.js'
import type { Read } from './around/first.js'
import { DeadForms } from './around/forms/dead-forms.js'
import { Passwords } from './around/forms/passwords.js'
import { Receivers } from './around/forms/receivers.js'
import { Inside } from './around/inside.js'
import { KnownWays } from './around/known-ways.js'
import { Names } from './around/names.js'
import { Pages } from './around/pages.js'
import { Parts } from './around/parts.js'
import { Claims } from './around/said/claims.js'
import { KeyedTexts } from './around/said/keyed-texts.js'
import { KnownAnswers } from './around/said/known-answers.js'
import { KnownStatements } from './around/said/known-statements.js'
import { Languages } from './around/said/languages.js'
import { SpokenTexts } from './around/said/spoken-texts.js'
import { StartFiles } from './around/start-files.js'
import { Style } from './around/style.js'
import { Themes } from './around/themes.js'
import type { Site } from './idea.js'
import type { Node } from './imports.js'
import type { Locale, Texts } from './locales.js'

/** What the files of a repository say for each other. `key` changes whenever any of it does. */
export interface Known {
  texts: Texts
  site: Site
  hasSite: boolean
  key: string
}

/** Gathers, file by file and in any order, what later proposals can lean on. */
export class Around {
  /** some file speaks of making an account */
  signsUp = false
  /** by file, what it sends to the site's own analytics */
  readonly sentEvents = new Map<string, readonly string[]>()
  readonly #names = new Names()
  readonly #parts = new Parts()
  readonly #pages = new Pages()
  readonly #starts = new StartFiles(this.#names, this.#parts)
  readonly #ways = new KnownWays()
  readonly #style = new Style()
  readonly #inside = new Inside()
  readonly #deadForms = new DeadForms()
  readonly #receivers = new Receivers()
  readonly #passwords = new Passwords()
  readonly #themes = new Themes(this.#deadForms)
  readonly #languages = new Languages()
  readonly #keyed = new KeyedTexts()
  readonly #spoken = new SpokenTexts()
  readonly #claims = new Claims()
  readonly #statements = new KnownStatements(this.#names)
  readonly #answers = new KnownAnswers(this.#names, this.#parts)

  /** classes that stand somewhere: what the site has a style for */
  get classes(): Set<string> {
    return this.#style.classes
  }

  /** by name, the files that name it */
  get uses(): Map<string, Set<string>> {
    return this.#names.uses
  }

  /** files as they name others */
  get nodes(): Node[] {
    return this.#names.nodes
  }

  /** some page has a part that stays at the top of the window */
  get sticks(): boolean {
    return this.#style.sticks
  }

  /** Whether no page is at an address, as far as files tell. */
  isNowhere(href: string): boolean {
    return this.#pages.isNowhere(href)
  }

  /** Whether a page shows a theme and not a site. */
  isTheme(path: string): boolean {
    return this.#themes.isTheme(path)
  }

  /** Whether a file is a page that routes show to staff alone, or to those alone who have signed in. */
  isInside(path: string): boolean {
    return this.#inside.isInside(path)
  }

  /** Whether middleware keeps a page for those who have signed in. */
  isKept(path: string): boolean {
    return this.#inside.isKept(path)
  }

  /** Whether all pages that show a part are the one at an address; `false` too where that is not known. */
  isSeenOnlyAt(part: string, href: string, steps?: number): boolean {
    return this.#names.isSeenOnlyAt(part, href, steps)
  }

  /** Whether a file speaks another language than most others: what it was begun with is left in it. */
  isLeftOver(path: string): boolean {
    return this.#languages.isLeftOver(path)
  }

  /** The language of nearly all files that say one; files with few words are taken to be in it. */
  mainLanguage(): string | null {
    return this.#languages.main()
  }

  /** Whether the site says that it ends: nobody tries anything on it any more. */
  get isClosing(): boolean {
    return this.#claims.closes
  }

  /** Whether a forgotten password can be set anew. */
  get setsAnew(): boolean {
    return this.#passwords.areSetAnew
  }

  /** Whether it is known, too, that a mail is sent to those who have forgotten it. */
  get mailsAnew(): boolean {
    return this.#passwords.areMailedAnew(this.#themes.isKit)
  }

  /** Pages that the site has by where their files are. */
  addRoute(path: string): void {
    this.#themes.addPage(path)
    this.#pages.addRoute(path)
  }

  addLocale(locale: Locale): void {
    this.#keyed.addLocale(locale)
  }

  /** What a file names, and whether it speaks of accounts. */
  addNamed(
    path: string,
    found: Pick<Findings, 'uses' | 'signsUp' | 'setsAnew' | 'imports' | 'atRoot' | 'titledAll' | 'ofStaff'>,
  ): void {
    this.#names.add(path, found)
    this.#inside.addRoutes(found)
    this.#starts.addRoutes(path, found)
    if (found.titledAll !== null) this.#pages.addTitledAll(path, found.titledAll)
    this.#passwords.add(found.setsAnew)
    this.signsUp ||= found.signsUp
  }

  /** What a file does with what visitors fill in and press. */
  addHandled(path: string, found: Findings): void {
    this.#deadForms.addSending(path, found)
    this.#receivers.add(path, found)
    this.#passwords.addSent(found.setsAnew)
    this.#inside.addGate(path, found)
    this.#claims.addMarks(path, found.marks)
    this.#spoken.add(path, found.spoken)
    if (found.sentEvents.length > 0) this.sentEvents.set(path, found.sentEvents)
  }

  /** What a page shows. */
  add(path: string, { classes, language, facts }: Findings): void {
    this.#style.add(classes, facts)
    this.#starts.add(path, facts)
    this.#pages.add(path, language, facts)
    this.#themes.add(path, facts)
    this.#ways.add(path, facts)
    this.#languages.add(path, language)
    this.#claims.add(path, facts)
    this.#deadForms.add(path, facts)
    this.#parts.add(path, facts)
    this.#statements.add(path, facts)
    this.#answers.add(path, language, facts)
    this.#keyed.add(path, facts)
  }

  /** Reads what files that have been looked at name, and was not looked at itself. @param read `null`: it is not there */
  async readMore(read: Read): Promise<void> {
    await this.#receivers.readMore(read)
    // Whether it is a kit is asked of what sends its forms.
    await this.#deadForms.readMore(read)
    await this.#themes.readMore(read)
    await this.#spoken.readMore(read)
    await this.#starts.readMore(read)
  }

  known(): Known {
    const texts = this.#keyed.texts(this.mainLanguage())
    this.#claims.addTexts(texts)
    const site = this.#site(texts)
    const said = JSON.stringify([site, texts.locales.map(({ path, text }) => [path, text])])
    return {
      texts,
      site,
      hasSite: this.#receivers.hasAny || saysMore(site),
      key: createHash('sha256').update(said).digest('base64url').slice(0, 16),
    }
  }

  /** All of it together. The order of what it holds is a part of the key. */
  #site(texts: Texts): Site {
    const keyed = this.#keyed.shown(texts)
    const isKit = this.#themes.isKit
    return {
      links: this.#pages.links(),
      openings: this.#starts.openings(),
      copiedTitles: this.#starts.copiedTitles(),
      pages: this.#pages.pages(),
      ...this.#ways.known(),
      places: this.#pages.places(),
      ...this.#style.atEdges(),
      isKit,
      idle: this.#deadForms.idle(),
      deadEnds: isKit ? [] : this.#deadForms.deadEnds(),
      ...this.#claims.costs(),
      parts: this.#parts.known(),
      ...this.#claims.lines(),
      statements: this.#statements.known(keyed),
      ...this.#answers.known(keyed),
      headedAbove: this.#parts.headedAbove(),
      deniesCancel: this.#statements.deniesCancel,
      finds: this.#claims.foundEverywhere(),
      labelStyle: this.#style.labelStyle(),
      marks: this.#claims.marks(),
      fieldReads: this.#receivers.fieldReads(),
      handlers: this.#receivers.handlers(),
      spoken: this.#spoken.known(),
      reassures: this.#claims.reassures(),
    }
  }
}

/** Whether the files say anything at all that a file could be read once more for. */
function saysMore(site: Site): boolean {
  const { links, places, ways, dials, doors, statements, answers, finds, reassures, marks, idle } = site
  const lists = [links, places, ways, dials, doors, statements, answers, finds, reassures, marks, idle]
  const { free, promise, proof, trial, line, freePlan } = site
  return (
    [...lists, Object.keys(site.parts), Object.keys(site.spoken)].some(({ length }) => length > 0) ||
    site.fieldReads.asTheyAre.length + site.fieldReads.needed.length > 0 ||
    [site.labelStyle, free, promise, proof, trial, line, freePlan].some((one) => one !== null) ||
    site.isKit ||
    site.deniesCancel
  )
}
