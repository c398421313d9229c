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

/** The actions of each status, the usual one first, and what happens next. The API decides. */
export const STATUS_ACTIONS: Readonly<
  Record<Status, { readonly description: string; readonly actions: readonly ActionName[] }>
> = {
  proposed: {
    description: 'Waiting to be approved, refined or dismissed.',
    actions: ['approve', 'refine', 'dismiss'],
  },
  dismissed: { description: 'Dismissed.', actions: [] },
  approved: {
    description: 'Approved. It can be started, or get its pull request written first.',
    actions: ['start', 'generate-pr'],
  },
  generating_pr: {
    description: 'The pull request is being written. This page updates by itself.',
    actions: [],
  },
  pr_failed: {
    description: 'Writing the pull request failed. Declare the experiment again to continue.',
    actions: [],
  },
  pr_open: {
    description:
      'Waiting for its pull request to be merged. Closing the pull request rejects the experiment.',
    actions: ['start'],
  },
  ready: { description: 'Merged. It can be started.', actions: ['start'] },
  running: {
    description: 'Running. Its visitors are measured.',
    actions: ['end', 'pause', 'ship', 'conclude'],
  },
  paused: {
    description: 'Paused. Measuring goes on.',
    actions: ['resume', 'end', 'ship', 'conclude'],
  },
  ended: { description: 'Ended. Waiting for a decision.', actions: ['decide', 'conclude', 'ship'] },
  settling: {
    description: 'Decided. After late conversions have arrived, the results are frozen.',
    actions: ['decide'],
  },
  shipped: { description: 'A variant won and was shipped.', actions: [] },
  rejected: { description: 'Rejected. Everything stays as it was.', actions: [] },
  concluded: { description: 'Concluded without a decision.', actions: [] },
}

/** Whether the status can change without a person's action. */
export const isInProgress = (status: Status): boolean =>
  status === 'generating_pr' || status === 'pr_open' || status === 'settling'
