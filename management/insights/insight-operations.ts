import { changedFields, inWords } from '../audit.js'
import { type ErrorDetail, validationFailed } from '../domain-errors.js'
import type { Operation } from '../operation.js'
import {
  type InsightFields,
  type InsightKind,
  type InsightQuery,
  type InsightRow,
  insertInsight,
  lockInsight,
  removeInsight,
  writeInsight,
} from './insight-store.js'

/** Throws NAME_TAKEN. */
export const createInsight: Operation<
  Omit<InsightFields, 'description'> & { readonly description?: string },
  InsightRow
> = {
  action: 'insight.create',

  async record(tx, { services, workspaceId }, { name, description = '', kind, query }) {
    const id = services.newId()
    const at = new Date(services.now())
    const row = await insertInsight(tx, workspaceId, { id, name, description, kind, query, at })
    const summary = `Created the insight ${JSON.stringify(row.name)}`
    return { result: row, audit: { resourceId: row.id, summary } }
  },
}

export interface InsightChangesInput {
  readonly id: string
  /** Fields that are left out stay as they are. */
  readonly changes: Partial<Omit<InsightFields, 'kind'>>
  /** Problems of a query of a kind, by fields of the changes. */
  problemsOf(kind: InsightKind, query: InsightQuery): readonly ErrorDetail[]
}

/** An edit that changes nothing is not audited. Throws NOT_FOUND, NAME_TAKEN, VALIDATION_FAILED. */
export const updateInsight: Operation<InsightChangesInput, InsightRow> = {
  action: 'insight.update',

  async record(tx, { services, workspaceId }, { id, changes, problemsOf }) {
    const before = await lockInsight(tx, workspaceId, id)
    const problems = changes.query === undefined ? [] : problemsOf(before.kind, changes.query)
    if (problems.length > 0) throw validationFailed([...problems])
    const wanted = { ...before, ...changes }
    const changed = changedFields(before, wanted)
    if (changed.length === 0) return { result: before, audit: undefined }
    const after = await writeInsight(tx, workspaceId, id, { ...wanted, at: new Date(services.now()) })
    const summary = `Changed ${inWords(changed)} of the insight ${JSON.stringify(before.name)}`
    return { result: after, audit: { resourceId: after.id, summary } }
  },
}

/** Dashboards stop to show it. Throws NOT_FOUND. */
export const deleteInsight: Operation<{ readonly id: string }, InsightRow> = {
  action: 'insight.delete',

  async record(tx, { workspaceId }, { id }) {
    const before = await lockInsight(tx, workspaceId, id)
    await removeInsight(tx, workspaceId, before.id)
    const summary = `Deleted the insight ${JSON.stringify(before.name)}`
    return { result: before, audit: { resourceId: before.id, summary } }
  },
}
