import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { deadlineSignal } from '../../../runtime/concurrency/deadline-signal.js'

export interface RawOutcome {
  /** Everything the server sent. */
  readonly text: string
  /** The status of each answer. */
  readonly statuses: readonly number[]
  /** The server ended the connection, and not this side, which lost its patience. */
  readonly closed: boolean
}

/** A pause until so many answers have begun, by default one, and at most this many milliseconds. */
export interface AfterAnswer {
  readonly afterAnswerMs: number
  readonly answers?: number
}

/**
 * Writes parts to a new connection: a number is a pause in milliseconds. Collects the server's answer until
 * it closes, or until `patienceMs` after the last part.
 */
export function rawConnection(
  port: number,
  parts: readonly (string | number | AfterAnswer)[],
  patienceMs: number,
): Promise<RawOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let text = ''
    const statusesOf = (): number[] =>
      [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
    const news = new EventEmitter()
    const ended = new AbortController()
    const finish = (closed: boolean): void => {
      if (ended.signal.aborted) return
      ended.abort()
      socket.destroy()
      resolve({ text, statuses: statusesOf(), closed })
    }
    socket.on('data', (data) => {
      text += data.toString('latin1')
      news.emit('heard')
    })
    socket.on('error', () => {})
    socket.on('close', () => finish(true))
    const answered = async ({ afterAnswerMs, answers = 1 }: AfterAnswer): Promise<void> => {
      const late = deadlineSignal(afterAnswerMs, ended.signal)
      while (!late.aborted && statusesOf().length < answers)
        await once(news, 'heard', { signal: late }).catch(() => {})
      ended.signal.throwIfAborted()
    }
    const write = async (): Promise<void> => {
      for (const part of parts) {
        if (typeof part === 'number') await sleep(part)
        else if (typeof part === 'string') {
          if (!socket.destroyed) socket.write(part, 'latin1')
        } else await answered(part)
      }
      await sleep(patienceMs, undefined, { signal: ended.signal })
    }
    write().then(
      () => finish(false),
      () => finish(false),
    )
  })
}
