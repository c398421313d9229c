import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostileRequest } from './requests.js'

/** A status, or how it ended without one. */
export type Outcome = number | 'closed' | 'silent'

const ANSWER_LIMIT_MS = 20_000
/** A request that HTTP cannot frame may be waited for by the server; nothing is owed. */
const UNFRAMED_LIMIT_MS = 1_000

/** Sends hostile requests to one port, one after the other, and keeps the connection while it can. */
export class HostileConnection {
  private socket: Socket | undefined
  /** The last answer, with its head. */
  answer = ''

  constructor(private readonly address: { readonly host: string; readonly port: number }) {}

  async send(request: HostileRequest): Promise<Outcome> {
    const socket = await this.connected()
    const outcome = answerOf(socket, request.whole ? ANSWER_LIMIT_MS : UNFRAMED_LIMIT_MS)
    for (const [n, chunk] of request.chunks.entries()) {
      if (n > 0 && request.pauseMs !== undefined) await sleep(request.pauseMs)
      if (socket.writable) socket.write(chunk)
    }
    if (request.end === 'half-close') socket.end()
    if (request.end === 'destroy') socket.resetAndDestroy()
    const { status, keep, text } = await outcome
    this.answer = text
    if (!keep || !request.whole) this.close()
    return status
  }

  close(): void {
    this.socket?.destroy()
    this.socket = undefined
  }

  private async connected(): Promise<Socket> {
    if (this.socket?.writable === true && this.socket.readable) return this.socket
    this.close()
    const socket = connect({ ...this.address, allowHalfOpen: true, noDelay: true })
    // A server that ends a hostile connection is right.
    socket.on('error', () => {})
    this.socket = socket
    return socket
  }
}

function answerOf(
  socket: Socket,
  limitMs: number,
): Promise<{ readonly status: Outcome; readonly keep: boolean; readonly text: string }> {
  return new Promise((resolve) => {
    let text = ''
    const end = (status: Outcome, keep = false): void => {
      clearTimeout(timer)
      socket.off('data', read).off('close', closed).off('end', closed)
      resolve({ status, keep, text })
    }
    const closed = (): void => end(statusOf(text) ?? 'closed')
    const timer = setTimeout(() => end(statusOf(text) ?? 'silent'), limitMs)
    const read = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      const headEnd = text.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1]
      // An answer without a length is a stream, which does not end.
      const isWhole = length === undefined || text.length >= headEnd + 4 + Number(length)
      if (isWhole)
        end(
          statusOf(text) ?? 'closed',
          length !== undefined && !/\r\nconnection: *close/i.test(text.slice(0, headEnd)),
        )
    }
    socket.on('data', read).once('close', closed).once('end', closed)
  })
}

function statusOf(text: string): number | undefined {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
  return status === undefined ? undefined : Number(status)
}
