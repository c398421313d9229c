import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * Behaviour of a proxy.
 *
 * - `pass`: as if it were not there
 * - `refuse`: new connections are refused, open ones are cut
 * - `hang`: connections are taken, nothing that is sent is read, and no answer comes
 * - `mute`: requests arrive and are carried out, their answers are lost
 * - `lateMs`: every answer comes that much later
 * - `answer`: these bytes are the answer to every request, and the end of the connection
 * - `cutAfterBytes`: every answer breaks off after so many bytes
 */
export type FaultMode =
  | 'pass'
  | 'refuse'
  | 'hang'
  | 'mute'
  | { readonly lateMs: number }
  | { readonly answer: string }
  | { readonly cutAfterBytes: number }

export interface FaultProxy {
  readonly port: number
  /** Connections made so far. */
  readonly connections: number
  set(mode: FaultMode): Promise<void>
  /** Cuts the connections there are; new ones are as the mode says. */
  cut(): void
  /**
   * Forgets the connections there are without a word to either end, as a firewall does; new ones are as the
   * mode says.
   */
  abandon(): void
  /** The server learns at last that the clients of abandoned connections have gone, as by its keep-alive. */
  reap(): void
  close(): Promise<void>
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

/**
 * A proxy between a client and a real server, so that a test can take the server away in any way a network
 * can.
 */
export async function startFaultProxy(
  target: { readonly host: string; readonly port: number },
  /** Port of the proxy itself; 0 chooses a free one. */
  ownPort = 0,
): Promise<FaultProxy> {
  let mode: FaultMode = 'pass'
  let connections = 0
  let open = true
  const pairs = new Set<Pair>()

  const forget = (pair: Pair): void => {
    pair.near.destroy()
    pair.far.destroy()
    pairs.delete(pair)
  }

  const serve = (near: Socket): void => {
    connections++
    const far = connect(target)
    const pair = { near, far }
    let answered = 0
    pairs.add(pair)
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      socket.on('error', () => forget(pair))
      socket.on('close', () => forget(pair))
    }
    near.on('data', (data) => {
      if (typeof mode === 'object' && 'answer' in mode) near.end(mode.answer)
      else far.write(data)
      answered = 0
    })
    far.on('data', (data) => {
      if (mode === 'mute') return
      if (typeof mode !== 'object' || 'answer' in mode) near.write(data)
      else if ('lateMs' in mode) setTimeout(() => near.write(data), mode.lateMs).unref()
      else {
        const left = mode.cutAfterBytes - answered
        answered += data.length
        if (data.length < left) near.write(data)
        else near.write(data.subarray(0, Math.max(0, left)), () => forget(pair))
      }
    })
    if (mode === 'hang') hold(pair)
  }

  const abandoned = new Set<Pair>()
  const hold = ({ near, far }: Pair): void => {
    near.pause()
    far.pause()
  }

  const listen = (port: number): Promise<Server> =>
    new Promise((resolve, reject) => {
      const made = createServer(serve)
      made.once('error', reject)
      made.listen(port, '127.0.0.1', () => resolve(made))
    })
  const shut = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
  const cut = (): void => {
    for (const pair of [...pairs]) forget(pair)
  }

  let server = await listen(ownPort)
  const { port } = server.address() as AddressInfo

  return {
    port,
    get connections() {
      return connections
    },
    cut,
    abandon() {
      for (const pair of pairs) {
        hold(pair)
        abandoned.add(pair)
        pairs.delete(pair)
        // The server must not learn that the client has given up.
        pair.near
          .removeAllListeners('close')
          .removeAllListeners('error')
          .on('error', () => {})
      }
    },
    reap() {
      for (const pair of abandoned) forget(pair)
      abandoned.clear()
    },
    async set(next) {
      const before = mode
      mode = next
      if (next === 'hang') for (const pair of pairs) hold(pair)
      // Connections that have lost answers, or half of one, cannot be gone on with.
      else if (before === 'mute' || typeof before === 'object') cut()
      else if (before === 'hang')
        for (const { near, far } of pairs) {
          near.resume()
          far.resume()
        }
      if (next === 'refuse' && open) {
        open = false
        // It stops listening here. Abandoned connections stay, and would keep it from closing.
        void shut()
        cut()
      } else if (next !== 'refuse' && !open) {
        server = await listen(port)
        open = true
      }
    },
    async close() {
      const closed = open ? shut() : Promise.resolve()
      cut()
      for (const pair of abandoned) forget(pair)
      await closed
    },
  }
}
