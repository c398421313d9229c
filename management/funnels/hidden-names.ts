import { hiddenBy } from '../../domain/hidden-names.js'
import { readHiddenNames, writeHiddenName } from '../../postgres/tables/hidden-event-names.js'
import { validationFailed } from '../domain-errors.js'
import type { Operation } from '../operation.js'

const MAX_PATTERNS = 500

export interface EventNameVisibility {
  readonly eventName: string
  /** The pattern that hides it now, or null. */
  readonly hiddenBy: string | null
}

/** Hides one event name or all with a prefix (`order_*`), or shows them again. Stored events stay. */
export const setEventNameHidden: Operation<
  { readonly pattern: string; readonly hidden: boolean },
  EventNameVisibility
> = {
  action: 'vocabulary.update',

  async record(tx, { services, workspaceId }, { pattern, hidden }) {
    const at = new Date(services.now())
    const changed = await writeHiddenName(tx, workspaceId, { pattern, hidden, at })
    const all = await readHiddenNames(tx, workspaceId)
    if (hidden && all.names.length + all.prefixes.length > MAX_PATTERNS)
      throw validationFailed([
        {
          path: '/hidden',
          message: `must not hide more than ${MAX_PATTERNS} names: hide many with a prefix such as order_*`,
        },
      ])
    const summary = `${hidden ? 'Hid' : 'Showed'} the event name ${pattern}`
    return {
      result: { eventName: pattern, hiddenBy: hiddenBy(all, pattern) },
      audit: changed ? { resourceId: pattern, summary } : undefined,
    }
  },
}
