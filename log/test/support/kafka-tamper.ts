import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { ISocketFactory } from 'kafkajs'

/** Requests of the Kafka protocol by the number they carry. */
export const API = { produce: 0, initProducerId: 22, addPartitions: 24, endTransaction: 26 } as const

/**
 * - `lose`: the request does not arrive, the connection breaks
 * - `mute`: the request is carried out, then the connection breaks before the answer
 * - `hang`: the request does not arrive, and no answer comes
 */
export type Tampering = 'pass' | 'lose' | 'mute' | 'hang'

export interface Tamper {
  /** For a client of kafkajs: its connections lead through here. */
  readonly socketFactory: ISocketFactory
  /** Decides what becomes of a request of one kind. */
  decide: (apiKey: number) => Tampering
  close(): Promise<void>
}

/** Stands between kafkajs and its brokers, and knows one request from another. */
export async function startTamper(brokers: string): Promise<Tamper> {
  const entrances = new Map<string, { readonly server: Server; readonly port: number }>()
  const sockets = new Set<Socket>()

  const serve = (address: string, near: Socket): void => {
    const [host = '', port] = address.split(':')
    const far = connect({ host, port: Number(port) })
    let muted = false
    const end = (): void => {
      near.destroy()
      far.destroy()
      sockets.delete(near)
    }
    sockets.add(near)
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', end)
    }
    const take = requests((request, apiKey) => {
      const tampering = tamper.decide(apiKey)
      if (tampering === 'lose') end()
      if (tampering === 'mute') muted = true
      if (tampering === 'pass' || tampering === 'mute') far.write(request)
    })
    near.on('data', take)
    far.on('data', (data) => {
      // A producer has one request at a time on a connection, so this is the answer.
      if (muted) end()
      else near.write(data)
    })
  }

  for (const address of brokers.split(',')) {
    const server = createServer((near) => serve(address, near))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    entrances.set(address, { server, port: (server.address() as AddressInfo).port })
  }

  const tamper: Tamper = {
    socketFactory: ({ host, port, onConnect }) =>
      connect({ host: '127.0.0.1', port: entrances.get(`${host}:${port}`)?.port ?? port }, onConnect),
    decide: () => 'pass',
    async close() {
      const closed = [...entrances.values()].map(
        ({ server }) => new Promise<void>((resolve) => server.close(() => resolve())),
      )
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
    },
  }
  return tamper
}

/** Cuts a stream into requests: four bytes of length, then two that say what is asked. */
function requests(each: (request: Buffer, apiKey: number) => void): (data: Buffer) => void {
  let held = Buffer.alloc(0)
  return (data) => {
    held = Buffer.concat([held, data])
    while (held.length >= 6) {
      const length = 4 + held.readInt32BE(0)
      if (held.length < length) return
      const request = held.subarray(0, length)
      held = held.subarray(length)
      each(request, request.readInt16BE(4))
    }
  }
}
