import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Finished {
  readonly code: number
  readonly out: string
  readonly err: string
}

export const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url))

/** Runs `svc` as a separate process with the given environment only. */
export function svc(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  timeout = 60_000,
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [MAIN, ...args], { env: environment, timeout }, (error, out, err) => {
      const code = error === null ? 0 : error.code
      if (typeof code === 'number') resolve({ code, out, err })
      else reject(error)
    })
  })
}
