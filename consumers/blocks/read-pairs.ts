import type { DeadLetter } from '../../domain/dead-letter.js'
import { EVENT_LIMITS } from '../../domain/event.js'
import { makesLink } from '../../domain/person.js'
import type { StoredRecord } from '../../log/port.js'
import { isPlausibleReceivedAt, RecordFormatError, readableHeader, readPairs } from '../../log/record.js'

/** The first pair of each anonymous id, and dead letters of what is no pair. */
export function readPairRecords(records: readonly StoredRecord[]) {
  const pairs = {
    workspaces: [] as string[],
    anonymousIds: [] as string[],
    userIds: [] as string[],
    anonymousKeys: [] as string[],
    userKeys: [] as string[],
    linkedAt: [] as string[],
  }
  const deadLetters: DeadLetter[] = []
  const userKeys = new Map<string, bigint>()
  /** By workspace: later pairs of an anonymous id with another user than its first. */
  const contradicted = new Map<string, number>()
  for (const record of records) {
    const read = readRecord(record)
    if ('reason' in read) {
      deadLetters.push(read)
      continue
    }
    const { header } = read
    for (const pair of read.pairs) {
      // Gateways of earlier versions let pairs with placeholders into the log.
      if (!makesLink(pair.anonymousId, pair.userId)) continue
      const key = `${header.workspaceId}${pair.anonymousId}`
      const userKey = userKeys.get(key)
      if (userKey !== undefined) {
        if (userKey !== pair.userKey)
          contradicted.set(header.workspaceId, (contradicted.get(header.workspaceId) ?? 0) + 1)
        continue
      }
      userKeys.set(key, pair.userKey)
      pairs.workspaces.push(header.workspaceId)
      pairs.anonymousIds.push(pair.anonymousId)
      pairs.userIds.push(pair.userId)
      pairs.anonymousKeys.push(String(pair.anonymousKey))
      pairs.userKeys.push(String(pair.userKey))
      pairs.linkedAt.push(new Date(header.receivedAt).toISOString())
    }
  }
  return { pairs, deadLetters, contradicted }
}

/** The pairs of a record, or a dead letter. Postgres would refuse such ids and their whole batch forever. */
function readRecord({ offset, payload }: StoredRecord): ReturnType<typeof readPairs> | DeadLetter {
  try {
    const read = readPairs(payload)
    for (const { anonymousId, userId } of read.pairs)
      if (!isId(anonymousId, EVENT_LIMITS.anonymousIdLength) || !isId(userId, EVENT_LIMITS.userIdLength))
        throw new RecordFormatError('an id that no request can have')
    if (!isPlausibleReceivedAt(read.header.receivedAt))
      throw new RecordFormatError('an impossible time of receipt')
    return read
  } catch (error) {
    if (!(error instanceof RecordFormatError)) throw error
    const workspaceId = readableHeader(payload)?.workspaceId
    // No event is lost with a pair.
    return { offset, rowIndex: -1, workspaceId, reason: error.message, events: 0, payload }
  }
}

function isId(text: string, longest: number): boolean {
  return text.length > 0 && text.length <= longest && !text.includes('\0')
}
