import { Type } from '@sinclair/typebox'
import {
  beginRemoval,
  countRows,
  endRemoval,
  keepInsertIds,
  namesBefore,
  removeRows,
  rowsBefore,
} from '../../clickhouse/removal.js'
import { dayOf } from '../../domain/day.js'
import { deleteLettersBefore } from '../../postgres/tables/dead-letters.js'
import { addRemovedEvents, type RemovedName } from '../../postgres/tables/erasures.js'
import { addErasedHours, deleteLedgerBefore } from '../../postgres/tables/key-ledger.js'
import {
  beginRemovalBefore,
  dueRetentions,
  findRemoval,
  findRetention,
  finishRemoval,
  noteNamesOfRemoval,
  type Removal,
} from '../../postgres/tables/retention.js'
import { auditByService } from '../audit.js'
import { defineJob } from '../jobs/definition.js'
import type { Services } from '../services.js'
import { correctNames } from './correct-names.js'
import { startOfMonth } from './start-of-month.js'
import { untilStored } from './until-stored.js'

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS

/** Removes events that a workspace keeps no longer. Goes on with a removal that an earlier attempt began. */
export const retentionJob = defineJob({
  name: 'retention',
  payload: Type.Object({ workspaceId: Type.String() }),
  concurrency: 1,
  serialBy: 'workspaceId',
  retry: { maxElapsedMs: WEEK_MS, maxIntervalMs: 600_000 },
  async effect({ services, payload: { workspaceId }, signal }) {
    const removal =
      (await findRemoval(services.sql, workspaceId)) ?? (await beginDue(services, workspaceId, signal))
    if (removal === undefined) return undefined
    const { clickhouse, sql } = services
    const rows = rowsBefore(workspaceId, removal.until, removal.received)
    const { removedNames: removed, until, received } = removal
    const names =
      removed === null
        ? await namesBefore(clickhouse, workspaceId, until)
        : [...new Set(removed.map(({ name }) => name))]
    await keepInsertIds(clickhouse, rows, startOfMonth(removal.received))
    await beginRemoval(clickhouse)
    await removeRows(clickhouse, rows, signal)
    const token = `retention:${workspaceId}:${until.getTime()}:${received.getTime()}`
    const note = (left: readonly RemovedName[]) => noteNamesOfRemoval(sql, workspaceId, left)
    await correctNames(services, { workspaceId, names, removed, until: received, token, note }, signal)
    await endRemoval(clickhouse, signal)
    await sql.begin(async (tx) => {
      await addRemovedEvents(tx, await deleteLettersBefore(tx, workspaceId, removal.until))
    })
    return removal
  },
  async conclude(tx, { services, payload: { workspaceId } }, removal) {
    if (removal === undefined) return
    await finishRemoval(tx, workspaceId)
    const day = dayOf(removal.until.getTime())
    await auditByService(tx, services, workspaceId, {
      action: 'retention.remove',
      resourceId: workspaceId,
      summary: `Removed events from before ${day}`,
    })
  },
})

/** Counts what is to be removed, once, and notes that it is being removed. */
async function beginDue(
  services: Services,
  workspaceId: string,
  signal: AbortSignal,
): Promise<Removal | undefined> {
  const { sql, clickhouse } = services
  const now = services.now()
  const { days, removedBefore } = await findRetention(sql, workspaceId)
  if (days === null) return undefined
  const until = new Date(Math.floor(now / DAY_MS) * DAY_MS - days * DAY_MS)
  if (removedBefore !== null && removedBefore >= until) return undefined
  const received = new Date(now)
  await untilStored(services, workspaceId, received, signal)
  const rows = rowsBefore(workspaceId, until, received)
  const { byPartition, byHour, names } = await countRows(clickhouse, rows)
  const removal = { until, received, removedNames: names }
  return sql.begin(async (tx) => {
    if (!(await beginRemovalBefore(tx, workspaceId, removal))) return undefined
    await addRemovedEvents(tx, byPartition)
    // Events that were received later than they happened are removed before their hour is.
    await addErasedHours(tx, workspaceId, byHour)
    await deleteLedgerBefore(tx, workspaceId, until)
    return removal
  })
}

/** Sends a job for each workspace with events that are too old. */
export async function sendDueRetentions({ sql, jobs, now }: Services): Promise<void> {
  const due = await dueRetentions(sql, new Date(now()))
  if (due.length === 0) return
  const active = await jobs.findActive(retentionJob, due)
  for (const workspaceId of due)
    if (!active.has(workspaceId))
      await sql.begin((tx) => jobs.send(tx, retentionJob, { workspaceId }, { key: workspaceId }))
}
