import { errorMessage } from '../runtime/errors.js'
import type { TextRange } from './mask.js'
import type { HelperReference, Problem, SplitExperiment } from './port.js'
import { core, onlyPlaceOf, type Splice, splice } from './text.js'

/** An edit of a variant at its position: `replace` is the variant's text for `start` to `end`. */
export interface Alternative {
  edit: number
  variant: string
  start: number
  end: number
  replace: string
}

/** A piece of text to write in place of `start` to `end`. Texts as in `Region`. */
export interface Replacement {
  start: number
  end: number
  written: string
  variants: Record<string, string>
  plain: string
}

export interface VariantTask {
  path: string
  text: string
  experiment: SplitExperiment
  alternatives: readonly Alternative[]
  helper: HelperReference | undefined
}

export interface Outcome {
  drafts: Replacement[]
  /** makes the helper available to the file; `withoutHelper` undoes it */
  inserts: Splice[]
}

/**
 * A language whose files can have variants. Texts may have a byte order mark and any line ends. All methods
 * throw `UnsupportedEditError`.
 */
export interface Dialect {
  /** Throws if a text does not parse, or does not compile if the language has a compiler. */
  check(text: string, path: string): void
  /**
   * The text to write. Proven: it parses, each variant's edits made by hand parse, and both mean the same.
   */
  write(task: VariantTask): Outcome
  /** Removes the import or tag of the helper if nothing in the text uses it. */
  withoutHelper(text: string, path: string): string
  /** Pieces of the text around a range, innermost first, that may fit as `find`. */
  unitsNear(text: string, path: string, range: TextRange): string[]
}

export class UnsupportedEditError extends Error {
  readonly problem: Problem

  constructor(edit: number | null, message: string, units: readonly string[] = []) {
    super(message)
    this.name = 'UnsupportedEditError'
    this.problem = units.length > 0 ? { edit, message, units: [...units] } : { edit, message }
  }
}

/** Longer texts are not source code, and would block the process. */
export const LONGEST_TEXT = 2_000_000

/** Runs a parser and turns its errors, also stack overflows, into `UnsupportedEditError`. */
export function parsing<T>(what: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof UnsupportedEditError) throw error
    if (error instanceof RangeError)
      throw new UnsupportedEditError(null, `${what} is nested too deeply to be read`)
    const message = errorMessage(error)
    throw new UnsupportedEditError(null, `${what} cannot be read: ${message.slice(0, 500)}`)
  }
}

/** The smallest piece of the text that is written for each variant. */
export interface Unit<T> {
  start: number
  end: number
  what: T
  alternatives: Alternative[]
}

/**
 * Merges nested units into the outer one. Units never overlap otherwise, because they are nodes of one tree.
 */
export function outermost<T>(units: readonly Unit<T>[]): Unit<T>[] {
  const result: Unit<T>[] = []
  for (const unit of [...units].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1)
    if (last === undefined || unit.start >= last.end)
      result.push({ ...unit, alternatives: [...unit.alternatives] })
    else if (unit.end <= last.end) last.alternatives.push(...unit.alternatives)
    else
      throw new UnsupportedEditError(
        unit.alternatives[0]?.edit ?? null,
        'it overlaps with what another edit needs',
      )
  }
  return result
}

/** The unit's text with the edits of one variant. */
export function armOf(text: string, unit: Unit<unknown>, variant: string): string {
  const parts = unit.alternatives
    .filter((alternative) => alternative.variant === variant)
    .map((alternative) => ({
      start: alternative.start - unit.start,
      end: alternative.end - unit.start,
      text: alternative.replace,
    }))
  return splice(text.slice(unit.start, unit.end), parts)
}

/** The variants that have an alternative in the unit, in the experiment's order. */
export function armsOf(experiment: SplitExperiment, unit: Unit<unknown>): string[] {
  return experiment.variants
    .map((arm) => arm.key)
    .filter((key) => unit.alternatives.some((alternative) => alternative.variant === key))
}

/** The text of a unit after each variant has been shipped. */
export function shippedTexts(
  text: string,
  experiment: SplitExperiment,
  unit: Unit<unknown>,
): Pick<Replacement, 'variants' | 'plain'> {
  const variants: Record<string, string> = {}
  for (const key of armsOf(experiment, unit)) variants[key] = armOf(text, unit, key)
  return { variants, plain: text.slice(unit.start, unit.end) }
}

/** The whole text with the edits of one variant made by hand. For the control, the text itself. */
export function byHand(task: VariantTask, variant: string): string {
  return splice(
    task.text,
    task.alternatives
      .filter((alternative) => alternative.variant === variant)
      .map(({ start, end, replace }) => ({ start, end, text: replace })),
  )
}

/** Checks that the text is valid after each variant has been shipped. */
export function checkByHand(task: VariantTask, check: (text: string) => void): void {
  for (const { key } of task.experiment.variants) {
    const edit = task.alternatives.find((alternative) => alternative.variant === key)?.edit
    if (edit === undefined) continue
    try {
      check(byHand(task, key))
    } catch (error) {
      if (!(error instanceof UnsupportedEditError)) throw error
      throw new UnsupportedEditError(edit, `with the alternatives of ${key} made by hand, ${error.message}`)
    }
  }
}

const LONGEST_UNIT = 400

/** At most as many are tried before they are shown. */
export const MAX_UNITS = 8

/** Texts to suggest as `find`: short, and only once in the file. */
export function showUnits(text: string, ranges: readonly { start: number; end: number }[]): string[] {
  const shown = new Set<string>()
  for (const range of ranges) {
    const { start, end } = core(text, range.start, range.end)
    const unit = text.slice(start, end)
    if (unit.length > 0 && unit.length <= LONGEST_UNIT && typeof onlyPlaceOf(text, unit) === 'number')
      shown.add(unit)
    if (shown.size === MAX_UNITS) break
  }
  return [...shown]
}
