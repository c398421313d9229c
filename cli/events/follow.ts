import { parseSse, type SseMessage } from '../../domain/text/sse.js'
import type { Api } from '../client/api.js'
import { CommandError, EXIT, unauthenticatedError } from '../command-error.js'

interface StreamListener {
  /** The stream has a position: list earlier events now, later ones are streamed. */
  onOpen(): Promise<void>
  /** @param data an event as `GET /v1/events/live` sends it */
  onEvent(data: string): void
  /** @param skipped number of events left out; null if unknown */
  onGap(skipped: number | null): void
  /** The connection broke. It is retried after `seconds`. */
  onDisconnect(seconds: number): void
}

const INITIAL_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 8_000
const MAX_RETRY_MS = 45_000
/** The service sends a heartbeat every 15 seconds, and a first message at once. */
const IDLE_TIMEOUT_MS = 40_000
const FIRST_MESSAGE_TIMEOUT_MS = 10_000
/** Codes of a service without the route, or with too many open streams. */
const STREAM_UNSUPPORTED_CODES = [
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'VALIDATION_FAILED',
  'RATE_LIMITED',
  'HTTP 404',
]

/**
 * Streams events across reconnects, without duplicates and with gaps reported by `onGap`, until the signal.
 *
 * @returns false if streaming does not work: then poll instead
 * @throws CommandError if the key is refused or the service stays away
 */
export async function followEvents(
  api: Api,
  event: string | undefined,
  follower: StreamListener,
  signal: AbortSignal,
  clock: {
    readonly now: () => number
    readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  },
): Promise<boolean> {
  let lastEventId: string | undefined
  let pause = INITIAL_BACKOFF_MS
  let heardAt: number | undefined
  for (;;) {
    try {
      const query = event === undefined ? {} : { event }
      const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }
      const stream = await api.stream('streamEvents', { query }, headers, signal)
      let heard = false
      let silence = setTimeout(stream.end, FIRST_MESSAGE_TIMEOUT_MS)
      const alive = async function* (): AsyncGenerator<Buffer> {
        for await (const chunk of stream.body) {
          clearTimeout(silence)
          silence = setTimeout(stream.end, IDLE_TIMEOUT_MS)
          heard = true
          heardAt = clock.now()
          pause = INITIAL_BACKOFF_MS
          yield chunk
        }
      }
      try {
        for await (const message of parseSse(alive())) {
          dispatch(message, follower)
          // Not on connect: an event stored before the first position would be neither listed nor streamed.
          if (lastEventId === undefined && message.id !== undefined) await follower.onOpen()
          lastEventId = message.id ?? lastEventId
        }
      } catch (error) {
        if (error instanceof CommandError || signal.aborted) throw error
      } finally {
        clearTimeout(silence)
        stream.end()
      }
      if (!heard) return false
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode === EXIT.unauthenticated) throw error
      // The service was set up anew and does not know the position: start from now.
      if (error.code === 'VALIDATION_FAILED' && lastEventId !== undefined) lastEventId = undefined
      else if (STREAM_UNSUPPORTED_CODES.includes(error.code ?? '')) return false
      else if (heardAt === undefined || clock.now() - heardAt + pause > MAX_RETRY_MS) throw error
    }
    signal.throwIfAborted()
    follower.onDisconnect(pause / 1_000)
    await clock.sleep(pause, signal)
    pause = Math.min(pause * 2, MAX_BACKOFF_MS)
  }
}

function dispatch({ name, data }: SseMessage, follower: StreamListener): void {
  if (name === 'event') follower.onEvent(data)
  else if (name === 'gap') follower.onGap((JSON.parse(data) as { skipped: number | null }).skipped)
  else if (name === 'end') {
    const { code, message } = JSON.parse(data) as { code: string; message: string }
    if (code === 'UNAUTHENTICATED')
      throw unauthenticatedError(message, code, ['try: svc login, or another key in SVC_API_KEY'])
  }
}
