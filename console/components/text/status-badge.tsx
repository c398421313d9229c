import type { Schema } from '../../client/api'

type Status = Schema<'Experiment'>['status']

const STATUS_STYLES: Readonly<Record<Status, readonly [string, 'good' | 'bad' | 'warn' | 'accent' | '']>> = {
  proposed: ['Proposed', 'accent'],
  dismissed: ['Dismissed', ''],
  approved: ['Approved', 'accent'],
  generating_pr: ['Writing pull request', 'warn'],
  pr_failed: ['Pull request failed', 'bad'],
  pr_open: ['Pull request open', 'accent'],
  ready: ['Ready', 'accent'],
  running: ['Running', 'good'],
  paused: ['Paused', 'warn'],
  ended: ['Ended', 'warn'],
  settling: ['Settling', 'warn'],
  shipped: ['Shipped', 'good'],
  rejected: ['Rejected', 'bad'],
  concluded: ['Concluded', ''],
}

export const STATUSES = Object.keys(STATUS_STYLES) as Status[]
export const statusName = (status: Status): string => STATUS_STYLES[status][0]

export function StatusBadge(props: { readonly status: Status }) {
  const [name, tone] = STATUS_STYLES[props.status]
  return <span class={`badge ${tone}`}>{name}</span>
}
