import type { Edit } from '../../variants/port.js'
import { escaped } from '../lexicon/words.js'
import { addedTexts, newTexts, type VisibleText, visibleTexts, withWords } from '../page/visible-text.js'
import type { Proposal } from '../port.js'

/** A text of an alternative, and where it is written. */
export interface Saying {
  variant: string
  words: string
  /** what the control says there, `null` if that cannot be told */
  control: string | null
  places: { file: number; edit: number; text: VisibleText }[]
}

/** A text that a plain edit adds to a file of texts, under a new key. */
interface KeyedText {
  name: string
  words: string
  place: Saying['places'][number]
}

const ADDED = /(["']?)([\w.-]+)\1\s*:\s*(["'])((?:(?!\3)[^\\])*)\3\s*$/

function keyedTexts({ files }: Proposal): KeyedText[] {
  return files.flatMap(({ edits }, file) =>
    edits.flatMap(({ find, replace, variant }, edit): KeyedText[] => {
      const found = variant === undefined && replace.startsWith(find) ? ADDED.exec(replace) : null
      if (found === null) return []
      const [whole, , name = '', quote = '', words = ''] = found
      const start = found.index + whole.lastIndexOf(`${quote}${words}${quote}`) + 1
      return [{ name, words, place: { file, edit, text: { start, end: start + words.length, text: words } } }]
    }),
  )
}

/** The text whose key an edit brings in: of several languages the one in which the variant is named. */
function keyedIn(
  { find, replace }: Edit,
  keyed: readonly KeyedText[],
  displayName: string,
): KeyedText | undefined {
  const shown = keyed.filter(({ name }) => {
    const standing = new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`)
    return standing.test(replace) && !standing.test(find)
  })
  return shown.find(({ words }) => displayName.includes(words)) ?? shown[0]
}

/**
 * The texts of the alternatives that the control does not have, each text of a variant once, in file order.
 */
export function sayingsOf(proposal: Proposal): Saying[] {
  const keyed = keyedTexts(proposal)
  const found: Saying[] = []
  for (const [file, { edits }] of proposal.files.entries())
    for (const [index, edit] of edits.entries()) {
      if (edit.variant === undefined) continue
      const displayName = proposal.variants.find(({ key }) => key === edit.variant)?.displayName ?? ''
      const shown = keyedIn(edit, keyed, displayName)
      if (shown !== undefined)
        found.push({ variant: edit.variant, words: shown.words, control: null, places: [shown.place] })
      else addSayings(found, edit, edit.variant, file, index)
    }
  return found
}

function addSayings(found: Saying[], edit: Edit, variant: string, file: number, index: number): void {
  const added = addedTexts(edit)
  const kept = new Set(visibleTexts(edit.replace).map(({ text }) => text))
  const gone = visibleTexts(edit.find).filter(({ text }) => !kept.has(text))
  for (const [at, text] of added.entries()) {
    const known = found.find((one) => one.variant === variant && one.words === text.text)
    const place = { file, edit: index, text }
    if (known !== undefined) known.places.push(place)
    else
      found.push({
        variant,
        words: text.text,
        control: gone.length === added.length ? (gone[at]?.text ?? null) : null,
        places: [place],
      })
  }
}

/**
 * The proposal with other words for a saying, wherever it is quoted. `null` if they cannot be written there.
 */
export function reworded(proposal: Proposal, saying: Saying, words: string): Proposal | null {
  let failed = false
  const files = proposal.files.map(({ path, edits }, file) => ({
    path,
    edits: edits.map((edit, index) => {
      // From the last text to the first, so that the places of those before it stay.
      const places = saying.places.filter((one) => one.file === file && one.edit === index)
      return places.reduceRight((now, { text }) => {
        const next = withWords(now, text, words)
        if (next === null) failed = true
        return next ?? now
      }, edit)
    }),
  }))
  if (failed || files.some(({ edits }) => edits.some(({ find, replace }) => find === replace))) return null
  const quoted = (text: string): string => text.replaceAll(`“${saying.words}”`, `“${words}”`)
  return {
    ...proposal,
    files,
    name: quoted(proposal.name).slice(0, 200),
    hypothesis: quoted(proposal.hypothesis).slice(0, 2000),
    variants: proposal.variants.map((one) =>
      one.key === saying.variant && one.displayName.includes(saying.words.slice(0, 40))
        ? { ...one, displayName: words.slice(0, 100) }
        : one,
    ),
  }
}

/** Texts of a proposal's alternatives, for memory. */
export const alternativesOf = (proposal: Proposal): string[] => {
  const said = sayingsOf(proposal).map(({ words }) => words)
  return said.length > 0 ? said : proposal.variants.flatMap(({ key }) => newTexts(proposal.files, key))
}
