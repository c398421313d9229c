import type { Api } from './client/api.js'
import type { Environment } from './client/config.js'
import type { Connection } from './client/connection.js'
import type { Terminal } from './output.js'
import type { TerminalStyle } from './render/terminal-style.js'

/** What a command works with. Nothing of it is opened before it is asked for. */
export interface Context {
  readonly terminal: Terminal
  readonly environment: Environment
  readonly version: string
  style(): TerminalStyle
  connection(): Connection
  api(): Promise<Api>
  readonly now: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly newId: () => string
  /** Ends what waits when ^C is pressed. */
  readonly interruptSignal: () => AbortSignal
  /** Standard input, whole. */
  readonly readStdin: () => Promise<string>
}

/** Options that every command has. */
export interface CommonOptions {
  readonly json?: boolean | undefined
}
