import type { Findings } from '../../analyse.js'
import { type Facts, factsOfTexts } from '../../facts.js'
import type { Evidence, KnownMark, Site } from '../../idea.js'
import type { Texts } from '../../locales.js'
import { isLanguage } from '../../words/language.js'
import type { Reassurance } from '../../words/phrases.js'
import { firstSaid, inOrder } from '../first.js'

const MAX_FOUND = 6

/** What the site says in its own favour, each with one file that says it. */
export class Claims {
  #free: Evidence | null = null
  #promise: Evidence | null = null
  #proof: Evidence | null = null
  #trial: Evidence | null = null
  #line: Evidence | null = null
  #freePlan: Evidence | null = null
  #hasPrices = false
  /** some page says that all of it ends */
  closes = false
  /** by what results are called, the files of their lists */
  readonly #finds = new Map<string, string[]>()
  readonly #reassures = new Map<Reassurance, Evidence>()
  readonly #marks = new Map<string, KnownMark>()

  add(path: string, facts: Facts): void {
    this.#free = firstSaid(this.#free, path, facts.free)
    this.#promise = firstSaid(this.#promise, path, facts.promise)
    this.#proof = firstSaid(this.#proof, path, facts.proof)
    this.#trial = firstSaid(this.#trial, path, facts.trial)
    this.#line = firstSaid(this.#line, path, facts.line)
    this.#freePlan = firstSaid(this.#freePlan, path, facts.freePlan)
    this.#hasPrices ||= facts.hasPrices
    this.closes ||= facts.closes
    for (const says of facts.finds) this.#finds.set(says, [...(this.#finds.get(says) ?? []), path].sort())
    for (const { kind, says } of facts.reassures) {
      const best = firstSaid(this.#reassures.get(kind) ?? null, path, says)
      if (best !== null) this.#reassures.set(kind, best)
    }
  }

  /** How data says what most choose. */
  addMarks(path: string, marks: Findings['marks']): void {
    for (const mark of marks) {
      const key = `${mark.property} ${mark.says ?? ''}`
      const known = this.#marks.get(key)
      if (known === undefined || path < known.path) this.#marks.set(key, { ...mark, path })
    }
  }

  /** What texts say that stand apart from pages, in the main language. */
  addTexts({ main }: Texts): void {
    for (const { path, language, entries } of main) {
      if (!isLanguage(language)) continue
      const said = factsOfTexts(
        [...entries.values()].map(({ value }) => value),
        language,
      )
      this.#free = firstSaid(this.#free, path, said.free)
      this.#trial = firstSaid(this.#trial, path, said.trial)
    }
  }

  /** What using it costs. */
  costs(): Pick<Site, 'free' | 'hasPrices'> {
    return { free: this.#free, hasPrices: this.#hasPrices }
  }

  /** What speaks for it, in one line each. */
  lines(): Pick<Site, 'promise' | 'proof' | 'trial' | 'line' | 'freePlan'> {
    return {
      promise: this.#promise,
      proof: this.#proof,
      trial: this.#trial,
      line: this.#line,
      freePlan: this.#freePlan,
    }
  }

  /** What every list of results names: one list may find what another does not. */
  foundEverywhere(): Evidence[] {
    const most = Math.max(0, ...[...this.#finds.values()].map(({ length }) => length))
    return inOrder([...this.#finds].filter(([, paths]) => paths.length === most))
      .map(([says, [path = '']]) => ({ path, says }))
      .slice(0, MAX_FOUND)
  }

  marks(): KnownMark[] {
    return inOrder(this.#marks).map(([, mark]) => mark)
  }

  reassures(): Site['reassures'] {
    return inOrder(this.#reassures).map(([kind, evidence]) => ({ kind, evidence }))
  }
}
