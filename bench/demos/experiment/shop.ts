import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../runtime/package-root.js'
import { withoutSvc } from '../../../test/support/program.js'

/** The shop's repository, with the work tree of its people. */
export interface ShopRepository {
  readonly path: string
  /** Runs git and returns its output without the last line break. */
  git(...args: string[]): string
  /** Merges a branch into the base branch like a click on a pull request. Returns the commit. */
  merge(branch: string, title: string): string
  /** Creates a second work tree at a commit. */
  checkout(commit: string, path: string): void
}

const PEOPLE = {
  GIT_AUTHOR_NAME: 'Ada of the shop',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada of the shop',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
}

/** The shop of `bench/demos/shop`, committed to a new repository. */
export function makeRepository(path: string): ShopRepository {
  const source = join(packageRoot(), 'bench', 'demos', 'shop')
  mkdirSync(path, { recursive: true })
  cpSync(source, path, { recursive: true })
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: path,
      env: { PATH: process.env.PATH, HOME: path, ...PEOPLE },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd()
  git('init', '-q', '-b', 'main', '--template=')
  git('add', '-A')
  git('commit', '-q', '-m', 'Sell tents')
  // As `npm install` of the relay's folder leaves it.
  withRelay(path)
  return {
    path,
    git,
    merge(branch, title) {
      git('merge', '-q', '--no-ff', '-m', title, branch)
      return git('rev-parse', 'HEAD')
    },
    checkout(commit, other) {
      git('worktree', 'add', '-q', '--detach', other, commit)
      withRelay(other)
    },
  }
}

function withRelay(path: string): void {
  mkdirSync(join(path, 'node_modules'))
  symlinkSync(join(packageRoot(), 'relay'), join(path, 'node_modules', 'svc-relay'))
}

export interface Shop {
  readonly url: string
  /** Resolves when the relay has sent everything and the shop has stopped. */
  close(): Promise<void>
}

/** Runs the shop's server on a free port. */
export async function openShop(
  path: string,
  service: { readonly ingest: string; readonly serverKey: string },
): Promise<Shop> {
  const child = spawn(process.execPath, [join(path, 'server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The demo handles Ctrl-C and closes the shop.
    detached: true,
    env: {
      ...withoutSvc(process.env),
      SHOP_PORT: '0',
      INGEST_URL: service.ingest,
      SERVER_KEY: service.serverKey,
    },
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    url: await addressOf(child),
    close: () => {
      child.kill('SIGTERM')
      return exited
    },
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (said: Buffer) => {
      const url = /^shop ready (\S+)$/m.exec(said.toString())?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`the shop ended with ${code} before it was open`)))
  })
}
