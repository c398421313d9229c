import type { ExperimentRow } from './types.js'

/** What the audit trail calls an experiment. */
export function auditLabel(row: Pick<ExperimentRow, 'name'>): string {
  return `the experiment ${JSON.stringify(row.name)}`
}
