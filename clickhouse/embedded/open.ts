import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { ClickHouse } from '../port.js'
import { EmbeddedClickHouse } from './adapter.js'
import { openChdb } from './chdb.js'
import { scratchFiles } from './scratch-files.js'
import { serveEngine } from './shared-engine.js'

export interface EmbeddedOptions {
  /** The data directory: one process holds it at a time. */
  readonly path: string
  /** Queries that run side by side; more wait their turn. */
  readonly readers?: number
  /** Where blocks of rows lie for the engine when there is no room for them in memory files. */
  readonly scratchDir?: string
}

export interface SharableClickHouse extends ClickHouse {
  /** An end for another thread, to be handed over as it starts: see `connectSharedClickHouse`. */
  share(): MessagePort
}

/**
 * Opens the embedded engine on a data directory. On the main thread: other threads get a share. The links are loaded into memory; blocks
 * that an earlier process left behind are removed.
 *
 * @throws ClickHouseError `unavailable` where another process holds the directory
 */
export async function openEmbeddedClickHouse(options: EmbeddedOptions): Promise<SharableClickHouse> {
  const engine = await openChdb(options.path, options.readers ?? 2)
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
