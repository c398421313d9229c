// Prints results and sums them up.
import { inspect } from 'node:util'

const SHOWN_LINES = 40
const print = (line) => void process.stdout.write(`${line}\n`)

/**
 * Sums of a run. `say` reports a file as it ends; `finish` prints the last line and returns the exit code.
 */
export function createReport({ strictSkips, say = print }) {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  const failedFiles = []
  const fail = (what) => {
    sum.failed++
    failedFiles.push(what)
    say(`failed: ${what}`)
  }
  const skip = (label, { name, reason }) => {
    say(`skipped: ${label}: ${name}: ${reason === '' ? 'no reason given' : reason}`)
    if (!strictSkips || reason.startsWith('optional:')) sum.skipped++
    else {
      say('  with CI=true this counts as failed')
      sum.failed++
      failedFiles.push(`${label} (skipped)`)
    }
  }
  return {
    fail,
    pass: () => void sum.passed++,
    file(label, result) {
      const { passed, failed, skips, failures, ended, seconds, processorSeconds, left } = result
      const bad = failed > 0 || ended !== undefined
      const figures = `${String(passed).padStart(5)} ${seconds.toFixed(1).padStart(6)} s ${processorSeconds === undefined ? '     ?' : processorSeconds.toFixed(1).padStart(6)} core s`
      say(
        `${bad ? 'FAILED' : 'ok    '} ${figures}  ${label}${left.length > 0 ? `  (left behind: ${left.join(', ')})` : ''}`,
      )
      sum.passed += passed
      sum.failed += failed > 0 || ended === undefined ? failed : 1
      for (const one of skips) skip(label, one)
      if (!bad) return
      failedFiles.push(label)
      for (const line of shown(result, failures, ended)) say(`  ${line}`)
    },
    /** Prints the failures again, and the closing line. */
    finish() {
      if (failedFiles.length > 0) say(`failed:\n${failedFiles.map((each) => `  ${each}`).join('\n')}`)
      say(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`)
      return sum.failed === 0 ? 0 : 1
    },
  }
}

function shown({ output }, failures, ended) {
  const lines = failures
    .slice(0, 20)
    .flatMap(({ path, diag }) => [path.join(' › '), ...told(diag).map((line) => `  ${line}`)])
  if (ended !== undefined) lines.push(ended, ...output.trimEnd().split('\n').slice(-SHOWN_LINES))
  return lines
}

/** Tap's details of a failure: the difference, or found and wanted, and the position. */
function told(diag) {
  if (diag === null || typeof diag !== 'object') return []
  const { diff, found, wanted, at, message, ...rest } = diag
  const lines = []
  if (typeof message === 'string') lines.push(...message.split('\n'))
  if (typeof diff === 'string') lines.push(...diff.trimEnd().split('\n'))
  else {
    for (const [name, value] of [
      ['found', found],
      ['wanted', wanted],
    ])
      if (value !== undefined) lines.push(...`${name}: ${inspect(value, { depth: 6 })}`.split('\n'))
    for (const [name, value] of Object.entries(rest))
      if (!['stack', 'source', 'compare', 'tapCaller', 'generated'].includes(name))
        lines.push(...`${name}: ${inspect(value, { depth: 4 })}`.split('\n'))
  }
  const cut = lines.length > SHOWN_LINES ? [...lines.slice(0, SHOWN_LINES), '…'] : lines
  if (at?.fileName !== undefined) cut.push(`at ${at.fileName}:${at.lineNumber}`)
  return cut
}
