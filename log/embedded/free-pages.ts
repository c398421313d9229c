import { createReadStream } from 'node:fs'
import type { Database } from 'lmdb'
import { bookkeepingKey } from './group-format.js'

/** LMDB's header of a page. A value of this size fills a whole page. */
const PAGE_HEADER_BYTES = 16
const PAGES_PER_TRANSACTION = 500
/** Pages beyond the free ones: LMDB needs some for its own trees. */
const SPARE_PAGES = 4
const FILLER = 'filler'

type Log = Database<Uint8Array, Uint8Array>

/**
 * Overwrites the pages that LMDB has freed, which keep their bytes until they are used again: fills them with
 * zeros until the file would grow, and frees them again. Appends go on in between.
 */
export async function overwriteFreePages(log: Log): Promise<void> {
  // A pass that was killed left its fillers.
  await removeFillers(log)
  const stats = log.getStats() as {
    readonly lastPageNumber: number
    readonly root: { readonly pageSize: number }
  }
  const zeros = Buffer.alloc(stats.root.pageSize - PAGE_HEADER_BYTES)
  const limit = stats.lastPageNumber + SPARE_PAGES
  const most = stats.lastPageNumber + PAGES_PER_TRANSACTION
  for (let page = 0; page < most && lastPage(log) <= limit; page += PAGES_PER_TRANSACTION)
    await log.childTransaction(() => {
      for (let i = page; i < page + PAGES_PER_TRANSACTION; i++) log.putSync(fillerKey(i), zeros)
    })
  await removeFillers(log)
}

async function removeFillers(log: Log): Promise<void> {
  for (;;) {
    log.resetReadTxn()
    const range = {
      start: bookkeepingKey(FILLER),
      end: bookkeepingKey(`${FILLER}~`),
      limit: PAGES_PER_TRANSACTION,
    }
    const keys = [...log.getKeys(range)].map((key) => Buffer.from(key))
    if (keys.length === 0) return
    await log.childTransaction(() => {
      for (const key of keys) log.removeSync(key)
    })
  }
}

function lastPage(log: Log): number {
  log.resetReadTxn()
  return (log.getStats() as { readonly lastPageNumber: number }).lastPageNumber
}

function fillerKey(page: number): Buffer {
  return bookkeepingKey(`${FILLER}${page.toString().padStart(12, '0')}`)
}

/** Whether a file contains one of the texts. */
export async function containsAny(path: string, texts: readonly string[]): Promise<boolean> {
  const wanted = texts.map((text) => Buffer.from(text)).filter(({ length }) => length > 0)
  const overlap = Math.max(0, ...wanted.map(({ length }) => length - 1))
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const bytes = Buffer.concat([rest, chunk as Buffer])
    if (wanted.some((text) => bytes.includes(text))) return true
    rest = bytes.subarray(Math.max(0, bytes.length - overlap))
  }
  return false
}
