/** The words and limits of experiments. Source: SERVICE.md section 2 and API.md section 3. */
export const KINDS = ['experiment', 'feature'] as const
export const TEST_TYPES = ['dom', 'message'] as const
export const ORIGINS = ['generated', 'api'] as const
/** The lowest first: the order that lists are sorted by. */
export const PRIORITIES = ['low', 'medium', 'high'] as const
export const REJECTED_STAGES = ['pr', 'outcome'] as const
export const DISMISSAL_REASONS = [
  'not_relevant',
  'too_risky',
  'low_impact',
  'duplicate',
  'wrong_surface',
  'other',
] as const
/** `replaced`: retired by a batch that takes its place; nobody gives it. */
export const KNOWN_DISMISSAL_REASONS = [...DISMISSAL_REASONS, 'replaced'] as const

export type Kind = (typeof KINDS)[number]
export type TestType = (typeof TEST_TYPES)[number]
export type Origin = (typeof ORIGINS)[number]
export type Priority = (typeof PRIORITIES)[number]
export type RejectedStage = (typeof REJECTED_STAGES)[number]

/** Lengths in characters. */
export const EXPERIMENT_LIMITS = {
  name: 200,
  mechanism: 1_000,
  notes: 2_000,
  hypothesis: 2_000,
  displayName: 100,
  variants: 8,
  targets: 3,
  targetName: 200,
  dismissalNote: 2_000,
  decisionReason: 2_000,
  instructions: 4_000,
  focus: 1_000,
  search: 200,
  surfaces: 50,
  changes: 50,
  edits: 100,
  path: 1_000,
  anchor: 500,
} as const

/** Keys that are paths of their own below `/experiments`. */
export const RESERVED_KEYS: ReadonlySet<string> = new Set(['counts', 'generate'])
