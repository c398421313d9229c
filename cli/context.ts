import type { Api } from './client/api.js'
import type { Environment } from './client/config.js'
import type { Connection } from './client/connection.js'
import type { Terminal } from './output.js'
import type { TerminalStyle } from './render/terminal-style.js'

/** Everything that a command works with. Each part is opened when it is first used. */
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
  /** Aborts on ^C. */
  readonly interruptSignal: () => AbortSignal
  readonly readStdin: () => Promise<string>
}

export interface CommonOptions {
  readonly json?: boolean | undefined
}
