import type { MessagePort } from 'node:worker_threads'
import type { ClickHouse } from '../port.js'
import { EmbeddedClickHouse } from './embedded-clickhouse.js'
import { scratchFiles } from './scratch-files.js'
import { engineClient } from './shared-engine.js'

export interface SharedOptions {
  /** The port from the main thread's `share()`. */
  readonly port: MessagePort
  /** The engine's data directory, as the main thread opened it. */
  readonly path: string
  /** The same as the main thread's. */
  readonly scratchDir?: string
}

/**
 * Uses the main thread's embedded engine from another thread. Rows are written to files and answers parsed
 * here; only statements and bytes cross over. This file must not load chdb: see `openChdb`.
 */
export function connectSharedClickHouse(options: SharedOptions): ClickHouse {
  return new EmbeddedClickHouse(engineClient(options.port), scratchFiles(options.path, options.scratchDir))
}
