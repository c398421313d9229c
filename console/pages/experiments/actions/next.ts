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

/** What can be done in each status, the usual thing first, and what that status waits for. As API.md's table of actions; the API decides. */
export const NEXT: Readonly<
  Record<Status, { readonly says: string; readonly actions: readonly ActionName[] }>
> = {
  proposed: {
    says: 'Waits for somebody to approve it, to ask for changes or to turn it down.',
    actions: ['approve', 'refine', 'dismiss'],
  },
  dismissed: { says: 'Turned down. Nothing follows.', actions: [] },
  approved: {
    says: 'Approved. It can be started, or get its pull request written first.',
    actions: ['start', 'generate-pr'],
  },
  generating_pr: { says: 'Its pull request is being written. This page follows it.', actions: [] },
  pr_failed: { says: 'Writing its pull request failed for good. Declare it again to go on.', actions: [] },
  pr_open: {
    says: 'Waits for its pull request to be merged. Closing the pull request rejects it.',
    actions: ['start'],
  },
  ready: { says: 'Merged. It can be started.', actions: ['start'] },
  running: {
    says: 'Visitors are in it, and it is measured.',
    actions: ['end', 'pause', 'ship', 'conclude'],
  },
  paused: {
    says: 'Not served to new visitors. Measuring goes on.',
    actions: ['resume', 'end', 'ship', 'conclude'],
  },
  ended: { says: 'Over. It waits for a decision.', actions: ['decide', 'conclude', 'ship'] },
  settling: {
    says: 'Decided. Late conversions are waited for, then its figures are frozen.',
    actions: ['decide'],
  },
  shipped: { says: 'A variant won and stays.', actions: [] },
  rejected: { says: 'Rejected. Everything stays as it was.', actions: [] },
  concluded: { says: 'Written up without a decision.', actions: [] },
}

/** While the service itself works on it, so that looking again shows more. */
export const isMoving = (status: Status): boolean =>
  status === 'generating_pr' || status === 'pr_open' || status === 'settling'
