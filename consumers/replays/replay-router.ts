import { partitionOfHash } from '../../domain/partition.js'
import type { EventLog } from '../../log/port.js'
import { recordsOfRows } from '../../log/record.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import { insertLinks, readRecords } from '../identity/identity-consumer.js'
import { closeLetters, failLetter, lockUnrouted, type QueuedLetter, splitLetter } from './replay-queue.js'
import { letterProblem } from './replayer.js'

const LETTERS_AT_A_TIME = 50

export interface ReplayRouterDependencies {
  readonly sql: Sql
  readonly log: Pick<EventLog, 'id' | 'partitions'>
  readonly newId: () => string
  /** Called when links have been written to the outbox. */
  readonly onLinksWritten: () => void
}

/**
 * Finds the partition whose owner has to store each letter: its own, or, for letters of an earlier log, that where equal insertIds of this log
 * meet. Letters with links need no owner, since the first link of an anonymous id stays whoever writes: they are replayed here. Returns whether
 * there were letters to look at.
 */
export async function routeLetters(deps: ReplayRouterDependencies): Promise<boolean> {
  const { sql, log } = deps
  const own = await sql`
    with log as (select id from logs where id = ${log.id} and drained_at is null for share)
    update dead_letters set replay_partition = log_partition from log
    where replay_id is not null and replay_partition is null and log_id = log.id and log_partition < ${log.partitions}`
  let links = 0
  const others = await sql.begin(async (tx) => {
    // Held against being drained: the partitions of a drained log take no letter, those of the next one are others.
    const open = await tx`select from logs where id = ${log.id} and drained_at is null for share`
    if (open.count === 0) return 0
    const letters = await lockUnrouted(tx, LETTERS_AT_A_TIME)
    const logs = await tx<{ id: string; partitions: number }[]>`select id, partitions from logs`
    for (const letter of letters) {
      const its = logs.find(({ id }) => id === letter.logId)
      if (its !== undefined && letter.partition >= its.partitions) links += await replayLinks(tx, letter)
      else await routeEvents(tx, deps, letter)
    }
    return letters.length
  })
  if (links > 0) deps.onLinksWritten()
  return own.count > 0 || others > 0
}

/** Links, outbox rows and the letter's end in one transaction: once, or not at all. */
async function replayLinks(tx: Transaction, letter: QueuedLetter): Promise<number> {
  const { pairs, deadLetters } = readRecords([letter])
  const [dead] = deadLetters
  if (dead !== undefined) {
    await failLetter(tx, letter, dead.reason)
    return 0
  }
  const links = pairs.workspaces.length === 0 ? 0 : await insertLinks(tx as unknown as Sql, pairs)
  await closeLetters(tx, [letter.id])
  await tx`
    update log_partitions set total_dead = total_dead - 1
    where log_id = ${letter.logId} and log_partition = ${letter.partition}`
  await tx`update dead_letter_replays set replayed = replayed + 1, problem = null where id = ${letter.replayId}`
  return links
}

/** A letter of an earlier log: by its rows, since those of one record may belong to several partitions of this one. */
async function routeEvents(
  tx: Transaction,
  { log, newId }: ReplayRouterDependencies,
  letter: QueuedLetter,
): Promise<void> {
  const problem = letterProblem(letter)
  if (problem !== undefined && !problem.divisible) {
    await failLetter(tx, letter, problem.reason)
    return
  }
  const rows = recordsOfRows(letter.payload).map(({ payload, insertHashLow32 }) => ({
    payload,
    partition: partitionOfHash(insertHashLow32, log.partitions),
  }))
  const [only, second] = rows
  if (only !== undefined && second === undefined)
    await tx`update dead_letters set replay_partition = ${only.partition} where id = ${letter.id}`
  else await splitLetter(tx, letter, rows, newId)
}
