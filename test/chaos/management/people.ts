import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SHOP } from '../../../api/test/support/shop.js'
import type { Sql } from '../../../postgres/driver/client.js'
import { connectRepository } from '../../../postgres/tables/repositories.js'
import { newId } from '../../../postgres/tables/workspaces.js'

const run = promisify(execFile)
const FOLDER = 'refs/heads/svc/'
const AUTHOR = { NAME: 'Ada', EMAIL: 'ada@example.com' }
const ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  GIT_AUTHOR_NAME: AUTHOR.NAME,
  GIT_AUTHOR_EMAIL: AUTHOR.EMAIL,
  GIT_COMMITTER_NAME: AUTHOR.NAME,
  GIT_COMMITTER_EMAIL: AUTHOR.EMAIL,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
}

/**
 * People at a repository on this machine. They merge and close the pull requests that the service proposes.
 */
export class People {
  /** Branches that were deleted. */
  readonly closed = new Set<string>()
  private readonly path = mkdtempSync(join(tmpdir(), 'svc-chaos-site-'))

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Makes the repository, and connects it to the workspace. */
  async connect(sql: Sql, workspaceId: string): Promise<void> {
    await this.git(['init', '-q', '-b', 'main', '--template=', '--bare'])
    const lines: string[] = []
    for (const [path, text] of Object.entries(SHOP)) {
      const blob = await this.git(['hash-object', '-w', '--stdin'], text)
      lines.push(`100644 blob ${blob}\t${path}`)
    }
    await this.commitTree(lines)
    const ids = { id: newId(), workspaceId, now: new Date() }
    const connection = {
      kind: 'local',
      location: this.path,
      baseUrl: null,
      branch: null,
      allow: [],
      helper: null,
      exposures: '/_svc/exposures',
      token: undefined,
      webhookSecret: undefined,
    } as const
    await sql.begin((tx) => connectRepository(tx, Buffer.alloc(32), ids, connection))
  }

  /** The branches of the service, and their commits beyond the base branch as it is now. */
  async branches(): Promise<string[]> {
    const refs = await this.git(['for-each-ref', '--format=%(refname:lstrip=2)', FOLDER])
    return refs === '' ? [] : refs.split('\n')
  }

  /** Commits of a branch after another commit. */
  async commitsAfter(base: string, branch: string): Promise<number> {
    return Number(await this.git(['rev-list', '--count', `${base}..${branch}`]))
  }

  /** Merges a branch, as a host does; false if it cannot be merged or is gone. */
  async merge(branch: string): Promise<boolean> {
    try {
      const tree = await this.git(['merge-tree', '--write-tree', 'main', branch])
      const merged = await this.git([
        ...['commit-tree', tree, '-p', 'main', '-p', branch, '-m', `Merge ${branch}`],
      ])
      await this.git(['update-ref', 'refs/heads/main', merged])
      return true
    } catch {
      return false
    }
  }

  /** Deletes a branch, which closes its pull request. */
  async close(branch: string): Promise<void> {
    this.closed.add(branch)
    await this.git(['update-ref', '-d', `refs/heads/${branch}`])
  }

  private async commitTree(lines: readonly string[]): Promise<void> {
    const index = { GIT_INDEX_FILE: join(this.path, 'people-index') }
    const entries = lines.map((line) => line.replace(' blob', '')).join('\n')
    await this.git(['update-index', '--add', '--index-info'], `${entries}\n`, index)
    const tree = await this.git(['write-tree'], '', index)
    const first = await this.git(['commit-tree', tree, '-m', 'First'])
    await this.git(['update-ref', 'refs/heads/main', first])
  }

  private async git(
    args: readonly string[],
    input = '',
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const running = run('git', [...args], { cwd: this.path, env: { ...ENVIRONMENT, ...env } })
    // Most commands end without reading it.
    running.child.stdin?.on('error', () => {}).end(input)
    const { stdout } = await running
    return stdout.trim()
  }
}
