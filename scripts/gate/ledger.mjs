// Records which long suites have passed for the current tree, so that an interrupted run can continue.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../folders.mjs'

const FILE = join(ROOT, '.build/long.json')

const git = (...args) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 })

/** The commit and uncommitted changes as one text; undefined without git. */
function state() {
  const { status, stdout } = git('rev-parse', 'HEAD')
  if (status !== 0) return undefined
  const changes = git('diff', 'HEAD').stdout + git('status', '--porcelain').stdout
  return `${stdout.trim()} ${createHash('sha256').update(changes).digest('hex').slice(0, 16)}`
}

/** Earlier passes count if `resume` is set and nothing has changed since. */
export function openLedger(resume) {
  const now = state()
  let passed = []
  try {
    const read = JSON.parse(readFileSync(FILE, 'utf8'))
    if (resume && now !== undefined && read.state === now) passed = read.passed
  } catch {
    // No ledger yet.
  }
  const done = new Set(passed)
  return {
    has: (name) => done.has(name),
    add(name) {
      done.add(name)
      mkdirSync(dirname(FILE), { recursive: true })
      writeFileSync(FILE, `${JSON.stringify({ state: now, passed: [...done] }, null, 2)}\n`)
    },
  }
}

/** A number that grows by one with each commit, or differs between them if the history is shallow. */
export function turnOfCommit() {
  const isShallow = git('rev-parse', '--is-shallow-repository').stdout?.trim() === 'true'
  const count = Number(git('rev-list', '--count', 'HEAD').stdout)
  if (!isShallow && Number.isInteger(count) && count > 0) return count
  const hash = Number.parseInt(git('rev-parse', 'HEAD').stdout?.slice(0, 8) ?? '', 16)
  return Number.isInteger(hash) ? hash : Math.floor(Date.now() / 86_400_000)
}
