import { spawn } from 'node:child_process'
import type { LoadOptions, LoadResult } from '../../load.js'

/** Runs the load generator in a separate process. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const child = spawn(
    process.execPath,
    [new URL('../../load.js', import.meta.url).pathname, JSON.stringify(options)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`the load generator exited with code ${code}`)
  return JSON.parse(output) as LoadResult
}
