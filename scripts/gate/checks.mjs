// Checks that are not tests: types, lint and dead code, in parallel. The first type check also compiles.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from '../folders.mjs'

const CHECKS = [
  { name: 'type check', program: 'tsc', args: ['-p', '.'] },
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

/**
 * Builds the AssemblyScript modules, compiles, and starts the other checks. Resolves with whether it
 * compiled, and with a promise for the others.
 */
export async function check(report, { typesOnly }) {
  await import('../build-contract.mjs')
  await import('../build-modules.mjs')
  const [compiled, ...others] = CHECKS.slice(0, typesOnly ? 2 : undefined).map(async (one) => {
    const { ok, output } = await run(one)
    if (ok) report.pass()
    else {
      process.stdout.write(output)
      report.fail(one.name)
    }
    return ok
  })
  return { compiled: await compiled, others: Promise.all(others) }
}
