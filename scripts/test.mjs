#!/usr/bin/env node
// What `npm test` runs: type check, lint, dead code, then every test on the compiled code. Ends with `N passed, N failed, N skipped`.
// With CI=true a skipped test fails the run, except where its reason begins with `optional:`. Arguments: only test files whose path contains one of them.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)
const bin = (name) => join('node_modules', '.bin', name)
const only = process.argv.slice(2)
let failed = 0
let passed = 0

function check(name, command, args) {
  process.stdout.write(`${name} …\n`)
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status === 0) passed++
  else {
    failed++
    process.stdout.write(`${name}: failed\n`)
  }
  return status === 0
}

/** The failed files and tests of a TAP stream, innermost first, each with what it says of the failure itself. */
function failures(tap) {
  const lines = tap.split('\n')
  const found = []
  for (const [at, line] of lines.entries()) {
    const failure = /^( *)not ok \d+ - (.*?) *\{?$/.exec(line)
    if (failure === null || / # (SKIP|TODO)/.test(line)) continue
    const [, indent, name] = failure
    found.push(`${indent}${name}`)
    if (lines[at + 1] !== `${indent}  ---`) continue
    const end = lines.indexOf(`${indent}  ...`, at)
    const said = lines.slice(at + 2, end < 0 ? at + 2 : end)
    const told = said.findIndex((each) => /^ *(at|generated|stack|source|tapCaller):/.test(each))
    if (indent !== '') found.push(...said.slice(0, Math.min(12, told < 0 ? said.length : told)))
    found.push(...said.filter((each) => /^ *(lineNumber|exitCode|signal|expired):/.test(each)).slice(0, 2))
  }
  return found.length === 0 ? [] : ['failed:', ...found.slice(-100)]
}

const compiled = check('type check', bin('tsc'), ['-p', '.'])
if (only.length === 0) {
  check('lint', bin('biome'), ['check', '--error-on-warnings', '.'])
  check('dead code', bin('knip'), [])
}

let skipped = 0
if (compiled) {
  const folders = [
    'domain',
    'log',
    'clickhouse',
    'postgres',
    'management',
    'runtime',
    'ingest',
    'consumers',
    'api',
    'cli',
    'start',
    'bench',
    'test',
  ]
  const files = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /(^|\/)test\/(e2e\/)?[^/]+\.ts$/.test(file))
    .filter((file) => only.length === 0 || only.some((part) => file.includes(part)))
    .sort()
    .map((file) => join('dist', file.replace(/\.ts$/, '.js')))
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  const output = join(folder, 'tap.txt')
  try {
    spawnSync(
      bin('tap'),
      [
        'run',
        '--reporter=terse',
        '--jobs',
        String(Math.min(4, availableParallelism())),
        '--timeout=400',
        `--output-file=${output}`,
        ...files,
      ],
      { stdio: 'inherit' },
    )
    const tap = readFileSync(output, 'utf8')
    const totals = /^# (\{.*total:.*\})$/m.exec(tap)?.[1]
    if (totals === undefined) {
      process.stdout.write('the test runner gave no totals\n')
      failed++
    } else {
      const figure = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals)?.[1] ?? 0)
      passed += figure('pass')
      failed += figure('fail')
      skipped += figure('skip') + figure('todo')
    }
    for (const line of failures(tap)) process.stdout.write(`${line}\n`)
    for (const [, reason] of tap.matchAll(/^ *ok .*# SKIP ?(.*)$/gm)) {
      process.stdout.write(`skipped: ${reason}\n`)
      if (process.env.CI === 'true' && !reason.startsWith('optional:')) {
        process.stdout.write('  with CI=true this counts as failed\n')
        failed++
        skipped--
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)
process.exit(failed === 0 ? 0 : 1)
