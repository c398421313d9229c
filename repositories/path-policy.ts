import picomatch from 'picomatch'
import { folderOf, foldersOf } from './names.js'
import type { TreeEntry } from './port.js'

export interface PathRules {
  /** Globs of `--allow`: guarded paths that may be written. They do not lift the other rules. */
  readonly allow: readonly string[]
  /** The entries of the commit on the way to the path. Left out if no repository is connected. */
  readonly entries?: ReadonlyMap<string, TreeEntry> | undefined
}

/**
 * Why an experiment may not write to a path; undefined if it may. Never outside the repository, through a
 * symbolic link, into git's own files or a submodule. CI configuration, hooks, lockfiles and package
 * manifests only if a glob allows them.
 */
export function pathProblem(path: string, rules: PathRules): string | undefined {
  return placeProblem(path, rules.entries) ?? guardProblem(path, rules.allow)
}

const MAX_PATH_BYTES = 1024
const MAX_NAME_BYTES = 255

/** Why a path can never be written, whatever the workspace allows. */
export function placeProblem(
  path: string,
  entries: ReadonlyMap<string, TreeEntry> | undefined,
): string | undefined {
  return shapeProblem(path) ?? (entries === undefined ? undefined : entryProblem(path, entries))
}

function shapeProblem(path: string): string | undefined {
  if (path === '') return 'it names no file'
  if (/\p{Cs}/u.test(path)) return 'its name is no Unicode text'
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `it is longer than ${MAX_PATH_BYTES} bytes`
  if (/\p{Cc}/u.test(path)) return 'it has control characters'
  if (path.includes('\\')) return 'it has a backslash: names are parted by /'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return 'it is absolute: name it from the root of the repository'
  for (const name of path.split('/')) {
    const problem = nameProblem(name)
    if (problem !== undefined) return problem
  }
  return undefined
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'it has an empty name between two /'
  if (name === '.' || name === '..') return `it goes through ${name}`
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    return `one of its names is longer than ${MAX_NAME_BYTES} bytes`
  if (isGitName(name)) return "it belongs to git's own files"
  if (/[ .]$/.test(name)) return 'one of its names ends in a dot or a space, which other systems drop'
  return undefined
}

/**
 * Names that file systems treat as `.git` or as a related file that git reads: other case, dropped dots and
 * spaces, streams, short names, ignored characters. The plain names are guarded instead.
 */
function isGitName(name: string): boolean {
  const plain = name.toLowerCase()
  const [beforeStream = ''] = plain
    .normalize('NFKC')
    .replace(/\p{Cf}|\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .split(':')
  const seen = beforeStream.replace(/[ .]+$/, '')
  return (
    seen === '.git' || (seen.startsWith('.git') && seen !== plain) || /^\.?gi[a-z0-9]{0,4}~\d+$/.test(seen)
  )
}

function entryProblem(path: string, entries: ReadonlyMap<string, TreeEntry>): string | undefined {
  for (const folder of foldersOf(path)) {
    const entry = entries.get(folder)
    if (entry === undefined || entry.kind === 'folder') continue
    if (entry.kind === 'symlink') return `${folder} is a symbolic link`
    if (entry.kind === 'submodule') return `${folder} is a submodule`
    return `${folder} is a file`
  }
  const entry = entries.get(path)
  if (entry?.kind === 'symlink') return 'it is a symbolic link'
  if (entry?.kind === 'submodule') return 'it is a submodule'
  if (entry?.kind === 'folder') return 'it is a folder'
  if (entry?.unreadableName === true) return 'its name is no Unicode text'
  return entry === undefined ? caseProblem(path, entries) : undefined
}

/** A new name that differs from an existing one in case only: some systems can check out only one of them. */
function caseProblem(path: string, entries: ReadonlyMap<string, TreeEntry>): string | undefined {
  const wanted = new Map([...foldersOf(path), path].map((each) => [folded(each), each]))
  for (const there of entries.keys()) {
    const mine = wanted.get(folded(there))
    if (mine !== undefined && mine !== there && folderOf(mine) === folderOf(there))
      return `it differs from ${there} in case alone`
  }
  return undefined
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

/** What a glob must allow: patterns for the whole lower-case path, and a description for people. */
const GUARDED: readonly (readonly [string, readonly string[]])[] = [
  [
    'CI configuration',
    [
      '**/.github/**',
      '**/.gitlab/**',
      '**/.gitlab-ci*',
      '**/.circleci/**',
      '**/.buildkite/**',
      '**/.drone.{yml,yaml,star,jsonnet}',
      '**/.woodpecker{.yml,.yaml,/**}',
      '**/.travis.{yml,yaml}',
      '**/.appveyor.{yml,yaml}',
      '**/appveyor.{yml,yaml}',
      '**/azure-pipelines*.{yml,yaml}',
      '**/.azure-pipelines/**',
      '**/bitbucket-pipelines.{yml,yaml}',
      '**/jenkinsfile*',
      '**/*.jenkinsfile',
      '**/.teamcity/**',
      '**/.semaphore/**',
      '**/.forgejo/**',
      '**/.gitea/**',
      '**/.cirrus.{yml,yaml,star}',
      '**/cloudbuild.{yml,yaml,json}',
      '**/buildspec.{yml,yaml}',
      '**/codefresh.{yml,yaml}',
      '**/.tekton/**',
      '**/.earthly/**',
      '**/earthfile',
      '**/dagger.json',
    ],
  ],
  [
    'a hook',
    [
      '**/.husky/**',
      '**/.githooks/**',
      '**/githooks/**',
      '**/hooks/{pre,post}-{commit,push,merge,checkout,rewrite,receive,update,rebase,applypatch,auto-gc}',
      '**/hooks/{commit-msg,prepare-commit-msg,applypatch-msg,update,reference-transaction,fsmonitor-watchman}',
      '**/.huskyrc*',
      '**/{.,}lefthook{,-local}.{yml,yaml,toml,json}',
      '**/.lefthook/**',
      '**/.pre-commit-config.{yml,yaml}',
      '**/.pre-commit-hooks.{yml,yaml}',
      '**/{.,}simple-git-hooks*',
      '**/.overcommit.yml',
    ],
  ],
  [
    'a lockfile',
    [
      '**/package-lock.json',
      '**/npm-shrinkwrap.json',
      '**/yarn.lock',
      '**/pnpm-lock.{yml,yaml}',
      '**/bun.lock{,b}',
      '**/deno.lock',
      '**/composer.lock',
      '**/gemfile.lock',
      '**/cargo.lock',
      '**/poetry.lock',
      '**/uv.lock',
      '**/pdm.lock',
      '**/pipfile.lock',
      '**/go.sum',
      '**/go.work.sum',
      '**/mix.lock',
      '**/pubspec.lock',
      '**/packages.lock.json',
      '**/podfile.lock',
      '**/flake.lock',
      '**/gradle.lockfile',
      '**/package.resolved',
    ],
  ],
  [
    'a package manifest',
    [
      '**/package.json',
      '**/package.json5',
      '**/package.{yml,yaml}',
      '**/.npmrc',
      '**/.yarnrc*',
      '**/.yarn/**',
      '**/.pnpmfile.{cjs,mjs,js}',
      '**/pnpm-workspace.{yml,yaml}',
      '**/bunfig.toml',
      '**/deno.json{,c}',
      '**/jsr.json',
      '**/lerna.json',
      '**/composer.json',
      '**/gemfile',
      '**/*.gemspec',
      '**/cargo.toml',
      '**/.cargo/**',
      '**/pyproject.toml',
      '**/setup.{py,cfg}',
      '**/requirements*.txt',
      '**/pipfile',
      '**/go.mod',
      '**/go.work',
      '**/mix.exs',
      '**/pubspec.{yml,yaml}',
      '**/pom.xml',
      '**/build.gradle{,.kts}',
      '**/settings.gradle{,.kts}',
      '**/*.csproj',
      '**/nuget.config',
      '**/podfile',
      '**/package.swift',
    ],
  ],
  ["one of git's or its hosts' files", ['**/.git*', '**/.git*/**']],
]

const GUARDS = GUARDED.map(([what, globs]) => ({ what, matches: picomatch([...globs], { dot: true }) }))

function guardProblem(path: string, allow: readonly string[]): string | undefined {
  // Lower case, because some file systems ignore case.
  const seen = path.normalize('NFKC').toLowerCase()
  const guard = GUARDS.find(({ matches }) => matches(seen))
  if (guard === undefined) return undefined
  if (allow.length > 0 && picomatch([...allow], { dot: true })(path)) return undefined
  return `it is ${guard.what}, written only where --allow names it`
}
