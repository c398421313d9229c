import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { ISocketFactory } from 'kafkajs'

/** Requests of the Kafka protocol by the number they carry. */
export const API = {
  produce: 0,
  offsetFetch: 9,
  initProducerId: 22,
  addPartitions: 24,
  endTransaction: 26,
} as const

/**
 * - `lose`: the request does not arrive, and the connection breaks
 * - `mute`: the request is executed, then the connection breaks before the answer
 * - `hang`: the request does not arrive, and no answer comes
 * - `answer`: the request does not arrive, and this is the answer, without length and correlation id
 */
export type Tampering = 'pass' | 'lose' | 'mute' | 'hang' | { readonly answer: Buffer }

export interface Tamper {
  /** For a client of kafkajs: its connections lead through here. */
  readonly socketFactory: ISocketFactory
  /** Decides what happens to a request; `before` is the previous one of its connection, or -1. */
  decide: (apiKey: number, before: number) => Tampering
  /** The first answer to a request of each kind, in the form of `answer`. */
  readonly firstAnswers: ReadonlyMap<number, Buffer>
  close(): Promise<void>
}

/** Stands between kafkajs and its brokers, and knows one request from another. */
export async function startTamper(brokers: string): Promise<Tamper> {
  const entrances = new Map<string, { readonly server: Server; readonly port: number }>()
  const sockets = new Set<Socket>()
  const firstAnswers = new Map<number, Buffer>()

  const serve = (address: string, near: Socket): void => {
    const [host = '', port] = address.split(':')
    const far = connect({ host, port: Number(port) })
    let muted = false
    let asked = -1
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
    const take = frames((request) => {
      const apiKey = request.readInt16BE(4)
      const tampering = tamper.decide(apiKey, asked)
      asked = apiKey
      if (typeof tampering === 'object') near.write(answering(request, tampering.answer))
      if (tampering === 'lose') end()
      if (tampering === 'mute') muted = true
      if (tampering === 'pass' || tampering === 'mute') far.write(request)
    })
    near.on('data', take)
    const note = frames((answer) => {
      if (!firstAnswers.has(asked)) firstAnswers.set(asked, Buffer.from(answer.subarray(8)))
    })
    far.on('data', (data) => {
      note(data)
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
    firstAnswers,
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

/** Cuts a stream into requests or answers: four bytes of length, and that many bytes. */
function frames(each: (frame: Buffer) => void): (data: Buffer) => void {
  let held = Buffer.alloc(0)
  return (data) => {
    held = Buffer.concat([held, data])
    while (held.length >= 8) {
      const length = 4 + held.readInt32BE(0)
      if (held.length < length) return
      const frame = held.subarray(0, length)
      held = held.subarray(length)
      each(frame)
    }
  }
}

/** An answer starts with the correlation id, which in a request follows the API key and version. */
function answering(request: Buffer, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeInt32BE(4 + body.length, 0)
  request.copy(head, 4, 8, 12)
  return Buffer.concat([head, body])
}
