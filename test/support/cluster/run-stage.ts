import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { packageRoot } from '../../../runtime/package-root.js'
import { withoutSvc } from '../program.js'
import { compiledRoot } from '../service.js'
import type { StageKind } from './stage-program.js'

const LIMIT_MS = 60_000

/** Runs a stage to its end, which it comes to by itself, or is told to come to by the signal. */
export function runStage(
  kind: StageKind,
  env: Readonly<Record<string, string>>,
  told?: AbortSignal,
): Promise<{ readonly code: number | null; readonly err: string }> {
  const child = spawn(process.execPath, [join(packageRoot(), compiledRoot(), `start/${kind}.js`)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...withoutSvc(process.env), ...env },
  })
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  told?.addEventListener('abort', () => child.kill('SIGTERM'), { once: true })
  const late = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  return new Promise((resolve) =>
    child.once('exit', (code) => {
      clearTimeout(late)
      resolve({ code, err })
    }),
  )
}
