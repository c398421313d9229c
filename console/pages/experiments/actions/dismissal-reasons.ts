import type { Schema } from '../../../client/api'

type Given = NonNullable<Schema<'Experiment'>['dismissal']>['reasons'][number]

/** Why a proposal is turned down, in the words of whoever does it. */
export const REASONS = [
  ['not_relevant', 'Not relevant'],
  ['too_risky', 'Too risky'],
  ['low_impact', 'Too little to gain'],
  ['duplicate', 'Already there, or tried'],
  ['wrong_surface', 'Wrong place'],
  ['other', 'Something else'],
] as const
export type Reason = (typeof REASONS)[number][0]

/** @param reason also what the service itself gives, for drafts that a newer batch has retired */
export function reasonLabel(reason: Given): string {
  return REASONS.find(([known]) => known === reason)?.[1] ?? 'Replaced by newer ones'
}
