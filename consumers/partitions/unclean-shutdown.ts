import type { ClickHouse } from '../../clickhouse/port.js'
import type { Sql } from '../../postgres/driver/client.js'
import { openReplayRanges, withdrawAllReplayIntents } from '../../postgres/tables/dead-letters.js'
import type { Logger } from '../../runtime/logger.js'
import { PART } from './block-writer.js'
import { openIntentRanges, renameIntentTokens } from './checkpoint.js'
import { completeViews } from './complete-views.js'
import { ANY_RECEIPT } from './inserted-rows.js'

/*
 * Recovery after a power cut. Embedded ClickHouse syncs the rows of a block before it answers the insert, but
 * not its list of deduplication tokens. The list may lag behind, or know rows that never reached the disk. So
 * the token of a block that was not committed proves nothing, and the views may lack rows that the table has.
 *
 * The machine has been restarted, so no earlier process can still insert. Before anything else writes:
 *
 *   1  Add what the views lack of these blocks' rows (`completeViews`).
 *   2  Give the intents new tokens of the kind whose rows are looked up by position. Withdraw the intents of
 *      replays, which then look their rows up too.
 *
 * If this is interrupted, all of it is repeated. Rows that are there are not inserted twice.
 */

export interface UncleanShutdownDependencies {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly logger: Pick<Logger, 'warn'>
}

/** Call this before the consumers start, while nothing else writes to the stores. */
export async function recoverFromUncleanShutdown({
  sql,
  clickhouse,
  logger,
}: UncleanShutdownDependencies): Promise<void> {
  const doubtful = [...(await openIntentRanges(sql)), ...(await openReplayRanges(sql))]
  if (doubtful.length === 0) return
  logger.warn(
    { blocks: doubtful.length },
    'Machine restarted while blocks were being stored; recovering their rows',
  )
  for (const block of doubtful) await completeViews({ sql, clickhouse }, { ...block, ...ANY_RECEIPT })
  await renameIntentTokens(sql, PART)
  await withdrawAllReplayIntents(sql)
}
