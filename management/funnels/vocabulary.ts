import { hiddenBy } from '../../domain/hidden-names.js'
import type { Transaction } from '../../postgres/driver/client.js'
import { readHiddenNames, writeHiddenName } from '../../postgres/tables/hidden-event-names.js'
import {
  countEntries,
  findEntry,
  type VocabularyChange,
  type VocabularyEntry,
  writeEntry,
} from '../../postgres/tables/vocabulary-entries.js'
import { validationFailed } from '../domain-errors.js'
import type { Operation } from '../operation.js'

const MAX_PATTERNS = 500
const MAX_ENTRIES = 5_000

export interface EventNameState {
  readonly eventName: string
  readonly description: string | null
  /** The pattern that hides it now, or null. */
  readonly hiddenBy: string | null
}

/**
 * Describes an event name, and hides it or all names with a prefix (`order_*`), or shows them again. Stored
 * events stay.
 */
export const updateEventName: Operation<
  { readonly pattern: string; readonly hidden?: boolean; readonly description?: string | null },
  EventNameState
> = {
  action: 'vocabulary.update',

  async record(tx, { services, workspaceId }, { pattern, hidden, description }) {
    if (description !== undefined && pattern.endsWith('*'))
      throw validationFailed([
        { path: '/description', message: 'must be of one name: a pattern is only hidden' },
      ])
    const at = new Date(services.now())
    const isVisibilityChanged =
      hidden !== undefined && (await writeHiddenName(tx, workspaceId, { pattern, hidden, at }))
    const all = await readHiddenNames(tx, workspaceId)
    if (hidden === true && all.names.length + all.prefixes.length > MAX_PATTERNS)
      throw validationFailed([
        {
          path: '/hidden',
          message: `must not hide more than ${MAX_PATTERNS} names: hide many with a prefix such as order_*`,
        },
      ])
    const named = { eventName: pattern, ...(description === undefined ? {} : { description }) }
    const { before, after } = await changeEntry(tx, workspaceId, named)
    const verbs = verbsOf({ isVisibilityChanged, isHidden: hidden === true, before, after })
    return {
      result: { eventName: pattern, description: after.description, hiddenBy: hiddenBy(all, pattern) },
      audit: auditOf(verbs, pattern, `the event name ${pattern}`),
    }
  },
}

/** Describes or hides a property of an event name. Stored events stay. */
export const updateEventProperty: Operation<
  Omit<VocabularyChange, 'property'> & { readonly property: string },
  VocabularyEntry & { readonly property: string }
> = {
  action: 'vocabulary.update',

  async record(tx, { workspaceId }, change) {
    const { eventName, property } = change
    const { before, after } = await changeEntry(tx, workspaceId, change)
    const isVisibilityChanged = before.hidden !== after.hidden
    const verbs = verbsOf({ isVisibilityChanged, isHidden: after.hidden, before, after })
    return {
      result: { property, ...after },
      audit: auditOf(verbs, eventName, `the property ${property} of ${eventName}`),
    }
  },
}

/** Throws VALIDATION_FAILED if the workspace has too many entries. */
async function changeEntry(
  tx: Transaction,
  workspaceId: string,
  change: VocabularyChange,
): Promise<{ readonly before: VocabularyEntry; readonly after: VocabularyEntry }> {
  const before = await findEntry(tx, workspaceId, change)
  if (change.description === undefined && change.hidden === undefined) return { before, after: before }
  const after = await writeEntry(tx, workspaceId, change)
  if ((await countEntries(tx, workspaceId)) > MAX_ENTRIES)
    throw validationFailed([
      {
        path: change.description === undefined ? '/hidden' : '/description',
        message: `must not be set for more than ${MAX_ENTRIES} names and properties`,
      },
    ])
  return { before, after }
}

function verbsOf(change: {
  readonly isVisibilityChanged: boolean
  readonly isHidden: boolean
  readonly before: VocabularyEntry
  readonly after: VocabularyEntry
}): string[] {
  const { description } = change.after
  return [
    ...(change.isVisibilityChanged ? [change.isHidden ? 'hid' : 'showed'] : []),
    ...(description === change.before.description
      ? []
      : [description === null ? 'removed the description of' : 'described']),
  ]
}

/** Undefined if nothing changed. */
function auditOf(verbs: readonly string[], resourceId: string, what: string) {
  if (verbs.length === 0) return undefined
  const summary = `${verbs.join(' and ')} ${what}`
  return { resourceId, summary: summary.charAt(0).toUpperCase() + summary.slice(1) }
}
