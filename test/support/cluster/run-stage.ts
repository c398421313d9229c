import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { packageRoot } from '../../../runtime/package-root.js'
import { outputOf } from '../output.js'
import { withoutSvc } from '../program.js'
import { compiledRoot } from '../service.js'
import type { StageKind } from './stage-program.js'

const LIMIT_MS = 60_000

/** Runs a stage until it ends by itself or by the signal. */
export async function runStage(
  kind: StageKind,
  env: Readonly<Record<string, string>>,
  told?: AbortSignal,
): Promise<{ readonly code: number | null; readonly err: string }> {
  const child = spawn(process.execPath, [join(packageRoot(), compiledRoot(), `start/${kind}.js`)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...withoutSvc(process.env), ...env },
  })
  const said = outputOf(child)
  told?.addEventListener('abort', () => child.kill('SIGTERM'), { once: true })
  const late = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  const code = await said.ended
  clearTimeout(late)
  return { code, err: said.err }
}
