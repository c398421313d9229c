import { connect } from 'node:net'

export interface Heard {
  /** 0 if the connection closed, or nothing came in time. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const PATIENCE_MS = 20_000

/**
 * Sends requests one by one over one connection, each after the whole response to the one before, like a
 * pooling client. Surplus bytes after a response spoil the next status line.
 */
export async function conversation(port: number, requests: readonly string[]): Promise<Heard[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let text = ''
  let closed = false
  let wake = (): void => {}
  socket.on('data', (data) => {
    text += data.toString('latin1')
    wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
    wake()
  })
  const heard: Heard[] = []
  try {
    for (const request of requests) {
      socket.write(request)
      const limit = performance.now() + PATIENCE_MS
      for (;;) {
        const answer = cutAnswer(text, request.startsWith('HEAD '))
        if (answer !== undefined) {
          text = answer.rest
          heard.push(answer)
          break
        }
        const left = limit - performance.now()
        if (closed || left <= 0) return [...heard, { status: 0, headers: {}, body: text }]
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    }
    return heard
  } finally {
    socket.destroy()
  }
}

function cutAnswer(text: string, toHead: boolean): (Heard & { readonly rest: string }) | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? 0)
  const bare = toHead || status === 204 || status === 304
  const bodyEnd = end + 4 + (bare ? 0 : Number(headers['content-length'] ?? 0))
  if (text.length < bodyEnd) return undefined
  return { status, headers, body: text.slice(end + 4, bodyEnd), rest: text.slice(bodyEnd) }
}
