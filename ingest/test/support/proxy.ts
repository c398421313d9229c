import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface StoreProxy {
  readonly port: number
  /** `pass`: transparent. `hang`: accepts everything and never answers. `refuse`: cuts all connections. */
  set(mode: 'pass' | 'hang' | 'refuse'): void
  /** Cuts the open connections; new ones pass. */
  cut(): void
  /** Cuts listening connections when something is sent over them, so that the notification is lost. */
  loseNotifications(): void
  /** How often these bytes were sent to the server. */
  sent(bytes: Buffer): number
  close(): Promise<void>
}

/** A proxy between a client and a real server, so that a test can take the server away. */
export async function startProxy(target: { host: string; port: number }): Promise<StoreProxy> {
  let mode: 'pass' | 'hang' | 'refuse' = 'pass'
  let losing = false
  const log: Buffer[] = []
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer((near) => {
    if (mode === 'refuse') {
      near.destroy()
      return
    }
    const far = connect(target)
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('data', (data) => {
        if (one === near) log.push(data)
        if (losing && one === far && data.includes('svc_credentials')) near.destroy()
        else other.write(data)
      })
      one.on('close', () => {
        other.destroy()
        pairs.delete(pair)
      })
      one.on('error', () => other.destroy())
    }
    if (mode === 'hang') far.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      mode = next
      for (const [near, far] of pairs) {
        if (next === 'hang') {
          near.pause()
          far.pause()
        } else {
          near.resume()
          far.resume()
        }
      }
      if (next === 'refuse') cut()
    },
    cut,
    loseNotifications() {
      losing = true
    },
    sent(bytes) {
      const all = Buffer.concat(log)
      let count = 0
      for (let at = all.indexOf(bytes); at !== -1; at = all.indexOf(bytes, at + 1)) count++
      return count
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
