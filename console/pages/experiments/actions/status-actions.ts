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
    description: 'Waits for somebody to approve it, to ask for changes or to turn it down.',
    actions: ['approve', 'refine', 'dismiss'],
  },
  dismissed: { description: 'Turned down. Nothing follows.', actions: [] },
  approved: {
    description: 'Approved. It can be started, or get its pull request written first.',
    actions: ['start', 'generate-pr'],
  },
  generating_pr: { description: 'Its pull request is being written. This page follows it.', actions: [] },
  pr_failed: {
    description: 'Writing its pull request failed for good. Declare it again to go on.',
    actions: [],
  },
  pr_open: {
    description: 'Waits for its pull request to be merged. Closing the pull request rejects it.',
    actions: ['start'],
  },
  ready: { description: 'Merged. It can be started.', actions: ['start'] },
  running: {
    description: 'Visitors are in it, and it is measured.',
    actions: ['end', 'pause', 'ship', 'conclude'],
  },
  paused: {
    description: 'Not served to new visitors. Measuring goes on.',
    actions: ['resume', 'end', 'ship', 'conclude'],
  },
  ended: { description: 'Over. It waits for a decision.', actions: ['decide', 'conclude', 'ship'] },
  settling: {
    description: 'Decided. Late conversions are waited for, then its figures are frozen.',
    actions: ['decide'],
  },
  shipped: { description: 'A variant won and stays.', actions: [] },
  rejected: { description: 'Rejected. Everything stays as it was.', actions: [] },
  concluded: { description: 'Written up without a decision.', actions: [] },
}

/** Whether the status can change without an action of a person. */
export const isInProgress = (status: Status): boolean =>
  status === 'generating_pr' || status === 'pr_open' || status === 'settling'
