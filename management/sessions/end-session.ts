import { revokeOwnSession } from '../../postgres/tables/sessions.js'
import { notFound } from '../domain-errors.js'
import type { Operation } from '../operation.js'

/** Ends a session of the caller. Its result is whether it was the current one. Throws NOT_FOUND. */
export const endSession: Operation<{ readonly id: string }, boolean> = {
  action: 'session.delete',

  async record(tx, { services, workspaceId, credential }, { id }) {
    const { id: personId, name } = credential.person
    const ended = await revokeOwnSession(tx, { workspaceId, personId, id, now: new Date(services.now()) })
    if (!ended) throw notFound('session')
    const isCurrent = id === credential.id
    const summary = isCurrent ? `Signed out ${name}` : `Ended a session of ${name}`
    return { result: isCurrent, audit: { resourceId: id, summary } }
  },
}
