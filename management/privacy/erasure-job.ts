import { Type } from '@sinclair/typebox'
import {
  beginRemoval,
  blankAnonymousIds,
  countRows,
  daysOfRows,
  endRemoval,
  keepHashes,
  keepInsertIds,
  removeLinks,
  removeRows,
  rowsOfPersons,
} from '../../clickhouse/removal.js'
import {
  addErasedPersons,
  addRemovedEvents,
  advanceErasure,
  type ErasureWork,
  emptyErasure,
  finishErasure,
  isOtherRemovalUnderWay,
  noteErasureError,
  noteNamesOfErasure,
  type RemovedName,
  readErasureWork,
} from '../../postgres/tables/erasures.js'
import { hasExportedDays, requestDaysAgain } from '../../postgres/tables/exported-days.js'
import { deleteLinks, linksOfUser, resendLinks } from '../../postgres/tables/identity-links.js'
import { removeIngestProblems } from '../../postgres/tables/ingest-problems.js'
import { addErasedHours } from '../../postgres/tables/key-ledger.js'
import { vacuumTables } from '../../postgres/tables/vacuum.js'
import { errorMessage } from '../../runtime/errors.js'
import { auditByService } from '../audit.js'
import { defineJob } from '../jobs/definition.js'
import { JobError } from '../jobs/failure.js'
import type { Services } from '../services.js'
import { correctNames } from './correct-names.js'
import { eraseDeadLetters } from './erase-dead-letters.js'
import { startOfMonth } from './start-of-month.js'
import { untilStored } from './until-stored.js'

const WEEK_MS = 604_800_000
const BUSY_MS = 1_000

interface StepContext {
  readonly services: Services
  readonly work: ErasureWork
  readonly signal: AbortSignal
  /** Called between the work of a step and its end, where a crash repeats the work. */
  readonly worked: () => void
}

/**
 * The steps of an erasure, in order. `work.step` names the one to do; each ends by writing the next, and can
 * be repeated as a whole.
 */
const STEPS: Readonly<Record<string, (context: StepContext) => Promise<void>>> = {
  /** Waits until everything received before the request is stored, so that nothing of it can come later. */
  async wait({ services, work, signal }) {
    await untilStored(services, work.workspaceId, work.requestedAt, signal)
    await advanceErasure(services.sql, work, 'links')
  },

  /** Finds out who the person is, links included that arrived meanwhile, and removes the links. */
  async links({ services, work }) {
    const { workspaceId, userId, requestedAt } = work
    await services.sql.begin(async (tx) => {
      const [userKey = ''] = work.personKeys
      const links = userId === null ? [] : await linksOfUser(tx, workspaceId, userKey)
      const anonymousIds = [...new Set([...work.anonymousIds, ...links.map((link) => link.anonymousId)])]
      const personKeys = [...new Set([...work.personKeys, ...links.map((link) => link.anonymousKey)])]
      await addErasedPersons(tx, { workspaceId, personKeys, requestedAt })
      const removed = await deleteLinks(tx, workspaceId, anonymousIds, requestedAt)
      await advanceErasure(tx, work, 'letters', { anonymousIds, personKeys, receipt: { links: removed } })
    })
  },

  async letters({ services, work }) {
    const { workspaceId, userId } = work
    const ids = { userId: userId ?? undefined, anonymousIds: new Set(work.anonymousIds) }
    const since = startOfMonth(work.requestedAt)
    await services.sql.begin(async (tx) => {
      const deadLetters = await eraseDeadLetters(tx, workspaceId, ids, (hashes) =>
        keepHashes(services.clickhouse, workspaceId, hashes, since),
      )
      await removeIngestProblems(tx, workspaceId)
      await advanceErasure(tx, work, 'count', { receipt: { deadLetters } })
    })
  },

  async count({ services, work, worked }) {
    const { clickhouse, sql } = services
    const { workspaceId, anonymousIds, requestedAt: until } = work
    if (await isOtherRemovalUnderWay(sql, work))
      throw new JobError('Other events of the workspace are being removed', {
        retryable: true,
        retryAfterMs: BUSY_MS,
      })
    const rows = rowsOfPersons(workspaceId, work.personKeys, until)
    const { events, exposures, names, byPartition, byHour } = await countRows(clickhouse, rows)
    await keepInsertIds(clickhouse, rows, startOfMonth(until))
    const days = (await hasExportedDays(sql, workspaceId))
      ? await daysOfRows(clickhouse, rows, { anonymousIds, until })
      : []
    worked()
    await sql.begin(async (tx) => {
      const advanced = await advanceErasure(tx, work, 'events', {
        eventNames: [...new Set(names.map(({ name }) => name))],
        removedNames: names,
        receipt: { events, exposures },
      })
      if (!advanced) return
      await addRemovedEvents(tx, byPartition)
      await requestDaysAgain(tx, workspaceId, days)
      await addErasedHours(tx, workspaceId, byHour)
    })
  },

  async events({ services, work, signal, worked }) {
    const { workspaceId, anonymousIds, personKeys, requestedAt: until } = work
    const { clickhouse, sql } = services
    await beginRemoval(clickhouse)
    await removeRows(clickhouse, rowsOfPersons(workspaceId, personKeys, until), signal)
    await blankAnonymousIds(clickhouse, { workspaceId, anonymousIds, until }, work.id, signal)
    worked()
    await advanceErasure(sql, work, 'names')
  },

  async names({ services, work, signal, worked }) {
    const removal = {
      workspaceId: work.workspaceId,
      names: work.eventNames,
      removed: work.removedNames,
      until: work.requestedAt,
      token: `erasure:${work.id}`,
      note: (removed: readonly RemovedName[]) => noteNamesOfErasure(services.sql, work.id, removed),
    }
    await correctNames(services, removal, signal)
    worked()
    await advanceErasure(services.sql, work, 'stored-links')
  },

  /** Here and not before, because a link may have been on its way to the event store until now. */
  async 'stored-links'({ services, work, signal, worked }) {
    await removeLinks(services.clickhouse, work.workspaceId, anonymousKeysOf(work), signal)
    worked()
    await services.sql.begin(async (tx) => {
      if (await advanceErasure(tx, work, 'files')) await resendLinks(tx, work.workspaceId, work.anonymousIds)
    })
  },

  /** Removes what stores leave on the disk: replaced parts, trimmed records of the log, deleted rows. */
  async files({ services, work, signal, worked }) {
    const { clickhouse, sql, log, embeddedPostgres } = services
    await endRemoval(clickhouse, signal)
    const ids = [...work.anonymousIds, ...(work.userId === null ? [] : [work.userId])]
    await log?.eraseTrimmed?.(ids)
    const tables = ['identity_links', 'dead_letters', 'withheld_links', 'ingest_problems']
    await vacuumTables(sql, tables, embeddedPostgres, signal)
    worked()
    await advanceErasure(sql, work, 'forget')
  },

  async forget({ services, work, signal, worked }) {
    await emptyErasure(services.sql, work.id)
    await vacuumTables(services.sql, ['erasures'], services.embeddedPostgres, signal)
    worked()
    await advanceErasure(services.sql, work, 'done')
  },
}

/** Erases a person step by step. After a crash it goes on with the step that was not finished. */
export const erasureJob = defineJob({
  name: 'erasure',
  payload: Type.Object({ workspaceId: Type.String(), erasureId: Type.String() }),
  concurrency: 1,
  serialBy: 'workspaceId',
  retry: { maxElapsedMs: WEEK_MS, maxIntervalMs: 30_000 },
  async effect({ services, payload, signal }) {
    try {
      for (;;) {
        const work = await readErasureWork(services.sql, payload.erasureId)
        const step = work === undefined ? undefined : STEPS[work.step]
        if (work === undefined || step === undefined) return
        services.faultPoint?.(`erasure:${work.step}`)
        const worked = (): void => services.faultPoint?.(`erasure:${work.step}-worked`)
        await step({ services, work, signal, worked })
      }
    } catch (error) {
      if (!signal.aborted) await noteErasureError(services.sql, payload.erasureId, errorMessage(error))
      throw error
    }
  },
  async conclude(tx, { services, payload: { workspaceId, erasureId } }) {
    await finishErasure(tx, erasureId, new Date(services.now()))
    const summary = 'Erased a person: events, links, exposures and dead letters'
    await auditByService(tx, services, workspaceId, {
      action: 'erasure.done',
      resourceId: erasureId,
      summary,
    })
  },
  async failed(tx, { services, payload: { workspaceId, erasureId } }, reason) {
    await finishErasure(tx, erasureId, new Date(services.now()), reason)
    const summary = 'Erasing a person failed; request it again'
    await auditByService(tx, services, workspaceId, {
      action: 'erasure.fail',
      resourceId: erasureId,
      summary,
    })
  },
})

/** The first key is that of the user, if one is erased. */
function anonymousKeysOf({ userId, personKeys }: ErasureWork): readonly string[] {
  return userId === null ? personKeys : personKeys.slice(1)
}
