import { RepositoryError, type RepositoryErrorCode } from '../errors.js'

export const PARTIAL_CLONE =
  'the repository is a partial clone, which lacks the content of files: connect a full clone'

/**
 * The meanings of git's messages; the first match counts. `%` is the captured text. Git runs with an English
 * locale.
 */
const MEANINGS: readonly (readonly [RegExp, RepositoryErrorCode, string])[] = [
  [
    // For references git's message gives no reason.
    /No space left on device|Disk quota exceeded|File too large|couldn't write '[^']+\.lock'/i,
    'disk_full',
    'the disk of the repository is full: make room, and it goes on by itself',
  ],
  [
    /Unable to create '([^']+\.lock)': File exists/,
    'locked',
    'another git is at work there, or one that was killed left % behind: it is tried again; where no git is running, remove that file',
  ],
  [
    /cannot lock ref '[^']*': '([^']+)' exists; cannot create/,
    'conflict',
    'the branch % stands in the way of the new one: rename it',
  ],
  [/reference already exists|but expected/, 'conflict', 'the branch is there already'],
  [
    /unsafe repository|dubious ownership/,
    'unauthorised',
    'the repository belongs to another user: give it to the user who runs svc',
  ],
  [
    /Permission denied|insufficient permission|Read-only file system|Operation not permitted/i,
    'unauthorised',
    'the user who runs svc may not write to the repository: grant it',
  ],
  [
    /unknown repository extension|Expected git repo version|unknown object (?:format|hash)|unknown ref storage/i,
    'unsupported',
    'the repository has a format that this git does not know: install a later git',
  ],
  [
    /not a git repository|invalid gitfile format/,
    'not_found',
    'there is no git repository: connect the folder that holds .git, or a bare repository',
  ],
  [
    /object file .* is empty|is corrupt|inflate: data stream error|hash mismatch|packfile .* cannot be/i,
    'unsupported',
    'the repository is damaged: see `git fsck` there',
  ],
  [
    /Cannot allocate memory|Out of memory|Too many open files|Resource temporarily unavailable|Input\/output error|Stale file handle/i,
    'unavailable',
    'the machine cannot serve the repository now',
  ],
  [/promisor remote|lazy fetching disabled/, 'unsupported', PARTIAL_CLONE],
  [
    /not a valid object name|bad object|not a tree object|not a valid commit|unknown revision|bad revision|missing (?:blob|tree|object)|unable to read (?:tree|sha1)|could not get object|invalid object|could not parse/i,
    'gone',
    'the repository does not hold that commit or object any more',
  ],
]

/** The error for a failed git process. Retryable if no pattern matches. */
export function gitExitError(what: string, end: number | string | null, stderr: string): RepositoryError {
  const said = stderr.trim().split('\n').slice(-3).join(' ').slice(0, 500)
  for (const [pattern, kind, meaning] of MEANINGS) {
    const match = pattern.exec(stderr)
    if (match !== null)
      return new RepositoryError(kind, `${meaning.replace('%', match[1] ?? '')} (${what}: ${said})`)
  }
  return new RepositoryError('unavailable', `${what} ended with ${end}: ${said || 'it says nothing'}`)
}

/** The error if git cannot be started. */
export function gitSpawnError(error: Error): RepositoryError {
  const code = 'code' in error ? String(error.code) : error.message
  if (code === 'ENOENT')
    return new RepositoryError(
      'unsupported',
      'git is not on this machine, or not in the PATH of svc: install git 2.30 or later',
    )
  if (code === 'EACCES')
    return new RepositoryError('unsupported', 'git cannot be run by the user who runs svc')
  return new RepositoryError('unavailable', `git cannot be started (${code})`)
}
