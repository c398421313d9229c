import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RawOutcome {
  /** Everything the server sent. */
  readonly text: string
  /** The status of each answer. */
  readonly statuses: readonly number[]
  /** The server ended the connection, and not this side, which lost its patience. */
  readonly closed: boolean
}

/** A pause until the first answer begins, at most this many milliseconds. */
export interface AfterAnswer {
  readonly afterAnswerMs: number
}

/**
 * Writes parts to a connection of their own: a number is a pause in milliseconds. What the server sends is kept until it closes, or until `patienceMs` after the last part.
 */
export function rawConnection(
  port: number,
  parts: readonly (string | number | AfterAnswer)[],
  patienceMs: number,
): Promise<RawOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let text = ''
    let heard = (): void => {}
    const answered = new Promise<void>((done) => {
      heard = done
    })
    const ended = new AbortController()
    const finish = (closed: boolean): void => {
      if (ended.signal.aborted) return
      ended.abort()
      heard()
      socket.destroy()
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
      resolve({ text, statuses, closed })
    }
    socket.on('data', (data) => {
      text += data.toString('latin1')
      heard()
    })
    socket.on('error', () => {})
    socket.on('close', () => finish(true))
    const write = async (): Promise<void> => {
      for (const part of parts) {
        if (typeof part === 'number') await sleep(part)
        else if (typeof part === 'string') {
          if (!socket.destroyed) socket.write(part, 'latin1')
        } else await Promise.race([answered, sleep(part.afterAnswerMs, undefined, { signal: ended.signal })])
      }
      await sleep(patienceMs, undefined, { signal: ended.signal })
    }
    write().then(
      () => finish(false),
      () => finish(false),
    )
  })
}
