import type { Change } from '../../edits.js'

/** An option that is set from the start though another is said to be the one that most take, or the one to take. */
export interface Preset {
  /** the option to begin with, as visitors read it */
  option: string
  /** what says so, word for word */
  says: string
  /** where it says so, if not in the same file */
  path: string | null
  /** what is chosen, as a part of a sentence */
  what: string
  anchor: string
  changes: readonly Change[]
  /** none is set now */
  isFirst?: boolean
}
