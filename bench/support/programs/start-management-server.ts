import { spawn } from 'node:child_process'
import type { ManagementServerTask } from './management-server.js'

export interface ManagementServer {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** The management API in a process of its own. */
export async function startManagementServer(task: ManagementServerTask): Promise<ManagementServer> {
  const child = spawn(
    process.execPath,
    [new URL('./management-server.js', import.meta.url).pathname, JSON.stringify(task)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim()))
    child.once('exit', (code) => reject(new Error(`the server of the bench ended with ${code}`)))
  })
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      child.stdin?.end()
      await new Promise((resolve) => child.once('exit', resolve))
    },
  }
}
