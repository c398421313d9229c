import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Parses responses with a Content-Length from a socket's data. */
export function parseAnswers(received: Buffer, toHead = false): Answer[] {
  const answers: Answer[] = []
  let rest = received.toString('latin1')
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) break
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
    }
    const status = Number(statusLine.split(' ')[1])
    const length = toHead || status === 100 ? 0 : Number(headers['content-length'] ?? 0)
    const text = Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1').toString('utf8')
    rest = rest.slice(end + 4 + length)
    if (status !== 100) answers.push({ status, headers, text })
  }
  return answers
}

export interface WireResult {
  readonly answers: Answer[]
  /** The server closed the connection. */
  readonly closed: boolean
}

/**
 * The connection ended with nothing executed: without a response, or with an error of newer parsers. Pass
 * `expect: 2` so that the end is waited for.
 */
export function isTurnedAway({ answers, closed }: WireResult): boolean {
  return closed && answers.length <= 1 && answers.every(({ status }) => status >= 400)
}

/**
 * Bytes to write, a pause in milliseconds, or a pause until this many responses have come or the server has
 * closed.
 */
export type Part = string | Buffer | number | { readonly answers: number }

/** Requests of one connection, each after the response to the one before, so none is pipelined. */
export function inTurn(requests: readonly (string | Buffer)[]): Part[] {
  return requests.flatMap((request, index) => (index === 0 ? [request] : [{ answers: index }, request]))
}

/** Longer than any response takes on a busy machine. */
const PATIENCE_MS = 60_000

/**
 * Writes parts to a new connection and reads until the expected number of responses has come, the server
 * closes, or `waitMs` have passed.
 */
export function wire(
  port: number,
  parts: readonly Part[],
  options: { readonly expect?: number; readonly waitMs?: number; readonly toHead?: boolean } = {},
): Promise<WireResult> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const news = new EventEmitter()
    let closed = false
    let finished = false
    const result = (): WireResult => ({
      answers: parseAnswers(Buffer.concat(chunks), options.toHead),
      closed,
    })
    const finish = (): void => {
      if (finished) return
      finished = true
      resolve(result())
      socket.destroy()
    }
    socket.on('data', (data) => {
      chunks.push(data)
      news.emit('heard')
      if (result().answers.length >= (options.expect ?? 1)) finish()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      closed = true
      news.emit('heard')
      finish()
    })
    const answered = async (count: number): Promise<void> => {
      const late = AbortSignal.timeout(PATIENCE_MS)
      while (!closed && !late.aborted && result().answers.length < count)
        await once(news, 'heard', { signal: late }).catch(() => {})
    }
    const write = async (): Promise<void> => {
      for (const part of parts) {
        if (typeof part === 'number') await new Promise((next) => setTimeout(next, part))
        else if (typeof part === 'object' && 'answers' in part) await answered(part.answers)
        else if (!socket.destroyed) socket.write(part)
      }
      setTimeout(finish, options.waitMs ?? PATIENCE_MS).unref()
    }
    void write()
  })
}
