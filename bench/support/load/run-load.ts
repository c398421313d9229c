import { spawn } from 'node:child_process'

export interface LoadOptions {
  readonly host: string
  readonly port: number
  readonly key: string
  readonly connections: number
  readonly seconds: number
  readonly eventsPerRequest: number
  /** Requests per second over all connections; undefined for a closed loop. */
  readonly requestsPerSecond?: number
  readonly seed: number
  /** Compresses the bodies, a few per connection, whose ids then repeat. */
  readonly gzip?: boolean
}

export interface LoadResult {
  readonly accepted: number
  readonly requests: number
  readonly refused: number
  readonly seconds: number
  readonly latenciesMs: readonly number[]
  readonly cpuSeconds: number
}

/**
 * Runs the load generator (bench/load.ts) in a separate process, so that its CPU is counted apart. Closed
 * loop: each connection sends its next request after the last response. Open loop: requests start at a fixed
 * rate.
 */
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
