import { CommandError } from '../command-error.js'
import type { SendProgress } from './progress-file.js'
import type { SourceRecord } from './records.js'
import { isOld } from './sender.js'
import type { ContentHash } from './source.js'

interface Scan {
  /** False if the file has other content up to the place where an earlier sending stopped. */
  readonly isSameFile: boolean
  /** Events to send that are older than seven days. */
  readonly old: number
}

/** Reads a whole file before it is sent. `content` follows the reading of `records`. */
export async function scanFile(
  records: AsyncIterable<SourceRecord>,
  content: ContentHash,
  from: SendProgress,
  now: number,
  signal: AbortSignal,
): Promise<Scan> {
  let isSameFile = from.line === 0 ? true : undefined
  let oldBefore = 0
  let oldAfter = 0
  const isAtPosition = (): boolean =>
    content.bytes === from.position.bytes && content.position().sha256 === from.position.sha256
  try {
    for await (const record of records) {
      if (content.bytes >= from.position.bytes) isSameFile ??= isAtPosition()
      if ('json' in record && isOld(record.timestamp, now))
        if (record.line <= from.line) oldBefore++
        else oldAfter++
      if (signal.aborted) break
    }
  } catch (error) {
    // The sending meets the same fault, after the lines before it.
    if (!(error instanceof CommandError)) throw error
  }
  isSameFile ??= isAtPosition()
  return { isSameFile, old: isSameFile ? oldAfter : oldBefore + oldAfter }
}
