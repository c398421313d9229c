import { createHash } from 'node:crypto'
import type { PersonId } from '../../domain/person.js'
import { workspaceHashKeys } from '../../log/hash-keys.js'
import { personKeyOf } from '../../log/record.js'
import { type ErasureView, insertErasure } from '../../postgres/tables/erasures.js'
import { linksOfUser } from '../../postgres/tables/identity-links.js'
import type { Operation } from '../operation.js'
import { erasureJob } from './erasure-job.js'

/** One of the two. */
export interface PersonInput {
  readonly userId?: string
  readonly anonymousId?: string
}

/**
 * Requests that everything received of a person up to now is removed. The audit entry has a hash of the
 * person and never an id.
 */
export const requestErasure: Operation<PersonInput, ErasureView> = {
  action: 'erasure.create',

  async record(tx, { services, workspaceId }, { userId = null, anonymousId = '' }) {
    const id = services.newId()
    const keys = workspaceHashKeys(services.secretKey, workspaceId)
    const [kind, personId] =
      userId === null ? (['anonymous', anonymousId] as const) : (['user', userId] as const)
    const key = String(personKeyOf(kind, personId, keys))
    const links = userId === null ? [] : await linksOfUser(tx, workspaceId, key)
    const erasure = await insertErasure(tx, {
      id,
      workspaceId,
      userId,
      anonymousIds: userId === null ? [anonymousId] : links.map((link) => link.anonymousId),
      personKeys: [key, ...links.map(({ anonymousKey }) => anonymousKey)],
      requestedAt: new Date(services.now()),
    })
    const sent = await services.jobs.send(tx, erasureJob, { workspaceId, erasureId: id }, { key: id })
    return {
      result: erasure,
      wakes: sent,
      audit: {
        resourceId: id,
        summary: `Requested the erasure of the person ${hashOf(`${kind}:${personId}`)}`,
      },
    }
  },
}

/** SHA-256 of the person's id as events show it. */
function hashOf(personId: PersonId): string {
  return createHash('sha256').update(personId).digest('hex')
}
