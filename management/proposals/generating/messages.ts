import type { Batch } from '../../../generators/batch.js'
import type { RefineRequest, Request, Revised } from '../../../generators/port.js'
import type { GeneratorSettings } from '../../services.js'

/** A file of the commit that is looked at. */
export interface CodeFile {
  readonly path: string
  readonly blobId: string
  /** Bytes; 0 where the host does not say. */
  readonly size: number
}

/** What the workspace lets experiments change. */
export interface WriteRules {
  readonly allow: readonly string[]
  /** Where the helper is, configured or left by experiments before; undefined: nowhere yet. */
  readonly helper: string | undefined
  /** The form that the helper there has; undefined where there is none. */
  readonly helperForm: 'module' | 'script' | undefined
  /** Whether there are sources in `src/`. */
  readonly hasSources: boolean
}

/** What is to be thought of. */
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
export type Task = BatchTask | RevisionTask

/** To the thread. Files come in parts after `begin`, and `files` with `last` begins the work. */
export type Told = { readonly id: number } & (
  | { readonly kind: 'begin'; readonly task: Task }
  | { readonly kind: 'files'; readonly files: readonly CodeFile[]; readonly last: boolean }
  /** In the order they were asked for; null: cannot be read, or is no text. */
  | { readonly kind: 'blobs'; readonly ask: number; readonly contents: readonly (Uint8Array | null)[] }
  | { readonly kind: 'unread'; readonly ask: number }
  | { readonly kind: 'abort' }
)

/** What the thread does, as far as runs show it. */
export type ThinkingStep = 'understand' | 'propose' | 'ground' | 'filter'

/** From the thread. */
export type Said = { readonly id: number } & (
  | { readonly kind: 'read'; readonly ask: number; readonly blobs: readonly string[] }
  /** `share`: how much of the step is done, 0 to 1. */
  | { readonly kind: 'step'; readonly step: ThinkingStep; readonly share: number }
  | { readonly kind: 'done'; readonly value: Batch | Revised }
  /** `aborted`: because it was told to. */
  | { readonly kind: 'failed'; readonly message: string; readonly aborted: boolean }
)
