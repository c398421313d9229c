import type { Evidence } from '../idea.js'

/** Reads a file of the repository; `null`: it is not there. */
export type Read = (path: string) => Promise<string | null>

/** Of several files that say it, the one whose path comes first: the same for any order of reading. */
export const firstSaid = (known: Evidence | null, path: string, says: string | null): Evidence | null =>
  says === null || (known !== null && known.path < path) ? known : { path, says }

/** So many, of the files whose paths come first. */
export const firstByPath = <T extends { path: string }>(all: readonly T[], most: number): T[] =>
  [...all].sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1)).slice(0, most)

/** Names with what they stand for, the first name first: the same for any order of reading. */
export const inOrder = <K extends string, T>(named: Iterable<readonly [K, T]>): (readonly [K, T])[] =>
  [...named].sort(([a], [b]) => (a < b ? -1 : 1))

/** The first of some files that is there, with its text. */
export async function firstThere(
  files: readonly string[],
  read: Read,
): Promise<{ file: string; text: string } | null> {
  for (const file of files) {
    const text = await read(file)
    if (text !== null) return { file, text }
  }
  return null
}
