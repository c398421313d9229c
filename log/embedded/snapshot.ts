import { setImmediate } from 'node:timers/promises'
import { open } from 'lmdb'

const OPTIONS = { noSubdir: false, maxDbs: 1, encoding: 'binary', keyEncoding: 'binary' } as const
/** As for the log itself, which may be that large. */
const MAP_BYTES = 64 * 2 ** 30
const MAX_READERS = 256
const BYTES_PER_TRANSACTION = 8 * 2 ** 20

/** The log as it was at one moment. It goes on meanwhile, and trims nothing away from here. */
export interface LogSnapshot {
  /** Writes a log of the same content into a new folder. */
  copyTo(folder: string): Promise<void>
  close(): Promise<void>
}

/** Opens a snapshot of the log in a folder, which other processes may be using. */
export function openLogSnapshot(path: string): LogSnapshot {
  const source = open<Uint8Array, Uint8Array>({
    ...OPTIONS,
    path,
    readOnly: true,
    mapSize: MAP_BYTES,
    maxReaders: MAX_READERS,
  })
  source.resetReadTxn()
  const transaction = source.useReadTransaction()
  return {
    async copyTo(folder) {
      const target = open<Uint8Array, Uint8Array>({ ...OPTIONS, path: folder, overlappingSync: false })
      try {
        let entries: { key: Uint8Array; value: Uint8Array }[] = []
        let bytes = 0
        const write = (): void => {
          target.transactionSync(() => {
            for (const { key, value } of entries) target.putSync(key, value)
          })
          entries = []
          bytes = 0
        }
        for (const { key, value } of source.getRange({ transaction })) {
          entries.push({ key: Uint8Array.from(key), value: Uint8Array.from(value) })
          bytes += value.length
          if (bytes < BYTES_PER_TRANSACTION) continue
          write()
          await setImmediate()
        }
        write()
      } finally {
        await target.close()
      }
    },
    async close() {
      transaction.done()
      await source.close()
    },
  }
}
