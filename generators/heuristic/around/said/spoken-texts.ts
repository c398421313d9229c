import { modulesAt } from '../../form-handlers.js'
import type { Evidence, Site } from '../../idea.js'
import type { Taken } from '../../markup/tree.js'
import { spokenIn, spokenKey, valueKey } from '../../spoken.js'
import { firstThere, inOrder, type Read } from '../first.js'

/** Pages that show texts of other files. */
const MAX_SPOKEN = 600

/** What pages ask of one file, with its text. */
interface Asked {
  text: string
  by: { path: string; one: Taken }[]
}

/** Texts that pages show from other files. */
export class SpokenTexts {
  readonly #asked: { path: string; spoken: readonly Taken[] }[] = []
  readonly #spoken = new Map<string, Evidence>()

  add(path: string, spoken: readonly Taken[]): void {
    if (spoken.length > 0) this.#asked.push({ path, spoken })
  }

  /** Reads the files whose texts pages show, and no others. */
  async readMore(read: Read): Promise<void> {
    for (const [file, { text, by }] of await this.#byFile(read)) {
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

  /** What is asked by the file that has it, so that each is read once. */
  async #byFile(read: Read): Promise<ReadonlyMap<string, Asked>> {
    const texts = new Map<string, string | null>()
    const once: Read = async (file) => {
      const known = texts.get(file)
      if (known !== undefined) return known
      const text = await read(file)
      texts.set(file, text)
      return text
    }
    const asked = new Map<string, Asked>()
    for (const { path, spoken } of this.#asked.slice(0, MAX_SPOKEN))
      for (const from of new Set(spoken.map((one) => one.from))) {
        const found = await firstThere(modulesAt(path, from), once)
        if (found === null) continue
        const there = asked.get(found.file) ?? { text: found.text, by: [] }
        for (const one of spoken) if (one.from === from) there.by.push({ path, one })
        asked.set(found.file, there)
      }
    return asked
  }

  known(): Site['spoken'] {
    return Object.fromEntries(inOrder(this.#spoken))
  }
}
