import type { Schema } from '../../../client/api'

type Status = Schema<'Experiment'>['status']
export type ActionName =
  | 'approve'
  | 'refine'
  | 'dismiss'
  | 'generate-pr'
  | 'start'
  | 'pause'
  | 'resume'
  | 'end'
  | 'decide'
  | 'ship'
  | 'conclude'

/** The actions of each status, the usual one first. The API decides. */
export const STATUS_ACTIONS: Readonly<Record<Status, readonly ActionName[]>> = {
  proposed: ['approve', 'refine', 'dismiss'],
  dismissed: [],
  approved: ['start', 'generate-pr'],
  generating_pr: [],
  pr_failed: [],
  pr_open: ['start'],
  ready: ['start'],
  running: ['end', 'pause', 'ship', 'conclude'],
  paused: ['resume', 'end', 'ship', 'conclude'],
  ended: ['decide', 'conclude', 'ship'],
  settling: ['decide'],
  shipped: [],
  rejected: [],
  concluded: [],
}

/** Whether the status can change without a person's action. */
export const isInProgress = (status: Status): boolean =>
  status === 'generating_pr' || status === 'pr_open' || status === 'settling'
