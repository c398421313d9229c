import type { Facts } from '../../facts.js'
import type { KeyCall } from '../../keyed.js'
import { type Locale, type Texts, textOfKey, textsOf } from '../../locales.js'
import { isLanguage, type Language } from '../../words/language.js'

const MAX_LOCALE_TEXT = 8_000_000

/** A text that a file shows by its key. */
export interface KeyedText {
  /** of the file that shows it */
  path: string
  /** the parts that the file shows */
  shows: readonly string[]
  call: KeyCall
  value: string
  language: Language
}

/** The texts of languages, and where files show these by their keys. */
export class KeyedTexts {
  readonly #locales: Locale[] = []
  #length = 0
  readonly #calls: { path: string; shows: readonly string[]; calls: readonly KeyCall[] }[] = []

  addLocale(locale: Locale): void {
    this.#length += locale.text.length
    if (this.#length <= MAX_LOCALE_TEXT) this.#locales.push(locale)
  }

  add(path: string, { shows, keyCalls }: Pick<Facts, 'shows' | 'keyCalls'>): void {
    if (keyCalls.length > 0) this.#calls.push({ path, shows, calls: keyCalls })
  }

  /** @param spoken the language of the site; `null`: no one that nearly all files speak */
  texts(spoken: string | null): Texts {
    return textsOf(this.#locales, spoken)
  }

  /** What files show by keys, in the main language; nothing where its words are not known. */
  shown(texts: Texts): KeyedText[] {
    const language = texts.main[0]?.language ?? ''
    if (!isLanguage(language)) return []
    return this.#calls.flatMap(({ path, shows, calls }) =>
      calls.flatMap((call): KeyedText[] => {
        const value = textOfKey(texts, call.key, undefined)?.value
        return value === undefined ? [] : [{ path, shows, call, value, language }]
      }),
    )
  }
}
