// Runs one test file: plain node in its own process group, with its TAP parsed and every process left behind
// killed.
import { spawn } from 'node:child_process'
import { watchDescendants } from './processes.mjs'
import { readTap } from './read-tap.mjs'

const KEPT = 64 * 1024
/** How long a file may be silent after its last test, teardowns included. */
const LINGER_MS = 60_000
/** A shell prints the CPU time of everything below it. Its exit code is the test's. */
const SHELL = '"$@"; code=$?; times >&3; exit $code'

/**
 * Parses `times` of a shell: the second line is its children's, user and system. Undefined if it is missing.
 */
function secondsOf(times) {
  const [, children = ''] = times.trim().split('\n')
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)]
  if (parts.length !== 2) return undefined
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0)
}

/**
 * Runs a compiled test file. Always resolves with `{ passed, failed, skips, failures, ended, seconds,
 * processorSeconds, left, output }`: `ended` says why a file failed apart from its assertions (a time-out, a
 * signal, no plan, an exit code), `left` names the processes that it left running, now killed.
 */
export async function runFile(file, { env = {}, args = [], timeoutMs, lingerMs = LINGER_MS }) {
  const startedAt = performance.now()
  const child = spawn('sh', ['-c', SHELL, 'sh', process.execPath, '--enable-source-maps', file, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // Tap's time-out for a single test is longer than the file's, which kills the group.
    env: { ...process.env, ...env, TAP_TIMEOUT: String(Math.ceil(timeoutMs / 1_000)) },
  })
  const descendants = watchDescendants(child.pid)
  const tap = readTap()
  let output = ''
  let times = ''
  child.stdout.on('data', (chunk) => {
    tap.write(chunk)
    output = (output + chunk).slice(-KEPT)
    if (!tap.isOver()) return
    clearTimeout(lingering)
    lingering = setTimeout(() => giveUp(`had not ended ${lingerMs / 1_000} s after its last word`), lingerMs)
  })
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-KEPT)
  })
  child.stdio[3].on('data', (chunk) => {
    times += chunk
  })
  let lingering
  let givenUp
  const giveUp = (why) => {
    givenUp ??= why
    descendants.killAll()
  }
  const timer = setTimeout(() => giveUp(`took longer than ${timeoutMs / 1_000} s and was killed`), timeoutMs)
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(String(error)))
    child.once('exit', (status, signal) => resolve(signal ?? status))
  })
  clearTimeout(timer)
  clearTimeout(lingering)
  const left = descendants.killAll()
  const seconds = (performance.now() - startedAt) / 1_000
  // Output that a leftover process held open is closed now; wait for the rest, with a limit.
  await Promise.race([
    Promise.all([child.stdout, child.stderr].map((stream) => ended(stream))),
    new Promise((resolve) => setTimeout(resolve, 2_000)),
  ])
  const read = tap.end()
  return {
    ...read,
    ended: endingOf({ givenUp, code, read }),
    seconds,
    processorSeconds: secondsOf(times),
    left,
    output,
  }
}

function ended(stream) {
  return stream.readableEnded || stream.destroyed
    ? undefined
    : new Promise((resolve) => stream.once('close', resolve))
}

function endingOf({ givenUp, code, read }) {
  if (givenUp !== undefined) return givenUp
  if (typeof code === 'string') return `ended by ${code}`
  if (code > 128) return `ended by signal ${code - 128}`
  if (read.bailout !== undefined) return `gave up: ${read.bailout}`
  if (read.passed + read.failed + read.skips.length === 0) return `ended with ${code} and without a test`
  if (!read.planned) return `ended with ${code} and without a plan`
  if (read.failed === 0 && read.failures.length > 0) return 'the plan was not kept'
  if (code !== 0 && read.failed === 0) return `ended with ${code}, though no assertion failed`
  return undefined
}
