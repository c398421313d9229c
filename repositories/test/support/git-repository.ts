import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'

export interface RepositoryOptions {
  /** Without a work tree. Otherwise the base branch is checked out. */
  readonly bare?: boolean
  readonly objectFormat?: 'sha1' | 'sha256'
  /** Files of the first commit. Without them there is no commit. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
}

/** A real repository in a temporary folder, and a clone in which people work. */
export interface TestRepository {
  readonly path: string
  /** Runs git in the repository; returns its output, trimmed. */
  git(...args: string[]): string
  /** Runs git in the people's clone. */
  work(...args: string[]): string
  /** The folder of the people's clone. */
  readonly workPath: string
  /**
   * People commit files to a branch, created from the base branch if missing, and push it. Null deletes.
   * Returns the commit.
   */
  commit(
    branch: string,
    files: Readonly<Record<string, string | Uint8Array | null>>,
    message?: string,
  ): string
  /** People bring a branch into the base branch. Returns the base branch's commit afterwards. */
  bringIn(branch: string, how: 'merge' | 'fast-forward' | 'squash' | 'rebase', message?: string): string
  deleteBranch(branch: string): void
}

const PEOPLE = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Grace',
  GIT_COMMITTER_EMAIL: 'grace@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
}

/** Runs git without the machine's configuration. */
export function gitAsPeople(
  cwd: string,
  args: readonly string[],
  input: string | Uint8Array = '',
  env: Readonly<Record<string, string>> = {},
): string {
  return gitBytes(cwd, args, input, env).toString('utf8').trimEnd()
}

/** The same with binary output. */
export function gitBytes(
  cwd: string,
  args: readonly string[],
  input: string | Uint8Array = '',
  env: Readonly<Record<string, string>> = {},
): Buffer {
  return execFileSync('git', [...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, ...PEOPLE, ...env },
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 256 * 1024 * 1024,
  })
}

/** A folder that is removed after the test. */
export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-repository-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** New repositories by their options: copying one costs a tenth of the time. */
const templates = new Map<string, string>()

export function makeRepository(t: Test, options: RepositoryOptions = {}): TestRepository {
  const folder = temporaryFolder(t)
  const key = JSON.stringify(options)
  const template = templates.get(key)
  if (template !== undefined) {
    cpSync(template, folder, { recursive: true })
    return repositoryIn(folder)
  }
  const repository = repositoryIn(folder)
  const init = [
    'init',
    '-q',
    '-b',
    'main',
    '--template=',
    `--object-format=${options.objectFormat ?? 'sha1'}`,
  ]
  gitAsPeople(folder, [...init, ...(options.bare === true ? ['--bare'] : []), 'site'])
  gitAsPeople(folder, [...init, 'work'])
  repository.git('config', 'receive.denyCurrentBranch', 'ignore')
  repository.work('remote', 'add', 'origin', '../site')
  if (options.files !== undefined) {
    repository.commit('main', options.files, 'First')
    if (options.bare !== true) repository.git('reset', '-q', '--hard', 'main')
  }
  const copy = mkdtempSync(join(tmpdir(), 'svc-template-'))
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
  cpSync(folder, copy, { recursive: true })
  templates.set(key, copy)
  return repository
}

function repositoryIn(folder: string): TestRepository {
  const path = join(folder, 'site')
  const workPath = join(folder, 'work')
  const git = (...args: string[]) => gitAsPeople(path, args)
  const work = (...args: string[]) => gitAsPeople(workPath, args)

  /** Checks out the current branch in the clone; false if it does not exist. */
  const refresh = (branch: string) => {
    work('fetch', '-q', '--prune', 'origin')
    const refs = work('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/remotes/origin').split('\n')
    if (refs.includes(branch)) work('checkout', '-q', '-f', '--no-track', '-B', branch, `origin/${branch}`)
    else if (refs.includes('main')) work('checkout', '-q', '-f', '--no-track', '-B', branch, 'origin/main')
  }
  const write = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(workPath, name)), { recursive: true })
    writeFileSync(join(workPath, name), content)
    if (name.endsWith('.sh')) chmodSync(join(workPath, name), 0o755)
  }
  let counter = 0
  return {
    path,
    workPath,
    git,
    work,
    commit(branch, files, message) {
      refresh(branch)
      for (const [name, content] of Object.entries(files)) {
        if (content === null) rmSync(join(workPath, name), { recursive: true, force: true })
        else write(name, content)
      }
      work('add', '-A')
      counter++
      work('commit', '-q', '--allow-empty', '-m', message ?? `Work ${counter}`)
      work('push', '-q', '-f', 'origin', `HEAD:refs/heads/${branch}`)
      return work('rev-parse', 'HEAD')
    },
    bringIn(branch, how, message = `Bring in ${branch}`) {
      refresh('main')
      const from = `origin/${branch}`
      if (how === 'merge') work('merge', '-q', '--no-ff', '-m', message, from)
      if (how === 'fast-forward') work('merge', '-q', '--ff-only', from)
      if (how === 'squash') {
        work('merge', '-q', '--squash', from)
        work('commit', '-q', '-m', message)
      }
      // Later than the original commits: in the same second the copies would have the same ids.
      if (how === 'rebase')
        gitAsPeople(workPath, ['cherry-pick', `main..${from}`], '', {
          GIT_COMMITTER_DATE: '2030-01-01T00:00:00Z',
        })
      work('push', '-q', 'origin', 'main')
      return work('rev-parse', 'HEAD')
    },
    deleteBranch(branch) {
      git('update-ref', '-d', `refs/heads/${branch}`)
    },
  }
}
