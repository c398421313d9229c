export const LEARNING_DECISIONS = ['ship', 'reject', 'conclude'] as const
export type LearningDecision = (typeof LEARNING_DECISIONS)[number]
export const REVIEW_STATUSES = ['draft', 'approved'] as const
export type ReviewStatus = (typeof REVIEW_STATUSES)[number]

/** Characters. */
export const INTERPRETATION_LENGTH = 10_000
