#!/usr/bin/env node
// `npm test`: type check, lint, dead code, then the fast tests on the compiled code, each by plain node in
// its own process group, longest first. Ends with `N passed, N failed, N skipped`. With CI=true a skipped
// test fails the run, unless its reason begins with `optional:`. Arguments select test files by a part of
// their path, from the long tier if no fast file matches. `--durations` stores how long each took.
import { parseArgs } from 'node:util'
import { compiled, ROOT } from './folders.mjs'
import { compileAndCheck } from './gate/checks.mjs'
import { expectations, keepDurations, loads } from './gate/durations.mjs'
import { FAST_LIMITS, fillCores } from './gate/pool.mjs'
import { createReport } from './gate/report.mjs'
import { runFile } from './gate/run-file.mjs'
import { firstSeed } from './gate/seed.mjs'
import { startsBroker, tiers } from './gate/suites.mjs'
import { offerTemplate } from './gate/template.mjs'

const FILE_LIMIT_MS = 400_000
/** No file starts after this, so that the closing line is printed in time. */
const RUN_LIMIT_MS = 40 * 60_000
/**
 * CPU seconds of a twenty-second file, independent of other load. A file that needs more belongs in the
 * long tier, or must be trimmed.
 */
const FAST_FILE_SECONDS = 30

process.chdir(ROOT)
const { values, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: { durations: { type: 'boolean', default: false } },
})
const report = createReport({ strictSkips: process.env.CI === 'true' })
const startedAt = performance.now()

function selected() {
  const { fast, whole } = tiers()
  if (parts.length === 0) return fast
  const among = (files) => files.filter((file) => parts.some((part) => file.includes(part)))
  const found = among(fast)
  return found.length > 0 ? found : among(whole)
}

async function runAll(files) {
  offerTemplate()
  const seed = firstSeed()
  process.stdout.write(`${files.length} files, seed ${seed} (TEST_SEED repeats it)\n`)
  const expected = expectations()
  const waiting = [...files].sort((a, b) => expected(b, 'fast') - expected(a, 'fast'))
  const brokers = new Set(files.filter(startsBroker))
  const limits = { ...FAST_LIMITS, loadOf: loads(), isExclusive: (file) => brokers.has(file) }
  const results = []
  await fillCores(waiting, limits, async (file) => {
    if (performance.now() - startedAt > RUN_LIMIT_MS)
      return report.fail(`${file}: not started, because the run has taken too long`)
    const result = await runFile(compiled(file), {
      env: { TEST_SEED: String(seed) },
      timeoutMs: FILE_LIMIT_MS,
    })
    results.push({ file, ...result })
    report.file(file, result)
    if (parts.length === 0 && result.processorSeconds > FAST_FILE_SECONDS)
      report.fail(
        `${file}: used more than ${FAST_FILE_SECONDS} s of CPU in the fast tier: trim it, or move it to test/long.json`,
      )
  })
  const total = (figure) => results.reduce((sum, result) => sum + (result[figure] ?? 0), 0).toFixed(0)
  process.stdout.write(
    `${total('seconds')} s in files, ${total('processorSeconds')} s of CPU, ${((performance.now() - startedAt) / 1_000).toFixed(0)} s elapsed\n`,
  )
  if (values.durations) keepDurations(results, 'fast')
}

try {
  const files = selected()
  if (files.length === 0) report.fail(`no test file has ${parts.join(' or ')} in its path`)
  const { checked } = await compileAndCheck(report, { typesOnly: parts.length > 0 })
  await runAll(files)
  await checked
} catch (error) {
  report.fail(String(error))
}
process.exit(report.finish())
