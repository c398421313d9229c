import { connect } from 'node:net'

const RECEIVE_BYTES = 64 * 1024

export interface HttpAnswer {
  readonly status: number
  /** Head and body of the response. */
  readonly text: string
}

/**
 * A minimal connection that sends one request after the other, because client and server share the machine.
 */
export interface HttpConnection {
  /** Sends the bytes of a request and resolves with the response. */
  exchange(request: string | Uint8Array): Promise<HttpAnswer>
  close(): void
}

export function openHttpConnection(url: string): Promise<HttpConnection> {
  const { hostname: host, port } = new URL(url)
  return new Promise((opened, failed) => {
    let settle: { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void } | undefined
    let text = ''
    const receive = (bytes: number, buffer: Uint8Array): boolean => {
      text += Buffer.from(buffer.buffer, buffer.byteOffset, bytes).toString('latin1')
      const headEnd = text.indexOf('\r\n\r\n')
      if (headEnd < 0) return true
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0)
      if (text.length < headEnd + 4 + length) return true
      const answer = { status: Number(text.slice(9, 12)), text }
      text = ''
      settle?.resolve(answer)
      settle = undefined
      return true
    }
    const socket = connect({
      host,
      port: Number(port),
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafeSlow(RECEIVE_BYTES), callback: receive },
    })
    socket.once('error', failed)
    socket.once('close', () => settle?.reject(new Error('the server closed the connection')))
    socket.once('connect', () =>
      opened({
        exchange: (request) =>
          new Promise((resolve, reject) => {
            settle = { resolve, reject }
            socket.write(request)
          }),
        close: () => void socket.destroy(),
      }),
    )
  })
}

/** The bytes of a request, all ASCII. */
export function requestText(
  method: string,
  path: string,
  key: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = Object.entries({
    Host: '127.0.0.1',
    Authorization: `Bearer ${key}`,
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(text.length) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} /v1${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}
