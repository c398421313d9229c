import { expireErasedPersons } from '../../postgres/tables/erasures.js'
import type { Services } from '../services.js'
import { sendDueRetentions } from './retention-job.js'
import { resolveWithheldLinks } from './withheld-links.js'

/** How often `sweepPrivacy` runs. */
export const SWEEP_PRIVACY_MS = 2_000

/** Decides about links, forgets erased persons, removes old events. */
export async function sweepPrivacy(services: Services): Promise<void> {
  await resolveWithheldLinks(services)
  await sendDueRetentions(services)
  await expireErasedPersons(services.sql, new Date(services.now()))
}
