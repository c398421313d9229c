import { type Action, isLegal, type Status, type TransitionName } from '../../domain/lifecycle.js'
import { DomainError } from '../domain-errors.js'
import type { ExperimentRow } from './types.js'

/** Statuses as messages for people name them, after "it". */
export const STATUS_TEXTS: Readonly<Record<Status, string>> = {
  proposed: 'is still a proposal',
  dismissed: 'was dismissed',
  approved: 'is approved and not started',
  generating_pr: 'is waiting for its pull request to be written',
  pr_failed: 'has a pull request that could not be written',
  pr_open: 'is waiting for its pull request to be merged',
  ready: 'is ready to start',
  running: 'is running',
  paused: 'is paused',
  ended: 'has ended and is not decided',
  settling: 'is decided and waiting for late conversions',
  shipped: 'was shipped',
  rejected: 'was rejected',
  concluded: 'was concluded without a decision',
}

const ACTION_TEXTS: Readonly<Record<Action, string>> = {
  approve: 'be approved',
  dismiss: 'be dismissed',
  refine: 'be rewritten',
  'generate-pr': 'get a pull request',
  start: 'be started',
  pause: 'be paused',
  resume: 'be resumed',
  end: 'be ended',
  decide: 'be decided',
  ship: 'be shipped',
}

/** @throws DomainError ILLEGAL_TRANSITION if the transition is not legal from the status of the row */
export function requireLegal(
  row: Pick<ExperimentRow, 'status' | 'key'>,
  name: TransitionName,
  action: Action,
): void {
  if (!isLegal(row.status, name)) throw illegalTransition(row, action)
}

/** @param why a sentence, if the status alone does not explain the refusal */
export function illegalTransition(
  row: Pick<ExperimentRow, 'status' | 'key'>,
  action: Action,
  why?: string,
): DomainError {
  const because = why === undefined ? '' : `. ${why}`
  return new DomainError(
    'ILLEGAL_TRANSITION',
    // The contract demands that the message itself names the status and the action.
    `The experiment ${row.key} cannot ${ACTION_TEXTS[action]}: it ${STATUS_TEXTS[row.status]}${because} (status ${row.status}, action ${action})`,
    [
      { path: 'status', message: row.status },
      { path: 'action', message: action },
    ],
  )
}

/** How the audit trail names an experiment. */
export function auditLabel(row: Pick<ExperimentRow, 'name'>): string {
  return `the experiment ${JSON.stringify(row.name)}`
}
