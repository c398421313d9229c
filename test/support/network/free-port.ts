import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../../runtime/process-info.js'

/**
 * Below the ports that most systems give to outgoing connections, so that no connection takes one while its
 * server is being started again.
 */
const END = 32_000
const COUNT = 11_000
/** Lowest port that tests use. If outgoing ports begin too close to it, ports end at `END` all the same. */
const MIN_FIRST = 5_000

/**
 * Folder that records the port of each test: tests run side by side, and a server may be down between two
 * starts.
 */
const TAKEN = join(tmpdir(), 'svc-test-ports')

/**
 * A port of 127.0.0.1 on which no process listens, and that no other test is given as long as this process
 * lives.
 */
export async function freePort(): Promise<number> {
  mkdirSync(TAKEN, { recursive: true })
  const end = endOfRange()
  for (;;) {
    const port = randomInt(Math.max(MIN_FIRST, end - COUNT), end)
    if (!reserve(port)) continue
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

function endOfRange(): number {
  let lowest = Number.NaN
  try {
    lowest = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
  } catch {
    // Elsewhere they begin higher.
  }
  return lowest > MIN_FIRST + COUNT / 2 && lowest < END ? lowest : END
}

/** Whether the port is now this process's: it was free, or its process is gone. */
function reserve(port: number): boolean {
  const file = join(TAKEN, String(port))
  for (const again of [true, false]) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      return true
    } catch {
      if (!again || isHeld(file)) return false
      rmSync(file, { force: true })
    }
  }
  return false
}

/** Whether a living process has it. A process whose file is still empty is about to write it. */
function isHeld(file: string): boolean {
  try {
    const owner = readFileSync(file, 'utf8')
    return owner === '' || isAlive(Number(owner))
  } catch {
    // Given back meanwhile.
    return false
  }
}
