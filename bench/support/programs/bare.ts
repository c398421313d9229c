import { type ChildProcess, spawn } from 'node:child_process'
import { isEventShape, isEventsRequestShape } from '../../../ingest/decode/validate.js'
import { makeBody } from '../load/bodies.js'
import { type Load, measureProcess } from './gateway.js'

/** Requests per CPU second of an HTTP server that does nothing: the cost of server and kernel. */
export async function measureBare(load: Load): Promise<number> {
  const server: ChildProcess = spawn(
    process.execPath,
    [new URL('../../bare-server.js', import.meta.url).pathname],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  try {
    const port = await new Promise<number>((resolve, reject) => {
      server.stdout?.once('data', (data: Buffer) => resolve(Number(data.toString())))
      server.once('exit', () => reject(new Error('the bare server exited before it printed its port')))
    })
    const { result, cpu } = await measureProcess(server.pid ?? 0, port, 'none', load)
    return result.requests / cpu
  } finally {
    server.stdin?.end()
  }
}

/** Events per CPU second of `JSON.parse` and ajv alone, in this process. */
export function parseRate(seconds: number): number {
  const bodies = Array.from({ length: 20 }, (_, i) => makeBody(i).bytes)
  let events = 0
  const before = process.cpuUsage()
  const end = performance.now() + seconds * 1_000
  for (let i = 0; performance.now() < end; i++) {
    const body = bodies[i % bodies.length]
    if (body === undefined) continue
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    if (!isEventsRequestShape(parsed) || !parsed.events.every((event) => isEventShape(event)))
      throw new Error('the body of the bench does not validate')
    events += 500
  }
  const cpu = process.cpuUsage(before)
  return events / ((cpu.user + cpu.system) / 1e6)
}
