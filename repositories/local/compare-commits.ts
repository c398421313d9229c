import type { ComparedFile, Comparison } from '../port.js'
import type { Git } from './git.js'

/**
 * Maximum number of files that git compares to find renames with changes. Exact renames need no such
 * search.
 */
const RENAME_LIMIT = 1000

/**
 * The difference of two commits. A missing commit (force-pushed away, or cut off in a shallow clone) makes it
 * incomplete.
 */
export async function compareCommits(
  git: Git,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<Comparison> {
  if (!(await holdsCommit(git, from, signal))) return { files: [], complete: false }
  const options = ['--no-ext-diff', '--no-textconv', '--find-renames=50%', `-l${RENAME_LIMIT}`]
  const files = await diffTree(git, [...options, from, to, '--'], signal)
  const count = (wanted: ComparedFile['status']) => files.filter(({ status }) => status === wanted).length
  // Above its limit git does not search for renames with changes.
  return { files, complete: count('added') * count('removed') <= RENAME_LIMIT ** 2 }
}

/** The files that differ between two trees, which the arguments name. */
export async function diffTree(
  git: Git,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<ComparedFile[]> {
  const output = await git.run(['diff-tree', '-r', '-z', '--raw', '--no-abbrev', ...args], { signal })
  return [...comparedFiles(output.toString('utf8').split('\0'))]
}

export async function holdsCommit(git: Git, commit: string, signal?: AbortSignal): Promise<boolean> {
  // The exit code of `cat-file -e`: 1 or 128, depending on the version.
  const output = await git.run(['cat-file', '--batch-check'], { input: `${commit}\n`, signal })
  return String(output).split(' ')[1] === 'commit'
}

/** Raw records: `:mode mode id id status`, then one path, or two for a rename. */
function* comparedFiles(fields: readonly string[]): Iterable<ComparedFile> {
  for (let at = 0; at + 1 < fields.length; ) {
    const [, , , id = '', status = ''] = (fields[at] ?? '').split(' ')
    const path = fields[at + 1] ?? ''
    if (status.startsWith('R')) {
      yield { path: fields[at + 2] ?? '', status: 'renamed', previousPath: path, blob: id }
      at += 3
      continue
    }
    at += 2
    if (status === 'A') yield { path, status: 'added', previousPath: undefined, blob: id }
    else if (status === 'D') yield { path, status: 'removed', previousPath: undefined, blob: undefined }
    else yield { path, status: 'modified', previousPath: undefined, blob: id }
  }
}
