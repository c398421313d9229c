import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { ClickHouse } from '../port.js'
import { openChdb } from './chdb.js'
import { EmbeddedClickHouse } from './embedded-clickhouse.js'
import { scratchFiles } from './scratch-files.js'
import { serveEngine } from './shared-engine.js'

/** Each reader keeps a thread of the process's pool busy while it waits. */
const DEFAULT_READERS = 2

export interface EmbeddedOptions {
  /** The data directory. One process holds it at a time. */
  readonly path: string
  /** Queries that run in parallel; others wait. @default 16 */
  readonly readers?: number
  /** Folder for blocks of rows that do not fit into memory files. */
  readonly scratchDir?: string
}

export interface SharableClickHouse extends ClickHouse {
  /** A port for another thread, passed on when it starts: see `connectSharedClickHouse`. */
  share(): MessagePort
}

/**
 * Opens the embedded engine on a data directory, on the main thread; other threads get a share. Loads the
 * links into memory and removes blocks that an earlier process left behind.
 *
 * @throws ClickHouseError `unavailable` if another process holds the directory
 */
export async function openEmbeddedClickHouse(options: EmbeddedOptions): Promise<SharableClickHouse> {
  const engine = await openChdb(options.path, options.readers ?? DEFAULT_READERS)
  const files = scratchFiles(options.path, options.scratchDir)
  files.removeStale()
  const clickhouse = new EmbeddedClickHouse(engine, files)
  return Object.assign(clickhouse, {
    share() {
      const { port1, port2 } = new MessageChannel()
      serveEngine(engine, port1)
      return port2
    },
  })
}
