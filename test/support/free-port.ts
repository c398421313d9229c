import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that the system gives to outgoing connections, so that nobody takes one while its server is being started again. */
const FIRST = 21_000
const END = 32_000

/** A port of 127.0.0.1 on which nobody listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END)
    const probe = createServer()
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true))
    })
    if (!free) continue
    await new Promise<void>((resolve) => probe.close(() => resolve()))
    return port
  }
}
