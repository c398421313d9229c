/**
 * The interface of this folder: from a file's text and an experiment's edits to code that shows each visitor
 * one variant, and back. Pure: no files, no git, no clock.
 */

/** A variant. The control is the first. Splits are whole percents. */
interface Arm {
  key: string
  trafficSplit: number
  isControl: boolean
}

/** All keys are slugs (`[a-z0-9]` in groups joined by `-`). */
export interface SplitExperiment {
  key: string
  variants: readonly Arm[]
}

/**
 * Without `variant` an edit is for everybody. With it, it is the variant's alternative to `find`, a whole
 * unit of the file's language.
 */
export interface Edit {
  find: string
  replace: string
  variant?: string
}

/**
 * How a file refers to the helper: sources import it by a relative path; pages load the serving state and the
 * helper from the site's URLs. `rendersOnServer`: whether the site renders its pages on a server too, where
 * one loaded module serves all visitors. `hasServerComponents`: whether components are Server Components
 * unless they say otherwise, as in Next's app router.
 */
export type HelperReference =
  | { importPath: string; rendersOnServer?: boolean; hasServerComponents?: boolean }
  | { scriptSrc: string; stateSrc: string }

export interface WriteRequest {
  /** the file name gives the language; the file is not read */
  path: string
  text: string
  experiment: SplitExperiment
  edits: readonly Edit[]
  /** may be left out if all edits are plain */
  helper?: HelperReference
  /** only whether it can be written matters: problems name no units, which saves time */
  isTrial?: boolean
}

/** One place that was written, with everything that undoing it needs, wherever it has moved. */
export interface Region {
  /** the original text, byte for byte */
  before: string
  /** the text that was written */
  written: string
  /** by variant: the text after that variant is shipped */
  variants: Record<string, string>
  /** the text after a variant without an alternative here is shipped */
  plain: string
  /** context at the time of writing, if `written` alone is not unique; else empty */
  around: [string, string]
}

/**
 * `edit` is the index of the edit in the request, `null` for the whole file. `units` are texts that fit as
 * `find`.
 */
export interface Problem {
  edit: number | null
  message: string
  units?: string[]
}

export type Written = { ok: true; text: string; regions: Region[] } | { ok: false; problems: Problem[] }

/** Something that could not be cleaned up. `message` tells people what to do by hand. */
export interface Conflict {
  /** the first line of the written text */
  region: string
  message: string
}

export interface CleanUpRequest {
  path: string
  /** the file today; `null` if it is gone */
  text: string | null
  file: ManifestFile
  experiment: string
  /** the key of the shipped variant; `null` if the experiment is rejected and the original comes back */
  shipped: string | null
  /** the file as the experiment's pull request left it, if known: the base of a three-way merge */
  base?: string
  /** leave the file's import or script tags of the helper, because code that is not merged yet needs them */
  keepHelper?: boolean
}

export interface CleanedUp {
  /** `null` if the file is to be deleted, or is gone */
  text: string | null
  conflicts: Conflict[]
}

/** A file in the manifest. Contents are whole texts. */
export type ManifestFile =
  | { action: 'modify'; regions: Region[] }
  | { action: 'create'; content: string }
  | { action: 'delete'; content: string }

/** `.svc/experiments/<key>.json`: everything that is needed to remove the experiment's code again. */
export interface Manifest {
  /** version of this file and of the written code */
  form: 1
  experiment: string
  /** path of the helper in the repository; `null` if no file uses it */
  helper: string | null
  files: Record<string, ManifestFile>
}
