/**
 * What the rest of the system says to this folder: from a file's text and an experiment's edits to code that shows each visitor one variant,
 * and back again. Everything here is pure: no files, no git, no clock.
 */

/** A variant as the code needs it; the control is the first. Splits are whole percents. */
export interface Arm {
  key: string
  trafficSplit: number
  isControl: boolean
}

/** `key` and the arms' keys are slugs (`[a-z0-9]` in groups joined by `-`). */
export interface SplitExperiment {
  key: string
  variants: readonly Arm[]
}

/**
 * Without `variant` an edit is for everybody. With it, it is that variant's alternative to what stands there, and `find` is a whole unit of the
 * file's language.
 */
export interface Edit {
  find: string
  replace: string
  variant?: string
}

/**
 * How a file reaches the helper: sources import it by a relative path; pages load it, and the serving state before it,
 * from the addresses at which the site serves them.
 */
export type HelperReference = { importPath: string } | { scriptSrc: string; stateSrc: string }

export interface WriteRequest {
  /** its ending says the language; nothing is read or written */
  path: string
  text: string
  experiment: SplitExperiment
  edits: readonly Edit[]
  /** may be left out where all edits are plain */
  helper?: HelperReference
}

/**
 * One place that was written, with what is needed to undo it wherever it has moved to.
 */
export interface Region {
  /** what stood there, byte for byte */
  before: string
  /** what was written there */
  written: string
  /** by variant: what stands there when that variant is shipped */
  variants: Record<string, string>
  /** what stands there when a variant is shipped that has no alternative here */
  plain: string
  /** text around it at the time of writing, where `written` alone does not say which place is meant; else empty */
  around: [string, string]
}

/** `edit` is the index of the edit in the request, `null` where the whole file is meant; `units` are texts that would do as `find`. */
export interface Problem {
  edit: number | null
  message: string
  units?: string[]
}

export type Written = { ok: true; text: string; regions: Region[] } | { ok: false; problems: Problem[] }

/** What could not be cleaned up, for the text of the pull request: `message` says what to do by hand. */
export interface Conflict {
  /** the first line of what was written there */
  region: string
  message: string
}

export interface CleanUpRequest {
  path: string
  /** the file as it is today; `null`: it is gone */
  text: string | null
  file: ManifestFile
  experiment: string
  /** the key of the variant that is shipped, or `null`: the experiment is rejected and what stood before comes back */
  shipped: string | null
  /** the file as the experiment's pull request left it, where the caller has it: what a three-way merge starts from */
  base?: string
}

export interface CleanedUp {
  /** `null`: the file is to be deleted, or is gone */
  text: string | null
  conflicts: Conflict[]
}

/** A file in the manifest. Contents are whole texts. */
export type ManifestFile =
  | { action: 'modify'; regions: Region[] }
  | { action: 'create'; content: string }
  | { action: 'delete'; content: string }

/** `.svc/experiments/<key>.json`: with it an experiment's code can be taken back without asking anybody. */
export interface Manifest {
  /** of this file and of the code that was written */
  form: 1
  experiment: string
  /** where the helper is in the repository, `null` where no file uses it */
  helper: string | null
  files: Record<string, ManifestFile>
}
