import { capitalize, statusLabel } from '../../../domain/text/labels.js'
import type { Schema } from '../../client/api'

type Status = Schema<'Experiment'>['status']

const TONES: Readonly<Record<Status, 'good' | 'bad' | 'warn' | 'accent' | ''>> = {
  proposed: 'accent',
  dismissed: '',
  approved: 'accent',
  generating_pr: 'warn',
  pr_failed: 'bad',
  pr_open: 'accent',
  ready: 'accent',
  running: 'good',
  paused: 'warn',
  ended: 'warn',
  settling: 'warn',
  shipped: 'good',
  rejected: 'bad',
  concluded: '',
}

export const SHOWN_STATUSES = Object.keys(TONES) as Status[]
export const statusName = (status: string): string => capitalize(statusLabel(status))

export function StatusBadge(props: { readonly status: Status }) {
  return <span class={`badge ${TONES[props.status]}`}>{statusName(props.status)}</span>
}
