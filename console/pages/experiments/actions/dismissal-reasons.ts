import { capitalize, dismissalLabel } from '../../../../domain/text/labels.js'

const CHOICES = ['not_relevant', 'too_risky', 'low_impact', 'duplicate', 'wrong_surface', 'other'] as const
export type Reason = (typeof CHOICES)[number]

/** The reasons for dismissing a proposal that a person can choose, with their labels. */
export const REASONS = CHOICES.map((reason) => [reason, capitalize(dismissalLabel(reason))] as const)
