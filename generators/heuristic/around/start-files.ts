import { type Findings, isNobodys } from '../analyse.js'
import type { Facts } from '../facts.js'
import { modulesAt } from '../form-handlers.js'
import type { CopiedTitle, Opening, Site } from '../idea.js'
import { copiedTitleIn, type TitleTaken } from '../mechanisms/opening/copied.js'
import { UNTOLD } from '../mechanisms/opening/first.js'
import { isStartPage } from '../mechanisms/opening/hero.js'
import { fileMeant, partsShown, programOf } from '../reach.js'
import type { Shown } from '../start-pages.js'
import { NO_PAGE, wordedPath } from '../uses.js'
import { firstThere, inOrder, type Read } from './first.js'
import { MAX_STEPS, type Names } from './names.js'
import type { Parts } from './parts.js'

/** How many start pages are followed to the file that has their title. */
const MAX_TITLES = 10

const OPENING_NAME = /hero|jumbotron|masthead/i
/** What is around other pages than the one with which a site begins. */
const AROUND_OTHERS =
  /(^|[/_.-])(dashboard|admin\w*|auth|account|blog|docs?|checkout|legal|portal)(?=[/_.-])/i

/** The file of a part that another file shows, by its tag; `null` where that is not told. */
type ShownBy = (path: string, tag: string) => string | null

const isHtml = (path: string): boolean => /\.html?$/i.test(path)
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Whether a file may be around a page: by its folder where frameworks go by that, else in the same program. */
function isAround(path: string, page: string): boolean {
  if (AROUND_OTHERS.test(wordedPath(path))) return false
  const goesByFolders = /(^|\/)(app|routes)\/(.*\/)?\+?layout\.\w+$/.test(path)
  return goesByFolders ? page.startsWith(folderOf(path)) : programOf(path) === programOf(page)
}

/** Of pages in folders the uppermost alone. */
function uppermost(pages: readonly string[]): string[] {
  const isBelow = (path: string): boolean =>
    pages.some(
      (other) => isHtml(other) && folderOf(other) !== folderOf(path) && path.startsWith(folderOf(other)),
    )
  return pages.filter((one) => !isHtml(one) || !isBelow(one))
}

/** The files with which the site begins: its start pages, what opens these, and their titles. */
export class StartFiles {
  readonly #names: Names
  readonly #parts: Parts
  /** with what pages open, by their path */
  readonly #opensWith = new Map<string, string | null>()
  /** by the files around pages, what these show above them */
  readonly #abovePages = new Map<string, readonly string[]>()
  /** what lists of routes show where the site begins, by the file of the list */
  readonly #atRoot: (Shown & { path: string })[] = []
  readonly #titlesTaken: { path: string; taken: TitleTaken }[] = []
  readonly #copiedTitles = new Map<string, CopiedTitle>()

  constructor(names: Names, parts: Parts) {
    this.#names = names
    this.#parts = parts
  }

  addRoutes(path: string, { atRoot }: Pick<Findings, 'atRoot'>): void {
    if (!NO_PAGE.test(path)) this.#atRoot.push(...atRoot.map((shown) => ({ ...shown, path })))
  }

  add(
    path: string,
    { opensWith, abovePages, titleTaken }: Pick<Facts, 'opensWith' | 'abovePages' | 'titleTaken'>,
  ): void {
    if (opensWith !== undefined) this.#opensWith.set(path, opensWith)
    if (abovePages.length > 0 && !NO_PAGE.test(path)) this.#abovePages.set(path, abovePages)
    if (titleTaken !== null) this.#titlesTaken.push({ path, taken: titleTaken })
  }

  /** Reads the files from which start pages take their titles, and no others. */
  async readMore(read: Read): Promise<void> {
    const starts = this.openings()
    const taken = this.#titlesTaken.filter(({ path }) => starts[path] !== undefined)
    for (const { path, taken: title } of taken.slice(0, MAX_TITLES)) {
      const there = await firstThere(modulesAt(path, title.from), read)
      const found = there === null ? null : copiedTitleIn(there.file, there.text, title)
      if (found !== null) this.#copiedTitles.set(path, found)
    }
  }

  copiedTitles(): Site['copiedTitles'] {
    return Object.fromEntries(inOrder(this.#copiedTitles))
  }

  /** With what the site opens: the files in whose hands that is, of each of its start pages. */
  openings(): Record<string, Opening> {
    const shownBy = partsShown(this.#names.nodes)
    const found = new Map<string, Opening>()
    const atRoot = this.#startPages(shownBy)
    const pages = [...this.#opensWith.keys()].filter((one) => isStartPage(one) || atRoot.has(one)).sort()
    for (const page of uppermost(pages))
      if (!this.#isOpenedAround(page, shownBy)) this.#follow(page, shownBy, found)
    return Object.fromEntries(inOrder(found))
  }

  /** From a start page to the file with which it opens, part by part. */
  #follow(page: string, shownBy: ShownBy, found: Map<string, Opening>): void {
    let path = page
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const tag = this.#opensWith.get(path)
      if (tag === undefined || tag === UNTOLD) return
      if (tag === null) {
        if (!found.has(path)) found.set(path, { page, below: null })
        return
      }
      const part = shownBy(path, tag)
      if (part === null) return
      if (this.#names.isShared(part, path)) {
        if (this.#parts.of(part)?.asks === false) found.set(path, { page, below: tag })
        return
      }
      path = part
    }
  }

  /** Whether a file around a page shows what opens the site above it. */
  #isOpenedAround(page: string, shownBy: ShownBy): boolean {
    const opens = (path: string, tag: string): boolean => {
      if (tag === 'h1') return true
      const part = shownBy(path, tag)
      return OPENING_NAME.test(tag) || (part !== null && this.#parts.of(part)?.dress.opens === true)
    }
    return [...this.#abovePages].some(
      ([path, tags]) => path !== page && isAround(path, page) && tags.some((tag) => opens(path, tag)),
    )
  }

  /** The files that routes show where a site begins, whatever they are called. */
  #startPages(shownBy: ShownBy): ReadonlySet<string> {
    const meant = fileMeant(this.#names.nodes)
    return new Set(
      this.#atRoot.flatMap(({ path, name, from }) => {
        const found = from === null ? shownBy(path, name ?? '') : meant(path, from)
        return found === null || isNobodys(found) ? [] : [found]
      }),
    )
  }
}
