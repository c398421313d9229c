import { KEY_PATTERN } from '../domain/slug.js'
import { type Alternative, LONGEST_TEXT, type Outcome, UnsupportedEditError } from './dialect.js'
import { dialectOf } from './dialects.js'
import type { Edit, Problem, Region, SplitExperiment, WriteRequest, Written } from './port.js'
import { inverse, lineStart, moved, nextLine, onlyPlaceOf, type Splice, splice } from './text.js'

const KEY = new RegExp(KEY_PATTERN)

/**
 * Writes an experiment into a file: makes plain edits, and writes alternatives so that every visitor gets
 * one. Proves the result: it parses, and the code shown for each variant is the same as after edits by hand.
 * Text around the edits stays as it is.
 */
export function writeVariants(request: WriteRequest): Written {
  const problems: Problem[] = []
  const attempt = <T>(edit: number | null, act: () => T): T | undefined => {
    try {
      return act()
    } catch (error) {
      if (!(error instanceof UnsupportedEditError)) throw error
      problems.push({ ...error.problem, edit: error.problem.edit ?? edit })
      return undefined
    }
  }
  const written = attempt(null, () => write(request, problems))
  if (written !== undefined && problems.length === 0) return { ok: true, ...written }
  return {
    ok: false,
    problems: request.isTrial === true ? problems : problems.map((one) => withUnits(request, one)),
  }
}

const MAX_SHOWN_UNITS = 5
/** Each unit that is tried reads the whole text. */
const MAX_TRIED_CHARACTERS = 2_000_000

/** The problem with units that are accepted when they are sent alone. */
function withUnits(request: WriteRequest, { units: named, ...problem }: Problem): Problem {
  const index = problem.edit ?? (request.edits.length === 1 ? 0 : -1)
  const edit = request.edits[index]
  if (edit?.variant === undefined) return problem
  const isTaken = (unit: string): boolean => {
    const edits = [{ ...edit, find: unit, replace: unit }]
    return unit !== edit.find && writeVariants({ ...request, edits, isTrial: true }).ok
  }
  const units: string[] = []
  const tries = Math.max(1, Math.floor(MAX_TRIED_CHARACTERS / request.text.length))
  for (const unit of (named ?? unitsAround(request, edit)).slice(0, tries)) {
    if (isTaken(unit)) units.push(unit)
    if (units.length === MAX_SHOWN_UNITS) break
  }
  return units.length === 0 ? problem : { ...problem, units }
}

function unitsAround({ text, path }: WriteRequest, { find }: Edit): string[] {
  const start = onlyPlaceOf(text, find)
  if (typeof start !== 'number') return []
  try {
    return dialectOf(path)?.unitsNear(text, path, { start, end: start + find.length }) ?? []
  } catch (error) {
    if (error instanceof UnsupportedEditError) return []
    throw error
  }
}

function write(request: WriteRequest, problems: Problem[]): { text: string; regions: Region[] } | undefined {
  const { text, path, experiment, edits, helper } = request
  if (text.length > LONGEST_TEXT)
    throw new UnsupportedEditError(
      null,
      `the file is longer than ${LONGEST_TEXT} characters; edit what it is made from`,
    )
  refuseExperiment(experiment)
  const located = edits.map((edit, index) => locate(text, edit, index, experiment, problems))
  const places = located.filter((place) => place !== undefined)
  if (places.length < edits.length) return undefined
  refuseOverlaps(places)

  const dialect = dialectOf(path)
  const plain = places.filter((place) => place.variant === undefined)
  const plainParts = plain.map(
    (place): Splice => ({ start: place.start, end: place.end, text: place.replace }),
  )
  const base = splice(text, plainParts)
  const alternatives = places.flatMap((place): Alternative[] => {
    const { edit, variant, replace } = place
    const start = moved(plainParts, place.start, 'start')
    const end = moved(plainParts, place.end, 'start')
    return variant === undefined || start === null || end === null
      ? []
      : [{ edit, variant, start, end: start + (place.end - place.start), replace }]
  })
  if (alternatives.length > 0 && dialect === undefined)
    throw new UnsupportedEditError(
      alternatives[0]?.edit ?? null,
      'only HTML, JavaScript, TypeScript, JSX, Vue and Svelte can have variants; this file takes edits without `variant`',
    )
  // Without plain edits the dialect parses the same text anyway.
  const readable = dialect !== undefined && plain.length > 0 && parses(() => dialect.check(text, path))
  if (alternatives.length > 0 && plain.length > 0 && dialect !== undefined && !readable)
    dialect.check(text, path)
  let outcome: Outcome = { drafts: [], inserts: [] }
  if (dialect !== undefined && alternatives.length > 0) {
    outcome = dialect.write({ path, text: base, experiment, alternatives, helper })
  }
  const result = compose(text, base, plainParts, outcome)
  // An edit may repair a text that did not parse, but must not break one that did.
  if (dialect !== undefined && readable && alternatives.length === 0) dialect.check(result.text, path)
  return result
}

function refuseExperiment({ key, variants }: SplitExperiment): void {
  const keys = variants.map((arm) => arm.key)
  if (![key, ...keys].every((one) => KEY.test(one)) || new Set(keys).size < keys.length)
    throw new UnsupportedEditError(
      null,
      'the keys of an experiment and its variants are groups of a-z and 0-9 joined by -, each once',
    )
  if (
    variants.findIndex((arm) => arm.isControl) !== 0 ||
    variants.filter((arm) => arm.isControl).length !== 1
  )
    throw new UnsupportedEditError(
      null,
      'the first variant of an experiment is its control, and no other one',
    )
}

interface Place extends Edit {
  edit: number
  start: number
  end: number
}

function locate(
  text: string,
  edit: Edit,
  index: number,
  experiment: SplitExperiment,
  problems: Problem[],
): Place | undefined {
  const { find, replace, variant } = edit
  const arm = experiment.variants.find((one) => one.key === variant)
  if (variant !== undefined && (arm === undefined || arm.isControl)) {
    problems.push({ edit: index, message: '`variant` is the key of a variant other than the control' })
    return undefined
  }
  const start = onlyPlaceOf(text, find)
  if (typeof start !== 'number') {
    problems.push({
      edit: index,
      message:
        start === 'none'
          ? '`find` is not in the file'
          : '`find` is in the file more than once; take more of what stands around it',
    })
    return undefined
  }
  return {
    edit: index,
    start,
    end: start + find.length,
    find,
    replace,
    ...(variant === undefined ? {} : { variant }),
  }
}

/** Refuses edits that overlap. Only alternatives of different variants may share a range. */
function refuseOverlaps(places: readonly Place[]): void {
  const sorted = [...places].sort((a, b) => a.start - b.start || a.end - b.end)
  const open: Place[] = []
  for (const place of sorted) {
    for (const other of open) {
      if (other.end <= place.start) continue
      const same = other.start === place.start && other.end === place.end
      const both = other.variant !== undefined && place.variant !== undefined
      if (!(same && both && other.variant !== place.variant))
        throw new UnsupportedEditError(
          Math.max(place.edit, other.edit),
          `it overlaps with edit ${Math.min(place.edit, other.edit)}: alternatives to one place have the same \`find\`, one a variant`,
        )
    }
    while (open.length > 0 && (open[0]?.end ?? 0) <= place.start) open.shift()
    open.push(place)
  }
}

function parses(check: () => void): boolean {
  try {
    check()
    return true
  } catch {
    // A parse error is the answer, not a failure.
    return false
  }
}

/** The written text with its regions: those of the dialect, and plain edits outside them. */
function compose(
  text: string,
  base: string,
  plainParts: readonly Splice[],
  { drafts, inserts }: Outcome,
): { text: string; regions: Region[] } {
  const back = inverse(text, plainParts)
  const ofDrafts = drafts.map((draft) => {
    const start = moved(back, draft.start, 'start')
    const end = moved(back, draft.end, 'end')
    if (start === null || end === null)
      throw new UnsupportedEditError(
        null,
        'an edit without `variant` reaches into the text that an edit with `variant` needs',
      )
    return { draft, start, end }
  })
  const loose = plainParts.filter(
    (part) => !ofDrafts.some(({ start, end }) => start <= part.start && part.end <= end),
  )
  const toBase = (part: Splice): Splice => ({
    start: moved(plainParts, part.start, 'end') ?? part.start,
    end: (moved(plainParts, part.start, 'end') ?? part.start) + part.text.length,
    text: part.text,
  })
  const parts: { splice: Splice; region: Omit<Region, 'around'> | null }[] = [
    ...ofDrafts.map(({ draft, start, end }) => ({
      splice: { start: draft.start, end: draft.end, text: draft.written },
      region: {
        before: text.slice(start, end),
        written: draft.written,
        variants: draft.variants,
        plain: draft.plain,
      },
    })),
    ...loose.map((part) => ({
      splice: toBase(part),
      region: {
        before: text.slice(part.start, part.end),
        written: part.text,
        variants: {},
        plain: part.text,
      },
    })),
    ...inserts.map((part) => ({ splice: part, region: null })),
  ].sort((a, b) => a.splice.start - b.splice.start || a.splice.end - b.splice.end)
  const all = parts.map((part) => part.splice)
  const result = splice(base, all)
  let shift = 0
  const regions: Region[] = []
  for (const { splice: part, region } of parts) {
    const start = part.start + shift
    shift += part.text.length - (part.end - part.start)
    if (region !== null) regions.push({ ...region, around: around(result, start, start + part.text.length) })
  }
  return { text: result, regions }
}

/** The smallest context of whole lines that makes a range unique; empty if it is unique already. */
function around(text: string, start: number, end: number): [string, string] {
  const own = text.slice(start, end)
  // An experiment's key keeps written code unique. A short plain text may lose its uniqueness later.
  if (own.length >= 80 && typeof onlyPlaceOf(text, own) === 'number') return ['', '']
  let from = lineStart(text, start)
  let to = nextLine(text, end)
  while (typeof onlyPlaceOf(text, text.slice(from, to)) !== 'number' && (from > 0 || to < text.length)) {
    from = lineStart(text, Math.max(0, from - 1))
    to = nextLine(text, to)
  }
  return [text.slice(from, start), text.slice(end, to)]
}
