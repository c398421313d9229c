import type { Language } from '../../words/language.js'

/** What stands in a folder, or under a name, of a language is meant to be in it. */
const FOR_LANGUAGE =
  /(^|[/._-])(en|de|fr|es|it|nl|pt|pl|tr|ru|cs|sv|da|ca|english|deutsch|german|french|francais|spanish|espanol|lang|locales?)(?=[/._-])/i
/** How many times as many files speak the language of a site as one that is left in it. */
const MIN_RATIO = 2

/** Which languages files speak. */
export class Languages {
  /** by language, how many files speak it */
  readonly #languages = new Map<string, number>()
  /** by file, the language of its words */
  readonly #languageOf = new Map<string, string>()

  /** @param language `null`: its words tell none */
  add(path: string, language: Language | null): void {
    if (language === null) return
    this.#languages.set(language, (this.#languages.get(language) ?? 0) + 1)
    this.#languageOf.set(path, language)
  }

  /** The language of nearly all files that say one; files with few words are taken to be in it. */
  main(): string | null {
    const [best, next] = [...this.#languages].sort((a, b) => b[1] - a[1])
    return best !== undefined && best[1] >= 4 * (next?.[1] ?? 0) ? best[0] : null
  }

  /** Whether a file speaks another language than most others, and is in no folder of a language: what it was begun with is left in it. */
  isLeftOver(path: string): boolean {
    const own = this.#languageOf.get(path)
    const [most] = [...this.#languages].sort((a, b) => b[1] - a[1])
    if (own === undefined || most === undefined || most[0] === own || FOR_LANGUAGE.test(path)) return false
    return most[1] >= MIN_RATIO * (this.#languages.get(own) ?? 0)
  }
}
