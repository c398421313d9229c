import type { Edit } from '../../../variants/port.js'
import type { Proposal, Repository } from '../../port.js'
import { escaped } from '../../words.js'
import { type Locale, localeOf, newKey, placeOf } from '../locales.js'

/** A text of an alternative that stands under a key of its own in files of texts. */
export interface KeyText {
  variant: string
  /** the last part of its key, as code names it */
  name: string
  /** the key of the control's text, as `newKey` takes it */
  found: string
  /** in the language that the site is written in */
  words: string
  control: string
  main: Locale
  /** languages that keep the control's text */
  unwritten: readonly string[]
  /** what was added for it, by path */
  pieces: ReadonlyMap<string, string>
}

/** The files of texts into which a proposal writes, as they are without it. */
export async function localesOf({ files }: Proposal, repository: Repository): Promise<Locale[]> {
  const found: Locale[] = []
  for (const { path } of files) {
    const text = placeOf(path) === null ? null : await repository.read(path)
    const locale = text === null ? null : localeOf(path, text)
    if (locale !== null) found.push(locale)
  }
  return found
}

interface Added {
  name: string
  found: string
  locale: Locale
  words: string
  control: string
  piece: string
}

/** The keys that a proposal adds to a file, each with what of the edit is for it. */
function addedTo(locale: Locale, edits: readonly Edit[]): Added[] {
  const written = edits
    .filter(({ variant, find }) => variant === undefined && locale.text.includes(find))
    .reduce((text, { find, replace }) => text.replace(find, () => replace), locale.text)
  const after = localeOf(locale.path, written)
  return [...(after?.entries ?? [])].flatMap(([key, entry]) => {
    if (locale.entries.has(key)) return []
    const edit = edits.find(({ replace }) => replace.includes(written.slice(entry.start, entry.end)))
    const old = [...locale.entries].find(([, { start, end }]) => locale.text.slice(start, end) === edit?.find)
    if (old === undefined) return []
    const from = [...(after?.entries.values() ?? [])].reduce(
      (end, one) => (one.end <= entry.start ? Math.max(end, one.end) : end),
      0,
    )
    return [
      {
        name: entry.name,
        found: `${locale.group}#${old[0]}`,
        locale,
        words: entry.value,
        control: old[1].value,
        piece: written.slice(from, entry.end),
      },
    ]
  })
}

const standing = (name: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_-])${escaped(name)}(?![\\p{L}\\p{N}_-])`, 'gu')

/** What the alternatives say by keys that the proposal adds. Of several languages that one counts in which it is spoken of. */
export function keyTextsOf(proposal: Proposal, locales: readonly Locale[]): KeyText[] {
  if (locales.length === 0) return []
  const added = locales.flatMap((locale) =>
    addedTo(locale, proposal.files.find(({ path }) => path === locale.path)?.edits ?? []),
  )
  const spoken = [proposal.name, proposal.hypothesis, ...proposal.variants.map((one) => one.displayName)]
  const edits = proposal.files.flatMap((file) => file.edits)
  return proposal.variants.flatMap(({ key }) =>
    [...new Set(added.map(({ name }) => name))].flatMap((name) => {
      const own = edits.filter(({ variant }) => variant === key)
      if (!own.some(({ find, replace }) => standing(name).test(replace) && !standing(name).test(find)))
        return []
      const all = added.filter((one) => one.name === name)
      const main =
        all.find(({ words, control }) => words !== control && spoken.some((text) => text.includes(words))) ??
        all.find(({ locale }) => locale.language === 'en') ??
        all[0]
      if (main === undefined) return []
      return [
        {
          variant: key,
          name,
          found: main.found,
          words: main.words,
          control: main.control,
          main: main.locale,
          unwritten: all
            .filter(({ words, control }) => words === control)
            .map(({ locale }) => locale.language),
          pieces: new Map(all.map(({ locale, piece }) => [locale.path, piece])),
        },
      ]
    }),
  )
}

/** The files with other words for a text: under a key that says them, while the old one stays where another alternative shows it. `null` where they cannot be written. */
export function rekeyed(
  { files, ...proposal }: Proposal,
  text: KeyText,
  words: string,
  locales: readonly Locale[],
): Proposal['files'] | null {
  const others = keyTextsOf({ ...proposal, files }, locales).filter(({ variant }) => variant !== text.variant)
  const made = newKey({ locales, main: [text.main] }, text.found, words)
  if (made === null || words === text.control || others.some(({ name }) => name === made.name)) return null
  const stays = others.some(({ name }) => name === text.name)
  const named = ({ replace, ...edit }: Edit): Edit => ({
    ...edit,
    replace: ["'", '"', '`'].reduce(
      (code, quote) => code.replaceAll(`${quote}${text.words}${quote}`, () => `${quote}${words}${quote}`),
      replace.replace(standing(text.name), () => made.name),
    ),
  })
  return files.map(({ path, edits }) => {
    const additions = made.additions.filter((one) => one.path === path)
    const piece = stays ? '' : (text.pieces.get(path) ?? '')
    return {
      path,
      edits: edits.map((edit) => {
        if (edit.variant === text.variant) return named(edit)
        const added = additions.find(({ find }) => edit.variant === undefined && edit.find === find)
        return added === undefined
          ? edit
          : { ...edit, replace: edit.replace.replace(piece, () => '') + added.added }
      }),
    }
  })
}

/** The files without keys that no alternative shows any more. */
export function withoutUnshown(
  before: Proposal,
  now: Proposal,
  locales: readonly Locale[],
): Proposal['files'] {
  const shown = new Set(keyTextsOf(now, locales).map(({ name }) => name))
  const gone = keyTextsOf(before, locales).filter(({ name }) => !shown.has(name))
  return now.files
    .map(({ path, edits }) => ({
      path,
      edits: edits
        .map(({ find, replace, ...edit }) => ({
          ...edit,
          find,
          replace:
            edit.variant === undefined
              ? gone.reduce((text, { pieces }) => text.replace(pieces.get(path) ?? '', () => ''), replace)
              : replace,
        }))
        .filter(({ find, replace }) => find !== replace),
    }))
    .filter(({ edits }) => edits.length > 0)
}
