import type { Transaction } from '../../postgres/driver/client.js'
import { changedFields, inWords } from '../audit.js'
import { validationFailed } from '../domain-errors.js'
import type { Operation } from '../operation.js'
import {
  type DashboardFields,
  type DashboardRow,
  insertDashboard,
  lockDashboard,
  removeDashboard,
  writeDashboard,
} from './dashboard-store.js'
import { existingInsights } from './insight-store.js'

/** Fields that are left out get their defaults. Throws NAME_TAKEN, VALIDATION_FAILED. */
export const createDashboard: Operation<
  Pick<DashboardFields, 'name'> & Partial<DashboardFields>,
  DashboardRow
> = {
  action: 'dashboard.create',

  async record(tx, { services, workspaceId }, { name, description = '', insights = [], last = '30d' }) {
    const row = await insertDashboard(tx, workspaceId, {
      id: services.newId(),
      name,
      description,
      insights: await checked(tx, workspaceId, insights),
      last,
      at: new Date(services.now()),
    })
    const summary = `Created the dashboard ${JSON.stringify(row.name)}`
    return { result: row, audit: { resourceId: row.id, summary } }
  },
}

/**
 * Fields that are left out stay as they are. An edit that changes nothing is not audited. Throws NOT_FOUND,
 * NAME_TAKEN, VALIDATION_FAILED.
 */
export const updateDashboard: Operation<
  { readonly id: string; readonly changes: Partial<DashboardFields> },
  DashboardRow
> = {
  action: 'dashboard.update',

  async record(tx, { services, workspaceId }, { id, changes }) {
    const kept =
      changes.insights === undefined ? {} : { insights: await checked(tx, workspaceId, changes.insights) }
    const before = await lockDashboard(tx, workspaceId, id)
    const wanted = { ...before, ...changes, ...kept }
    const changed = changedFields(before, wanted)
    if (changed.length === 0) return { result: before, audit: undefined }
    const after = await writeDashboard(tx, workspaceId, id, { ...wanted, at: new Date(services.now()) })
    const summary = `Changed ${inWords(changed)} of the dashboard ${JSON.stringify(before.name)}`
    return { result: after, audit: { resourceId: after.id, summary } }
  },
}

/** Throws NOT_FOUND. */
export const deleteDashboard: Operation<{ readonly id: string }, DashboardRow> = {
  action: 'dashboard.delete',

  async record(tx, { workspaceId }, { id }) {
    const before = await lockDashboard(tx, workspaceId, id)
    await removeDashboard(tx, workspaceId, before.id)
    const summary = `Deleted the dashboard ${JSON.stringify(before.name)}`
    return { result: before, audit: { resourceId: before.id, summary } }
  },
}

/** The ids as Postgres writes them. Throws VALIDATION_FAILED unless each is an insight, and there once. */
async function checked(
  tx: Transaction,
  workspaceId: string,
  insights: readonly string[],
): Promise<readonly string[]> {
  const ids = insights.map((id) => id.toLowerCase())
  const known = await existingInsights(tx, workspaceId, ids)
  const problems = ids.flatMap((id, index) => {
    const path = `/insights/${index}`
    if (!known.has(id)) return [{ path, message: 'must be an insight of the workspace' }]
    return ids.indexOf(id) === index ? [] : [{ path, message: 'must be there once' }]
  })
  if (problems.length > 0) throw validationFailed(problems)
  return ids
}
