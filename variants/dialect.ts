import { errorMessage } from '../runtime/errors.js'
import type { HelperReference, Problem, SplitExperiment } from './port.js'
import { core, onlyPlaceOf, type Splice, splice } from './text.js'

/** An edit with a variant, at its place in the text; `replace` takes the place of `start` to `end`. */
export interface Alternative {
  edit: number
  variant: string
  start: number
  end: number
  replace: string
}

/** A place that a dialect writes: `start` to `end` of the text it was given. Texts as in `Region`. */
export interface Draft {
  start: number
  end: number
  written: string
  variants: Record<string, string>
  plain: string
}

export interface Task {
  path: string
  text: string
  experiment: SplitExperiment
  alternatives: readonly Alternative[]
  helper: HelperReference | undefined
}

export interface Outcome {
  drafts: Draft[]
  /** what makes the helper known to the file; undone by `withoutHelper` */
  inserts: Splice[]
}

/**
 * A language whose files can carry variants. Texts may have a byte order mark and any line ends. All refuse by throwing `UnsupportedEditError`.
 */
export interface Dialect {
  /** Throws what is wrong with a text that does not parse, or not compile where its own compiler says more. */
  check(text: string, path: string): void
  /** The places to write. The outcome has been tried: it parses, each variant's edits by hand do, and both mean the same. */
  write(task: Task): Outcome
  /** The text without what brings the helper in, where nothing in it uses the helper any more. */
  withoutHelper(text: string, path: string): string
}

export class UnsupportedEditError extends Error {
  readonly problem: Problem

  constructor(edit: number | null, message: string, units: readonly string[] = []) {
    super(message)
    this.name = 'UnsupportedEditError'
    this.problem = units.length > 0 ? { edit, message, units: [...units] } : { edit, message }
  }
}

/** Longer texts are no source that somebody reads in a pull request, and would hold up everything else. */
export const LONGEST_TEXT = 2_000_000

/** Runs a parser. What it throws is what it has to say of the text; of what is nested too deeply it runs out of stack. */
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

/** What alternatives share: the smallest piece of the text that is written for each variant. */
export interface Unit<T> {
  start: number
  end: number
  what: T
  alternatives: Alternative[]
}

/** Units that lie in one another become the outer one. They never overlap otherwise, since they are pieces of one tree. */
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

/** The texts that stand in a unit's place after each variant has been shipped. */
export function shippedTexts(
  text: string,
  experiment: SplitExperiment,
  unit: Unit<unknown>,
): Pick<Draft, 'variants' | 'plain'> {
  const variants: Record<string, string> = {}
  for (const key of armsOf(experiment, unit)) variants[key] = armOf(text, unit, key)
  return { variants, plain: text.slice(unit.start, unit.end) }
}

/** The whole text with all edits of one variant as if made by hand; of the control's: the text itself. */
export function byHand(task: Task, variant: string): string {
  return splice(
    task.text,
    task.alternatives
      .filter((alternative) => alternative.variant === variant)
      .map(({ start, end, replace }) => ({ start, end, text: replace })),
  )
}

/** What is left when a variant is shipped has to stand by itself. */
export function checkByHand(task: Task, check: (text: string) => void): void {
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

/** Of ranges that would do, the texts that are short enough to be shown, and in the file once. */
export function showUnits(text: string, ranges: readonly { start: number; end: number }[]): string[] {
  const shown = new Set<string>()
  for (const range of ranges) {
    const { start, end } = core(text, range.start, range.end)
    const unit = text.slice(start, end)
    if (unit.length > 0 && unit.length <= LONGEST_UNIT && typeof onlyPlaceOf(text, unit) === 'number')
      shown.add(unit)
    if (shown.size === 5) break
  }
  return [...shown]
}
