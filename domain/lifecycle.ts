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

interface TransitionRule {
  /** The action it is asked for by; null where the repository's host or the clock moves it. */
  readonly action: Action | null
  readonly from: readonly Status[]
  /** The one end, or the ends by what the move comes to. */
  readonly to: Status | Readonly<Record<string, Status>>
}

const DECIDED = { ship: 'shipped', reject: 'rejected' } as const

/** Every move there is. Where one action can mean several moves, its body says which. */
export const TRANSITIONS = {
  /** `generating_pr` until its pull request is written, which `prWritten` says; `approved` where there is no repository to write one in. */
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
  /** Where the host says that the pull request is merged and nobody has noted it yet. */
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

/** A move, and what it comes to where it has several ends. */
export type Transition = {
  [M in TransitionName]: (typeof TRANSITIONS)[M]['to'] extends Status
    ? { readonly name: M; readonly outcome?: undefined }
    : { readonly name: M; readonly outcome: keyof (typeof TRANSITIONS)[M]['to'] }
}[TransitionName]

/** The statuses that a move is legal from. */
export function legalFrom(move: TransitionName): readonly Status[] {
  return TRANSITIONS[move].from
}

export function isLegal(status: Status, move: TransitionName): boolean {
  return legalFrom(move).includes(status)
}

/** Where a step leads, from wherever it is legal. */
export function resultingStatus({ name: move, outcome }: Transition): Status {
  const { to }: TransitionRule = TRANSITIONS[move]
  const end = typeof to === 'string' ? to : to[outcome ?? '']
  if (end === undefined) throw new Error(`the move ${move} has no end for ${outcome}`)
  return end
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
