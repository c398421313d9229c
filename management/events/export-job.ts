import { Type } from '@sinclair/typebox'
import { exportEvents } from '../../clickhouse/queries/events/export-events.js'
import { dayOf } from '../../domain/day.js'
import { isErasingRows } from '../../postgres/tables/erasures.js'
import {
  addSettledDays,
  type DueDay,
  dueExports,
  exportLagSeconds,
  finishExportedDay,
  nextDueDay,
  noteExportError,
  noteParts,
} from '../../postgres/tables/exported-days.js'
import { storedThrough } from '../../postgres/tables/watermarks.js'
import { errorMessage } from '../../runtime/errors.js'
import { defineJob } from '../jobs/definition.js'
import type { Services } from '../services.js'
import { PARQUET, parquetFilesOf } from './export-formats.js'
import { ExportStorage } from './export-storage.js'
import { presentBatches } from './present-events.js'

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS
/** An object ends with the row group that reaches this size, so memory is bounded. */
const PART_BYTES = 33_554_432

/** How often `exportSweep` works. */
export const EXPORT_SWEEP_MS = 5_000

/** Writes the days of a workspace that wait, oldest first. After a crash a day is written again. */
export const exportJob = defineJob({
  name: 'export',
  payload: Type.Object({ workspaceId: Type.String() }),
  concurrency: 1,
  serialBy: 'workspaceId',
  retry: { initialIntervalMs: 2_000, maxIntervalMs: 300_000, maxElapsedMs: YEAR_MS },
  async effect({ services, payload: { workspaceId }, signal }) {
    const { sql, exports: settings } = services
    // Another process sends the job again.
    if (settings === undefined) return
    const storage = new ExportStorage(settings, signal)
    for (;;) {
      const due = await nextDueDay(sql, workspaceId, await firstOpenDay(services))
      // Asked after the day was read: an erasure that counts its rows later asks for the day again.
      if (due === undefined || (await isErasingRows(sql, workspaceId))) return
      try {
        await writeDay(services, storage, workspaceId, due, signal)
      } catch (error) {
        if (!signal.aborted) await noteExportError(sql, workspaceId, due.day, errorMessage(error))
        throw error
      }
    }
  },
  async conclude() {},
})

/**
 * Writes the objects of a day under names that depend on the day alone, so writing it again replaces them.
 * Then removes those that an earlier write with more events left.
 */
async function writeDay(
  services: Services,
  storage: ExportStorage,
  workspaceId: string,
  due: DueDay,
  signal: AbortSignal,
): Promise<void> {
  const { sql, clickhouse, logger } = services
  const { day } = due
  const name = (part: number) => `workspace=${workspaceId}/day=${day}/part-${part}.parquet`
  const start = Date.parse(day)
  const range = { workspaceId, receivedFrom: start, receivedBefore: start + DAY_MS, complete: true }
  const batches = presentBatches(sql, workspaceId, exportEvents(clickhouse, range, signal))
  let parts = 0
  let events = 0
  for await (const file of parquetFilesOf(batches, PART_BYTES)) {
    signal.throwIfAborted()
    if (parts >= due.parts) await noteParts(sql, workspaceId, day, parts + 1)
    await storage.put(name(parts), file.bytes, PARQUET)
    parts++
    events += file.events
    services.faultPoint?.('export:part-written')
  }
  for (let part = parts; part < due.parts; part++) await storage.remove(name(part))
  await finishExportedDay(sql, workspaceId, due, { parts, events })
  logger.info({ workspaceId, day, events, parts }, 'Exported the events of a day')
}

/**
 * Notes the days that are over and sends a job for each workspace with days that wait.
 *
 * @returns the work, which returns for how many seconds the oldest day has waited
 */
export function exportSweep(services: Services, { days }: { readonly days: number }): () => Promise<number> {
  const { sql, jobs } = services
  let noted = ''
  return async () => {
    const end = await firstOpenDay(services)
    // A workspace that was created since begins with a later day.
    if (end !== noted) await addSettledDays(sql, end, days)
    noted = end
    const due = await dueExports(sql)
    const active = await jobs.findActive(exportJob, due)
    for (const workspaceId of due)
      if (!active.has(workspaceId))
        await sql.begin((tx) => jobs.send(tx, exportJob, { workspaceId }, { key: workspaceId }))
    return exportLagSeconds(sql)
  }
}

/** The first UTC day of which events may still come: all that was received before is stored. */
async function firstOpenDay({ sql, now }: Services): Promise<string> {
  const settled = Math.min(now(), (await storedThrough(sql))?.getTime() ?? Number.POSITIVE_INFINITY)
  return dayOf(settled)
}
