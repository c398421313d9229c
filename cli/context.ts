import type { Access } from './client/access.js'
import type { Api } from './client/api.js'
import type { Environment } from './client/config.js'
import type { Terminal } from './output.js'
import type { Look } from './render/look.js'

/** What a command works with. Nothing of it is opened before it is asked for. */
export interface Context {
  readonly terminal: Terminal
  readonly environment: Environment
  readonly version: string
  look(): Look
  access(): Access
  api(): Promise<Api>
  readonly now: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly newId: () => string
  /** Ends what waits when ^C is pressed. */
  readonly interrupted: () => AbortSignal
  /** Standard input, whole. */
  readonly input: () => Promise<string>
}

/** Options that every command has. */
export interface Common {
  readonly json?: boolean | undefined
}
