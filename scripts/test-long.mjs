#!/usr/bin/env node
// `npm run test:long`: runs the long suites of test/long.json, two at a time. Ends with `N passed, N failed,
// N skipped`.
//
//   npm run test:long                   runs all suites
//   npm run test:long -- NAME …         runs the named suites
//   npm run test:long -- --list         prints names and durations
//   npm run test:long -- --resume       runs the suites that have not passed yet for this tree
//   npm run test:long -- --minutes 25   runs the suites that fit, then repeats some with other seeds; each
//                                       commit starts at another suite
//
// `TEST_SEED=N` repeats a run with its seed. A suite that would exceed the remaining time is not started.
import { parseArgs } from 'node:util'
import { compiled, ROOT } from './folders.mjs'
import { compileAndCheck } from './gate/checks.mjs'
import { expectations, keepDurations } from './gate/durations.mjs'
import { openLedger, turnOfCommit } from './gate/ledger.mjs'
import { createPlan, ordered } from './gate/plan.mjs'
import { LONG_JOBS, pool } from './gate/pool.mjs'
import { createReport } from './gate/report.mjs'
import { runFile } from './gate/run-file.mjs'
import { firstSeed } from './gate/seed.mjs'
import { tiers } from './gate/suites.mjs'
import { offerTemplate } from './gate/template.mjs'

/** Beyond ten minutes, a suite may take three times its known duration. */
const MIN_LIMIT_MS = 600_000
process.chdir(ROOT)
const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    durations: { type: 'boolean', default: false },
  },
})
const say = (line) => void process.stdout.write(`${line}\n`)
const report = createReport({ strictSkips: process.env.CI === 'true' })
const startedAt = performance.now()
const secondsLeft = () =>
  values.minutes === undefined
    ? Number.POSITIVE_INFINITY
    : Number(values.minutes) * 60 - (performance.now() - startedAt) / 1_000

const expected = expectations()
const secondsOf = ({ file }) => expected(file, 'long')

function selected(suites) {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name))
  if (unknown.length > 0)
    throw new Error(`no long suite is called ${unknown.join(' or ')}: --list prints the names`)
  return names.length === 0 ? suites : suites.filter(({ name }) => names.includes(name))
}

async function runAll({ suites, seeds }) {
  offerTemplate()
  const ledger = openLedger(values.resume)
  const inBudget = values.minutes !== undefined
  const order = ordered(selected(suites), secondsOf, inBudget ? turnOfCommit() : undefined)
  const seed = firstSeed()
  const plan = createPlan({
    suites: order.filter(({ name }) => !ledger.has(name)),
    again: inBudget && names.length === 0 ? seeds : [],
    secondsOf,
    left: secondsLeft,
    seed,
  })
  const results = []
  const ran = []
  say(`${plan.waiting().length} suites, seed ${seed} (TEST_SEED repeats it)`)
  await pool(LONG_JOBS, plan.next, async ({ suite, seed }) => {
    const { name, file } = suite
    const timeoutMs = Math.max(MIN_LIMIT_MS, secondsOf(suite) * 3_000)
    const result = await runFile(compiled(file), {
      env: { TEST_LONG: '1', TEST_SEED: String(seed) },
      timeoutMs,
    })
    results.push({ file, ...result })
    report.file(`${name} (seed ${seed})`, result)
    ran.push(name)
    if (result.failed === 0 && result.ended === undefined) ledger.add(name)
  })

  say(`ran: ${[...new Set(ran)].sort().join(', ')}`)
  const waiting = plan.waiting()
  if (waiting.length > 0)
    say(`not started, because too little time was left: ${waiting.map(({ name }) => name).join(', ')}`)
  if (values.durations) keepDurations(results, 'long')
}

try {
  const all = tiers()
  if (values.minutes !== undefined && !(Number(values.minutes) > 0))
    throw new Error('--minutes needs a number above 0')
  if (values.list) {
    for (const suite of selected(all.suites))
      say(`${suite.name.padEnd(40)} ${secondsOf(suite).toFixed(0).padStart(4)} s  ${suite.file}`)
    process.exit(0)
  }
  const { checked } = await compileAndCheck(report, { typesOnly: true })
  await runAll(all)
  await checked
} catch (error) {
  report.fail(error instanceof Error ? error.message : String(error))
}
process.exit(report.finish())
