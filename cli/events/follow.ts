import type { Api } from '../client/api.js'
import { CommandError, EXIT, unauthenticatedError } from '../command-error.js'
import { parseSse, type SseMessage } from './sse.js'

/** What is told of the events that arrive. */
export interface StreamListener {
  /** The stream has its place: what is there already is listed by whoever wants it, and what comes after is told. */
  onOpen(): Promise<void>
  /** @param data an event as `GET /v1/events/live` sends it */
  onEvent(data: string): void
  /** @param skipped how many were left out; null where nobody knows */
  onGap(skipped: number | null): void
  /** The connection broke, and is tried again. */
  onDisconnect(seconds: number): void
}

const INITIAL_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 8_000
/** A service that is gone for longer ends the command, as it ends any other. */
const MAX_RETRY_MS = 45_000
/** The service shows that it lives every fifteen seconds, and says something at once. */
const IDLE_TIMEOUT_MS = 40_000
const FIRST_MESSAGE_TIMEOUT_MS = 10_000
/** What a service says that cannot stream, or not once more: it has no such route, or too many streams are open. */
const STREAM_UNSUPPORTED_CODES = [
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'VALIDATION_FAILED',
  'RATE_LIMITED',
  'HTTP 404',
]

/**
 * Follows the events as they arrive, over breaks of the connection, until the signal. Nothing comes twice and nothing is left out but what `gap` says.
 *
 * @returns false where the service does not stream to us, or something in between holds the stream back: then they have to be listed again and again
 * @throws CommandError where the key is refused, or the service stays away
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
          // Not when it is opened: an event that is stored before it has its place would be neither listed nor streamed.
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
      // A place that this service does not know, because it was set up anew: from now on, then.
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
