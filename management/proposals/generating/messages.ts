import type { Batch } from '../../../generators/batch.js'
import type { AskedQuestion, RefineRequest, Request, Revised } from '../../../generators/port.js'
import type { GeneratorSettings } from '../../services.js'

/** A file of the commit. */
export interface CodeFile {
  readonly path: string
  readonly blobId: string
  /** Bytes; 0 if the host does not report it. */
  readonly size: number
}

/** Files that experiments of the workspace may change. */
export interface WriteRules {
  readonly allow: readonly string[]
  /** Path of the helper, configured or from earlier experiments; undefined: none yet. */
  readonly helper: string | undefined
  /** The form of that helper; undefined if there is none. */
  readonly helperForm: 'module' | 'script' | undefined
  /** Whether there are sources in `src/`. */
  readonly hasSources: boolean
}

/** A batch to generate. */
export interface BatchTask {
  readonly kind: 'batch'
  readonly generator: GeneratorSettings
  readonly request: Omit<Request, 'repository'>
  readonly rules: WriteRules
}
export interface RevisionTask {
  readonly kind: 'revision'
  readonly generator: GeneratorSettings
  readonly request: Omit<RefineRequest, 'repository'>
  readonly rules: WriteRules
}
export type GenerationTask = BatchTask | RevisionTask

/** To the thread. Files come in parts after `begin`; the part with `last` starts the work. */
export type WorkerRequest = { readonly id: number } & (
  | { readonly kind: 'begin'; readonly task: GenerationTask }
  | { readonly kind: 'files'; readonly files: readonly CodeFile[]; readonly last: boolean }
  /** In the order of the request; null: cannot be read. */
  | { readonly kind: 'blobs'; readonly ask: number; readonly contents: readonly (Uint8Array | null)[] }
  | { readonly kind: 'unread'; readonly ask: number }
  | { readonly kind: 'abort' }
)

/** The steps of the thread that runs show. */
export type GenerationStep = 'understand' | 'propose' | 'ground' | 'filter'

/** From the thread. */
export type WorkerResponse = { readonly id: number } & (
  | { readonly kind: 'read'; readonly ask: number; readonly blobs: readonly string[] }
  /** `share`: progress of the step, 0 to 1. */
  | { readonly kind: 'step'; readonly step: GenerationStep; readonly share: number }
  /** A question to the model was answered, or failed. */
  | { readonly kind: 'asked'; readonly question: AskedQuestion }
  | { readonly kind: 'done'; readonly value: Batch | Revised }
  /** `aborted`: it failed because it was aborted. */
  | { readonly kind: 'failed'; readonly message: string; readonly aborted: boolean }
)
