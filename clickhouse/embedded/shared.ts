import type { MessagePort } from 'node:worker_threads'
import type { ClickHouse } from '../port.js'
import { EmbeddedClickHouse } from './adapter.js'
import { scratchFiles } from './scratch-files.js'
import { engineClient } from './shared-engine.js'

export interface SharedOptions {
  /** What the main thread's `share()` gave. */
  readonly port: MessagePort
  /** The data directory of the engine, as the main thread opened it. */
  readonly path: string
  /** As the main thread's. */
  readonly scratchDir?: string
}

/**
 * The embedded engine of the main thread, for another thread: rows are written to files and answers parsed here, only statements and bytes cross
 * over. This file must not load chdb, which ends for the whole process with any thread that has loaded it.
 */
export function connectSharedClickHouse(options: SharedOptions): ClickHouse {
  return new EmbeddedClickHouse(engineClient(options.port), scratchFiles(options.path, options.scratchDir))
}
