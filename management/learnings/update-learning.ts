import { changedFields, inWords } from '../audit.js'
import type { Operation } from '../operation.js'
import { type LearningRow, lockLearning, writeLearning } from './store.js'

export interface LearningChangesInput {
  readonly id: string
  /** Fields that are left out stay as they are. */
  readonly changes: Partial<Pick<LearningRow, 'interpretation' | 'reviewStatus'>>
}

/** The evidence never changes. An edit that changes nothing is not audited. Throws NOT_FOUND. */
export const updateLearning: Operation<LearningChangesInput, LearningRow> = {
  action: 'learning.update',

  async record(tx, { services, workspaceId }, { id, changes }) {
    const before = await lockLearning(tx, workspaceId, id)
    const { interpretation, reviewStatus } = { ...before, ...changes }
    const wanted = { interpretation, reviewStatus }
    const changed = changedFields(before, wanted)
    if (changed.length === 0) return { result: before, audit: undefined }
    const at = new Date(services.now())
    const after = await writeLearning(tx, workspaceId, before, wanted, at)
    return {
      result: after,
      audit: {
        resourceId: after.id,
        summary: `Changed ${inWords(changed)} of the learning ${JSON.stringify(before.title)}`,
      },
    }
  },
}
