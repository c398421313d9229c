/** Statuses and transitions of experiments, for routes, jobs and documents. */
export const STATUSES = [
  'proposed',
  'dismissed',
  'approved',
  'generating_pr',
  'pr_failed',
  'pr_open',
  'ready',
  'running',
  'paused',
  'ended',
  'settling',
  'shipped',
  'rejected',
  'concluded',
] as const
export type Status = (typeof STATUSES)[number]

/** Statuses that are never left. */
export const SETTLED: readonly Status[] = ['dismissed', 'pr_failed', 'shipped', 'rejected', 'concluded']

/** Approved and not ended. Such an experiment reserves its surfaces. */
export const IN_FLIGHT: readonly Status[] = [
  'approved',
  'generating_pr',
  'pr_open',
  'ready',
  'running',
  'paused',
]

/** An action that a person or a key requests, named as its route. */
export type Action =
  | 'approve'
  | 'dismiss'
  | 'refine'
  | 'generate-pr'
  | 'start'
  | 'pause'
  | 'resume'
  | 'end'
  | 'decide'
  | 'ship'

interface TransitionRule {
  /** Null if the repository's host or the clock causes the transition. */
  readonly action: Action | null
  readonly from: readonly Status[]
  /** The new status, or the new statuses by outcome. */
  readonly to: Status | Readonly<Record<string, Status>>
}

const DECIDED = { ship: 'shipped', reject: 'rejected' } as const

/** If an action has several transitions, the body of the request selects one. */
export const TRANSITIONS = {
  /** Without a repository the experiment stays `approved`. */
  approve: {
    action: 'approve',
    from: ['proposed'],
    to: { withoutRepository: 'approved', writing: 'generating_pr' },
  },
  dismiss: { action: 'dismiss', from: ['proposed'], to: 'dismissed' },
  refine: { action: 'refine', from: ['proposed'], to: 'proposed' },
  generatePr: { action: 'generate-pr', from: ['approved'], to: 'generating_pr' },
  prWritten: { action: null, from: ['generating_pr'], to: { opened: 'pr_open', failed: 'pr_failed' } },
  prMerged: { action: null, from: ['pr_open'], to: 'ready' },
  prClosed: { action: null, from: ['pr_open'], to: 'rejected' },
  start: { action: 'start', from: ['approved', 'ready'], to: 'running' },
  /** If the host reports a merge that is not recorded yet. */
  startMerged: { action: 'start', from: ['pr_open'], to: 'running' },
  pause: { action: 'pause', from: ['running'], to: 'paused' },
  resume: { action: 'resume', from: ['paused'], to: 'running' },
  end: { action: 'end', from: ['running', 'paused'], to: 'ended' },
  /** `end` with `conclude`. */
  conclude: { action: 'end', from: ['running', 'paused', 'ended'], to: 'concluded' },
  decide: { action: 'decide', from: ['ended'], to: 'settling' },
  /** `decide` with `force`. */
  decideAtOnce: { action: 'decide', from: ['ended', 'settling'], to: DECIDED },
  settle: { action: null, from: ['settling'], to: DECIDED },
  ship: { action: 'ship', from: ['running', 'paused', 'ended'], to: 'shipped' },
} as const satisfies Record<string, TransitionRule>

export type TransitionName = keyof typeof TRANSITIONS

/** A transition, with its outcome if it has several. */
export type Transition = {
  [Name in TransitionName]: (typeof TRANSITIONS)[Name]['to'] extends Status
    ? { readonly name: Name; readonly outcome?: undefined }
    : { readonly name: Name; readonly outcome: keyof (typeof TRANSITIONS)[Name]['to'] }
}[TransitionName]

/** The statuses from which a transition is legal. */
export function legalFrom(name: TransitionName): readonly Status[] {
  return TRANSITIONS[name].from
}

export function isLegal(status: Status, name: TransitionName): boolean {
  return legalFrom(name).includes(status)
}

/** The status after a transition. */
export function resultingStatus({ name, outcome }: Transition): Status {
  const { to }: TransitionRule = TRANSITIONS[name]
  const end = typeof to === 'string' ? to : to[outcome ?? '']
  if (end === undefined) throw new Error(`the transition ${name} has no outcome ${outcome}`)
  return end
}

export function isSettled(status: Status): boolean {
  return SETTLED.includes(status)
}

/** Statuses in which the fields of an experiment can be edited. */
export const EDITABLE = {
  /** Name, mechanism, notes, hypothesis and priority. */
  proposal: ['proposed'],
  /** Traffic splits and conversion targets. */
  measurement: ['proposed', 'approved', 'pr_failed'],
} as const satisfies Record<string, readonly Status[]>
