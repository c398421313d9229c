import { UnsupportedEditError } from '../dialect.js'

/**
 * Refuses text that calls the helper. With a key: for this experiment, which would be written twice. Without:
 * for any, because an experiment never edits another one's code.
 */
export function refuseKnown(
  text: string,
  key: string | null,
  call: string,
  edit: number | null = null,
): void {
  for (const [, found] of text.matchAll(new RegExp(`\\b${call}\\(\\s*['"]([a-z0-9-]+)['"]`, 'g'))) {
    if (key !== null && found === key)
      throw new UnsupportedEditError(null, `the experiment ${key} is in this file already`)
    if (key === null)
      throw new UnsupportedEditError(
        edit,
        `it is part of the experiment ${found}: wait until that has been cleaned up, or choose another place`,
      )
  }
}
