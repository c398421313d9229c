import { type ErasedIds, eraseRows, type KeptHash } from '../../log/erase-rows.js'
import { keyHourOf } from '../../log/record.js'
import type { Transaction } from '../../postgres/driver/client.js'
import {
  type LetterOfWorkspace,
  lettersOfWorkspace,
  redactReasons,
  shrinkLetter,
} from '../../postgres/tables/dead-letters.js'
import { addRemovedEvents, waitForSnapshot } from '../../postgres/tables/erasures.js'
import { addToKeyLedger, type LedgerChange } from '../../postgres/tables/key-ledger.js'
import { JobError } from '../jobs/failure.js'

const LETTERS_AT_A_TIME = 50
const BUSY_MS = 1_000

/**
 * Takes a person's rows out of the dead letters of a workspace.
 *
 * @param keep called with the hashes of the insertIds of the removed rows
 * @returns how many events; those replayed before do not count, as they are stored
 * @throws JobError if a letter of the person is being replayed
 */
export async function eraseDeadLetters(
  tx: Transaction,
  workspaceId: string,
  ids: ErasedIds,
  keep: (hashes: readonly KeptHash[]) => Promise<void>,
): Promise<number> {
  await waitForSnapshot(tx)
  let total = 0
  const erased: LedgerChange[] = []
  let after: LetterOfWorkspace | undefined
  for (;;) {
    const letters: readonly LetterOfWorkspace[] = await lettersOfWorkspace(
      tx,
      workspaceId,
      after,
      LETTERS_AT_A_TIME,
    )
    const hashes: KeptHash[] = []
    for (const letter of letters) {
      after = letter
      const left = eraseRows(letter.payload, ids)
      if (left === undefined) continue
      // A replay may have taken it up since it was read.
      if (letter.busy || !(await shrinkLetter(tx, letter, left)))
        throw new JobError('Dead letters of the person are being replayed', {
          retryable: true,
          retryAfterMs: BUSY_MS,
        })
      const { payload, removed, insertHashes } = left
      hashes.push(...insertHashes)
      const gone = payload === undefined ? letter.events : removed
      if (!letter.replayed) {
        total += gone
        await addRemovedEvents(tx, [{ ...letter, events: 0, deadLetters: gone }])
        const at = keyHourOf(letter.payload)
        if (at !== undefined) erased.push({ ...at, partition: letter.partition, dead: -gone, erased: gone })
      }
    }
    await keep(hashes)
    if (letters.length < LETTERS_AT_A_TIME) break
  }
  await redactReasons(tx, workspaceId, [
    ...ids.anonymousIds,
    ...(ids.userId === undefined ? [] : [ids.userId]),
  ])
  // Last, because consumers wait for these rows.
  await addToKeyLedger(tx, erased)
  return total
}
