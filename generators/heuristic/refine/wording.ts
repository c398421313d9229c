import type { Edit } from '../../../variants/port.js'
import type { Proposal } from '../../port.js'
import { newRuns, type Run, runsOf, withWords } from '../../runs.js'
import type { Locale } from '../locales.js'
import { type Language, likeControl } from '../words/language.js'
import { saidAs } from '../words/sayings.js'
import { type KeyText, keyTextsOf, rekeyed } from './keyed.js'

/** A text of an alternative, and where it is written: in each of these edits. */
export interface Saying {
  variant: string
  words: string
  /** what the control says there, where that can be told */
  control: string | null
  places: { file: number; edit: number; run: Run }[]
  /** it stands under a key of its own */
  keyed?: KeyText
}

/** Two texts that change places say nothing new, and yet each says something else there. */
function changedRuns(edit: Edit): Run[] {
  const fresh = newRuns(edit)
  const [before, after] = [runsOf(edit.find), runsOf(edit.replace)]
  const isSwap =
    fresh.length === 0 &&
    before.length === 2 &&
    after.length === 2 &&
    before[0]?.text === after[1]?.text &&
    before[0]?.text !== after[0]?.text
  return isSwap ? after : fresh
}

/** What the alternatives say that the control does not, each text of a variant once, in the order of the page. */
export function sayingsOf(proposal: Proposal, locales: readonly Locale[]): Saying[] {
  const { files } = proposal
  const keyed = keyTextsOf(proposal, locales)
  const found: Saying[] = keyed.map((one) => ({
    variant: one.variant,
    words: one.words,
    control: one.control,
    places: [],
    keyed: one,
  }))
  for (const [file, { edits }] of files.entries())
    for (const [index, edit] of edits.entries()) {
      if (edit.variant === undefined) continue
      // A key, or the words that its code has beside it, are no texts of their own.
      const runs = changedRuns(edit).filter(
        ({ text }) =>
          !keyed.some(
            ({ variant, name, words }) =>
              variant === edit.variant && (text === words || text.split(/[.:]/).at(-1) === name),
          ),
      )
      const kept = new Set(runsOf(edit.replace).map(({ text }) => text))
      const gone = runsOf(edit.find).filter(({ text }) => !kept.has(text))
      for (const [at, run] of runs.entries()) {
        const known = found.find(({ variant, words }) => variant === edit.variant && words === run.text)
        if (known !== undefined) known.places.push({ file, edit: index, run })
        else
          found.push({
            variant: edit.variant,
            words: run.text,
            control: gone.length === runs.length ? (gone[at]?.text ?? null) : null,
            places: [{ file, edit: index, run }],
          })
      }
    }
  return found
}

/** The proposal with other words for a saying, in its edits and where it is spoken of; `null` where they cannot be written there. */
export function reworded(
  proposal: Proposal,
  saying: Saying,
  words: string,
  locales: readonly Locale[],
): Proposal | null {
  let failed = false
  const byKey = saying.keyed === undefined ? undefined : rekeyed(proposal, saying.keyed, words, locales)
  if (byKey === null) return null
  const files = (byKey ?? proposal.files).map(({ path, edits }, file) => ({
    path,
    edits: edits.map((edit, index) => {
      // From the last run to the first, so that the places of those before it stay.
      const places = saying.places.filter((one) => one.file === file && one.edit === index)
      return places.reduceRight((now, { run }) => {
        const next = withWords(now, run, words)
        if (next === null) failed = true
        return next ?? now
      }, edit)
    }),
  }))
  if (failed || files.some(({ edits }) => edits.some(({ find, replace }) => find === replace))) return null
  const speak = (text: string): string => text.replaceAll(`“${saying.words}”`, `“${words}”`)
  return {
    ...proposal,
    files,
    name: speak(proposal.name).slice(0, 200),
    hypothesis: speak(proposal.hypothesis).slice(0, 2000),
    variants: proposal.variants.map((one) =>
      one.key === saying.variant && one.displayName.includes(saying.words.slice(0, 40))
        ? { ...one, displayName: words.slice(0, 100) }
        : one,
    ),
  }
}

/** Other ways to say the same, from short to long, in the manner of what stands there; none where the text is not known. */
export function otherWords({ words, control }: Saying, language: Language | null): string[] {
  const said = saidAs(words, language)
  if (said === null) return []
  return said.in(said.language).map((one) => likeControl(control ?? words, one, said.language))
}

/** The next shorter text: of those that mean the same, or without what only leads up to it or comes after it. */
export function shorter(saying: Saying): string | null {
  const known = otherWords(saying, null)
    .filter((one) => one.length < saying.words.length)
    .at(-1)
  if (known !== undefined) return known
  const { words } = saying
  const cuts: readonly RegExp[] = [
    /\s*\([^)]*\)/,
    /(?<=[.!?])\s+\S[^.!?]*[.!?]?$/,
    /\s+[–—-]\s+.*$/,
    /:\s+.*$/,
    /,\s.*$/,
    /^(?:please|bitte|veuillez|por favor,?)\s+/i,
    /\s+(?:now|today|right away|jetzt|heute|sofort|maintenant|aujourd'hui|ahora|hoy)$/i,
  ]
  for (const cut of cuts) {
    const left = words.replace(cut, '').trim()
    if (left !== words && left.split(/\s+/).length >= 2) {
      const end = /[.!?]$/.test(words) && !/[.!?]$/.test(left) ? (words.at(-1) ?? '') : ''
      return /^\p{Lu}/u.test(words) ? left.charAt(0).toLocaleUpperCase() + left.slice(1) + end : left + end
    }
  }
  return null
}

export const longer = (saying: Saying): string | null =>
  otherWords(saying, null).find((one) => one.length > saying.words.length) ?? null

/** The same in another language, `null` where it is not known. */
export function translated({ words, control, keyed }: Saying, language: Language): string | null {
  // Under a key each language has its own text already.
  if (keyed !== undefined) return null
  const said = saidAs(words, null)
  if (said === null) return null
  const own = said.in(said.language)
  const at = own.findIndex((one) => one.toLowerCase() === words.toLowerCase())
  const others = said.in(language)
  // A text of about the same length among those that mean the same.
  const share = own.length > 1 ? Math.max(0, at) / (own.length - 1) : 0
  const other = others[Math.round(share * (others.length - 1))]
  // German writes nouns with capitals whatever stood there before: the manner is the new language's own.
  return other === undefined || other === words
    ? null
    : control !== null && control === control.toLocaleUpperCase()
      ? other.toLocaleUpperCase(language)
      : other
}
