import { partitionOfHash } from '../../domain/partition.js'
import type { EventLog } from '../../log/port.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import {
  closeLetters,
  countReplayed,
  failLetter,
  lockUnrouted,
  type QueuedLetter,
  routeLetter,
  routeToOwnPartitions,
} from '../../postgres/tables/dead-letters.js'
import { insertLinks } from '../../postgres/tables/identity-links.js'
import { eventPartitions, holdOpen } from '../../postgres/tables/logs.js'
import { readPairRecords } from '../blocks/read-pairs.js'
import { addToTotals } from '../partitions/checkpoint.js'
import { splitIntoRows } from './replay-transactions.js'
import { letterProblem, parseLetter } from './replayer.js'

const LETTERS_AT_A_TIME = 50

export interface ReplayRouterDependencies {
  readonly sql: Sql
  readonly log: Pick<EventLog, 'id' | 'partitions'>
  readonly newId: () => string
  readonly onLinksWritten: () => void
}

/**
 * Finds the partition whose owner stores each letter: its own or, for a letter of an earlier log, where equal
 * insertIds of this log meet. Replays letters with links here. Returns whether there were letters.
 */
export async function routeLetters(deps: ReplayRouterDependencies): Promise<boolean> {
  const { sql, log } = deps
  const routed = await routeToOwnPartitions(sql, log.id, log.partitions)
  let links = 0
  const others = await sql.begin(async (tx) => {
    // A drained log's partitions accept no letter, so it must not be drained meanwhile.
    if (!(await holdOpen(tx, log.id))) return 0
    const letters = await lockUnrouted(tx, LETTERS_AT_A_TIME)
    const partitions = await eventPartitions(tx)
    for (const letter of letters) {
      const holdsLinks = letter.partition >= (partitions.get(letter.logId) ?? Number.POSITIVE_INFINITY)
      if (holdsLinks) links += await replayLinks(tx, letter)
      else await routeEvents(tx, deps, letter)
    }
    return letters.length
  })
  if (links > 0) deps.onLinksWritten()
  return routed > 0 || others > 0
}

async function replayLinks(tx: Transaction, letter: QueuedLetter): Promise<number> {
  const { pairs, deadLetters } = readPairRecords([letter])
  const [dead] = deadLetters
  if (dead !== undefined) {
    await failLetter(tx, letter, dead.reason)
    return 0
  }
  const { made } = await insertLinks(tx, pairs)
  await closeLetters(tx, [letter.id])
  await addToTotals(tx, letter, { dead: -1 })
  await countReplayed(tx, letter.replayId, { letters: 1, stored: 0, duplicates: 0 })
  return made
}

/** Routes a letter of an earlier log by its rows, which may belong to several partitions of this one. */
async function routeEvents(
  tx: Transaction,
  { log, newId }: ReplayRouterDependencies,
  letter: QueuedLetter,
): Promise<void> {
  const parsed = parseLetter(letter)
  const problem = letterProblem(parsed)
  if (problem !== undefined && !problem.divisible) {
    await failLetter(tx, letter, problem.reason)
    return
  }
  const rows = (parsed.record.events?.rowsAsRecords() ?? []).map(({ payload, insertHashLow32 }) => ({
    payload,
    partition: partitionOfHash(insertHashLow32, log.partitions),
  }))
  const [only, second] = rows
  if (only !== undefined && second === undefined) await routeLetter(tx, letter.id, only.partition)
  else await splitIntoRows(tx, letter, rows, newId)
}
