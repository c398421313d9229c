/**
 * What an experiment can be in and what moves it on: the one table behind every route, job and document. Source: API.md section 3.
 */
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

/** Never left. */
export const SETTLED: readonly Status[] = ['dismissed', 'pr_failed', 'shipped', 'rejected', 'concluded']

/** Holds its surfaces against others: approved and not yet ended. */
export const IN_FLIGHT: readonly Status[] = [
  'approved',
  'generating_pr',
  'pr_open',
  'ready',
  'running',
  'paused',
]

/** What a person or a key asks for, by the name its route has. */
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

interface Transition {
  /** The action it is asked for by; null where the repository's host or the clock moves it. */
  readonly action: Action | null
  readonly from: readonly Status[]
  /** One of these, by what the move comes to. */
  readonly to: readonly [Status, ...Status[]]
}

/** Every move there is. Where one action can mean several moves, its body says which. */
export const TRANSITIONS = {
  /** `approved` without a repository; `generating_pr` while the pull request takes its time. */
  approve: {
    action: 'approve',
    from: ['proposed'],
    to: ['approved', 'generating_pr', 'pr_open', 'pr_failed'],
  },
  dismiss: { action: 'dismiss', from: ['proposed'], to: ['dismissed'] },
  refine: { action: 'refine', from: ['proposed'], to: ['proposed'] },
  generatePr: { action: 'generate-pr', from: ['approved'], to: ['generating_pr'] },
  prWritten: { action: null, from: ['generating_pr'], to: ['pr_open', 'pr_failed'] },
  prMerged: { action: null, from: ['pr_open'], to: ['ready'] },
  prClosed: { action: null, from: ['pr_open'], to: ['rejected'] },
  start: { action: 'start', from: ['approved', 'ready'], to: ['running'] },
  /** Where the host says that the pull request is merged and nobody has noted it yet. */
  startMerged: { action: 'start', from: ['pr_open'], to: ['running'] },
  pause: { action: 'pause', from: ['running'], to: ['paused'] },
  resume: { action: 'resume', from: ['paused'], to: ['running'] },
  end: { action: 'end', from: ['running', 'paused'], to: ['ended'] },
  /** `end` with `conclude`. */
  conclude: { action: 'end', from: ['running', 'paused', 'ended'], to: ['concluded'] },
  decide: { action: 'decide', from: ['ended'], to: ['settling'] },
  /** `decide` with `force`. */
  decideAtOnce: { action: 'decide', from: ['ended', 'settling'], to: ['shipped', 'rejected'] },
  settle: { action: null, from: ['settling'], to: ['shipped', 'rejected'] },
  ship: { action: 'ship', from: ['running', 'paused', 'ended'], to: ['shipped'] },
} as const satisfies Record<string, Transition>

export type Move = keyof typeof TRANSITIONS

/** The statuses that a move is legal from. */
export function legalFrom(move: Move): readonly Status[] {
  return TRANSITIONS[move].from
}

/**
 * Where a move leads, undefined where it is not legal.
 *
 * @param wanted which of the move's ends it comes to; the first one where left out
 */
export function transition(status: Status, move: Move, wanted?: Status): Status | undefined {
  const { from, to }: Transition = TRANSITIONS[move]
  if (!from.includes(status)) return undefined
  return wanted === undefined ? to[0] : to.find((end) => end === wanted)
}

export function isSettled(status: Status): boolean {
  return SETTLED.includes(status)
}

/** What of an experiment can be edited, and in which statuses. */
export const EDITABLE = {
  /** Name, mechanism, notes, hypothesis and priority. */
  proposal: ['proposed'],
  /** Traffic splits and conversion targets. */
  measurement: ['proposed', 'approved', 'pr_failed'],
} as const satisfies Record<string, readonly Status[]>
