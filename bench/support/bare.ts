import { type ChildProcess, spawn } from 'node:child_process'
import { type Load, measureProcess } from './gateway.js'

/** Requests a CPU second of an HTTP server that does nothing: what a load costs the server and the kernel without any work of ours. */
export async function measureBare(load: Load): Promise<number> {
  const server: ChildProcess = spawn(
    process.execPath,
    [new URL('../bare-server.js', import.meta.url).pathname],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  try {
    const port = await new Promise<number>((resolve, reject) => {
      server.stdout?.once('data', (data: Buffer) => resolve(Number(data.toString())))
      server.once('exit', () => reject(new Error('the bare server did not start')))
    })
    const { result, cpu } = await measureProcess(server.pid ?? 0, port, 'none', load)
    return result.requests / cpu
  } finally {
    server.stdin?.end()
  }
}
