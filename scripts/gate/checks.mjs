// Checks that are not tests: types, lint and dead code, in parallel.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../folders.mjs'

const CHECKS = [
  { name: 'type check', program: 'tsc', args: ['-p', '.', '--noEmit'] },
  { name: 'type check of the console', program: 'tsc', args: ['-p', 'console'] },
  { name: 'lint', program: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'dead code', program: 'knip', args: [] },
]

function run({ program, args }) {
  const child = spawn(join('node_modules', '.bin', program), args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ ok: false, output: String(error) }))
    child.once('close', (status) => resolve({ ok: status === 0, output }))
  })
}

/** Compiles, and starts the checks, which the result waits for. */
export async function compileAndCheck(report, { typesOnly }) {
  await import('../build-contract.mjs')
  await import('../compile.mjs')
  await import('../build-modules.mjs')
  const checks = CHECKS.slice(0, typesOnly ? 2 : undefined).map(async (one) => {
    const { ok, output } = await run(one)
    if (ok) report.pass()
    else {
      process.stdout.write(output)
      report.fail(one.name)
    }
  })
  return { checked: Promise.all(checks) }
}
