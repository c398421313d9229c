/* Words for the names that the API uses. Command line and console never show the names themselves. */

/** Of an experiment, a run, a revision or a learning; a name that is not here is a word already. */
const STATUSES: Readonly<Record<string, string>> = {
  generating_pr: 'writing pull request',
  pr_failed: 'pull request failed',
  pr_open: 'waiting for merge',
}

/** How the time of an event was corrected. */
const TIME_ADJUSTMENTS: Readonly<Record<string, string>> = {
  none: 'as it was sent',
  skew: 'corrected for the clock of the sender',
  clamped_past: 'moved forward: it was sent as more than 7 days old',
  clamped_future: 'moved back: it was sent as more than an hour ahead',
  imported: 'as it was in the imported history',
}

const DISMISSAL_REASONS: Readonly<Record<string, string>> = {
  not_relevant: 'not relevant',
  too_risky: 'too risky',
  low_impact: 'too little to gain',
  duplicate: 'already there, or tried',
  wrong_surface: 'wrong place',
  other: 'something else',
  replaced: 'replaced by newer proposals',
}

/** Why a generation run dropped an idea. */
const DROP_REASONS = {
  never_shown: 'in a part that no page shows',
  ambiguous: 'on a text that occurs several times',
  path_not_allowed: 'in files that svc may not write to',
  file_missing: 'in files that do not exist',
  not_grounded: 'not based on the code',
  invented: 'with an invented claim',
  dark_pattern: 'with a dark pattern',
  unsafe: 'with unsafe code',
  malformed: 'in a malformed answer',
  in_flight: 'on a surface under test',
  dismissed: 'like a dismissed one',
  lesson_lost: 'like one that lost',
  lesson_known: 'like one with a known result',
  note: 'against a note of the team',
  outside_focus: 'outside the focus',
  duplicate: 'already proposed',
  much_alike: 'like a better one of the same rule',
  beyond_count: 'beyond the number requested',
  not_worth: 'not worth running, as a review found',
  secret: 'beside a key or a password',
  fault_seen: 'faults of the site, which need no experiment',
} as const
export type DroppedIdea = keyof typeof DROP_REASONS

const CHECKS: Readonly<Record<string, string>> = {
  repository: 'Repository',
  generator: 'Proposals',
  events_received: 'Events',
  log: 'Event log',
  clickhouse: 'Event store',
  links: 'Links',
  recent_events: 'Recent events',
  refused_events: 'Refused events',
  address: 'Address',
  clock: 'Clock',
  version: 'Version',
  key: 'Key',
  round_trip: 'Test event',
}

const REJECTED_STAGES: Readonly<Record<string, string>> = { pr: 'pull request', outcome: 'decision' }

const lookup =
  (words: Readonly<Record<string, string>>) =>
  (name: string): string =>
    words[name] ?? name.replaceAll('_', ' ')

export const statusLabel = lookup(STATUSES)
export const timeAdjustmentLabel = lookup(TIME_ADJUSTMENTS)
export const dismissalLabel = lookup(DISMISSAL_REASONS)
export const dropReasonLabel = lookup(DROP_REASONS)
export const checkLabel = lookup(CHECKS)
export const rejectedStageLabel = lookup(REJECTED_STAGES)

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
