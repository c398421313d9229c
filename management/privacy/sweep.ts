import { expireErasedPersons } from '../../postgres/tables/erasures.js'
import type { Services } from '../services.js'
import { resolveWithheldLinks } from './withheld-links.js'

/** How often `sweepPrivacy` runs. */
export const SWEEP_PRIVACY_MS = 2_000

/** What privacy needs from time to time: links of erased persons decided, and persons forgotten. */
export async function sweepPrivacy(services: Services): Promise<void> {
  await resolveWithheldLinks(services)
  await expireErasedPersons(services.sql, new Date(services.now()))
}
