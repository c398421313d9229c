import type { KeyHour } from '../../domain/key-counts.js'
import { keyHourOf } from '../../log/record.js'
import type { Sql, Transaction } from '../../postgres/driver/client.js'
import {
  clearIntent,
  closeLetters,
  countReplayed,
  type IntendedLetter,
  markIntended,
  type QueuedLetter,
  type RowRecord,
  splitLetter,
} from '../../postgres/tables/dead-letters.js'
import { requestDaysAgain } from '../../postgres/tables/exported-days.js'
import { addToKeyLedger, type LedgerChange } from '../../postgres/tables/key-ledger.js'
import type { BlockCounts } from '../blocks/block.js'
import { addToTotals, FencedError, lockLease, type PartitionLease } from '../partitions/checkpoint.js'

/**
 * Notes which rows of the letters are about to be inserted under a token. No block may be open, so that what
 * the rows are compared with cannot change.
 *
 * @throws FencedError
 */
export async function writeReplayIntent(
  sql: Sql,
  lease: PartitionLease,
  position: number,
  letters: readonly IntendedLetter[],
): Promise<void> {
  await sql.begin(async (tx) => {
    await lockLease(tx, lease, position)
    await markIntended(tx, letters)
  })
}

/**
 * Marks the letters of a token as replayed and moves their events in the totals, in one transaction. Has no
 * effect the second time.
 *
 * @param days of receipt of the letters, by workspace: an export of them has to be written again
 * @throws FencedError if another process has done it
 */
export async function commitReplay(
  sql: Sql,
  token: string,
  letters: readonly QueuedLetter[],
  counts: readonly Pick<BlockCounts, 'stored' | 'duplicates'>[],
  days: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  await sql.begin(async (tx) => {
    if ((await clearIntent(tx, token)) !== letters.length)
      throw new FencedError('another process has finished the replay')
    const [first] = letters
    if (first === undefined) return
    await closeLetters(
      tx,
      letters.map(({ id }) => id),
    )
    const total = { stored: 0, duplicates: 0, dead: 0 }
    const moved: LedgerChange[] = []
    const byReplay = new Map<string, { letters: number; stored: number; duplicates: number }>()
    for (const [i, letter] of letters.entries()) {
      const { replayId, events } = letter
      const { stored = 0, duplicates = 0 } = counts[i] ?? {}
      moved.push(...ledgerChange(letter, { stored, duplicates, dead: -events }))
      total.stored += stored
      total.duplicates += duplicates
      total.dead -= events
      const replay = byReplay.get(replayId) ?? { letters: 0, stored: 0, duplicates: 0 }
      replay.letters++
      replay.stored += stored
      replay.duplicates += duplicates
      byReplay.set(replayId, replay)
    }
    await addToTotals(tx, first, total)
    await addToKeyLedger(tx, moved)
    for (const [id, replay] of byReplay) await countReplayed(tx, id, replay)
    for (const [workspaceId, received] of days) await requestDaysAgain(tx, workspaceId, received)
  })
}

/** Splits the letter of a record into letters of its rows, if it still waits, and corrects the totals. */
export async function splitIntoRows(
  tx: Transaction,
  letter: QueuedLetter,
  rows: readonly RowRecord[],
  newId: () => string,
): Promise<void> {
  const added = await splitLetter(tx, letter, rows, newId)
  if (added === undefined) return
  await addToTotals(tx, letter, { dead: added })
  await addToKeyLedger(tx, ledgerChange(letter, { accepted: added, dead: added }))
}

/** Nothing if the header is damaged: then no key had its events. */
function ledgerChange(
  { partition, payload }: QueuedLetter,
  figures: Omit<LedgerChange, keyof KeyHour | 'partition'>,
): LedgerChange[] {
  const at = keyHourOf(payload)
  return at === undefined ? [] : [{ ...at, partition, ...figures }]
}
