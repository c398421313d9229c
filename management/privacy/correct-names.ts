import { recountNames } from '../../clickhouse/removal.js'
import { subtractNames, trimNames } from '../../clickhouse/removed-names.js'
import type { RemovedName } from '../../postgres/tables/erasures.js'
import { openTokens } from '../../postgres/tables/log-progress.js'
import type { Services } from '../services.js'

interface RemovedRows {
  readonly workspaceId: string
  readonly names: readonly string[]
  /** Null if the removed rows were not counted by name. */
  readonly removed: readonly RemovedName[] | null
  /** The rows were received up to then. */
  readonly until: Date
  /** The same for each repetition, and for no other removal. */
  readonly token: string
  /** Keeps what is still to be subtracted: the token is not known forever. */
  note(removed: readonly RemovedName[]): Promise<void>
}

/** Corrects the vocabulary after rows were removed. Can be repeated. */
export async function correctNames(
  { clickhouse, sql, faultPoint }: Services,
  { workspaceId, names, removed, until, token, note }: RemovedRows,
  signal: AbortSignal,
): Promise<void> {
  if (removed === null || clickhouse.schema.kind === 'embedded') {
    await recountNames(clickhouse, { workspaceId, names }, () => openTokens(sql), signal)
    return
  }
  await subtractNames(clickhouse, workspaceId, removed, token)
  faultPoint?.('names:subtracted')
  await note(removed.map((row) => ({ ...row, events: 0 })))
  await trimNames(clickhouse, { workspaceId, names, until }, signal)
}
