import type { Facts } from '../facts.js'
import type { Part, Site } from '../idea.js'
import { NO_DRESS } from '../mechanisms/layout/dress.js'
import { nameOf, plain } from '../uses.js'
import type { StatementKind } from '../words/statements.js'
import { inOrder } from './first.js'
import { MAX_STEPS } from './names.js'

/** A part of which nothing is known. */
const UNKNOWN: Part = {
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

const named = (path: string): string => plain(nameOf(path))

/** The parts of pages, by the name of their files: what they hold, and which files show them. */
export class Parts {
  readonly #parts = new Map<string, Part>()
  readonly #showing: { path: string; shows: readonly string[] }[] = []
  /** of which kinds the headings of files are */
  readonly #headed: { path: string; kinds: readonly StatementKind[] }[] = []

  add(path: string, { part, shows, headed }: Pick<Facts, 'part' | 'shows' | 'headed'>): void {
    if (part !== null) this.#addPart(named(path), part)
    if (shows.length > 0) this.#showing.push({ path, shows })
    if (headed.length > 0) this.#headed.push({ path, kinds: headed })
  }

  /** Of two with one name nothing is known. */
  #addPart(name: string, part: Part): void {
    this.#parts.set(name, this.#parts.has(name) ? UNKNOWN : part)
  }

  /** What the part holds that a file has; `undefined` where it has none. */
  of(path: string): Part | undefined {
    return this.#parts.get(named(path))
  }

  known(): Site['parts'] {
    return Object.fromEntries(inOrder(this.#parts))
  }

  /** By part, which of these files say something beside it. */
  saidBeside(paths: readonly string[]): Record<string, readonly string[]> {
    const found = new Map<string, string[]>()
    for (const path of [...new Set(paths)].sort())
      for (const part of this.#besides(path)) found.set(part, [...(found.get(part) ?? []), path])
    return Object.fromEntries(inOrder(found))
  }

  /** By part, the kinds of statements that the pages say in their headings which show it. */
  headedAbove(): Record<string, readonly StatementKind[]> {
    const found = new Map<string, Set<StatementKind>>()
    for (const { path, kinds } of this.#headed)
      for (const part of this.#partsOf(new Set([path])))
        found.set(part, new Set([...(found.get(part) ?? []), ...kinds]))
    return Object.fromEntries(inOrder(found).map(([part, kinds]) => [part, [...kinds].sort()]))
  }

  /** The parts of all pages that show a file, by name, and the parts of these themselves. */
  #besides(path: string): string[] {
    const isAroundPages = /^(footer|header|layout)/.test(named(path))
    const telling = new Set(isAroundPages ? [] : [path])
    const names = new Set([...telling].map(named))
    for (let size = -1, steps = 0; size !== telling.size && steps < MAX_STEPS; steps++) {
      size = telling.size
      for (const { path: other, shows } of this.#showing)
        if (shows.some((one) => names.has(one)) && !telling.has(other)) {
          telling.add(other)
          // Programs that go by folders call every page the same.
          if (!/^(page|layout|index|app|main|template)$/.test(named(other))) names.add(named(other))
        }
    }
    return [...this.#partsOf(telling)].sort()
  }

  /** The parts that files show, and the parts of these, by name. */
  #partsOf(files: ReadonlySet<string>): ReadonlySet<string> {
    const told = new Set(this.#showing.flatMap(({ path, shows }) => (files.has(path) ? shows : [])))
    for (let size = -1, steps = 0; size !== told.size && steps < MAX_STEPS; steps++) {
      size = told.size
      for (const { path, shows } of this.#showing)
        if (told.has(named(path))) for (const one of shows) told.add(one)
    }
    return told
  }
}
