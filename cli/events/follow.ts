import type { Api } from '../client/api.js'
import { CommandFailure, EXIT } from '../failure.js'
import { type Message, readMessages } from './messages.js'

/** What is told of the events that arrive. */
export interface Follower {
  /** The stream has its place: what is there already is listed by whoever wants it, and what comes after is told. */
  begun(): Promise<void>
  /** @param data an event as `GET /v1/events/live` sends it */
  event(data: string): void
  /** @param skipped how many were left out; null where nobody knows */
  gap(skipped: number | null): void
  /** The connection broke, and is tried again. */
  broken(seconds: number): void
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 8_000
/** A service that is gone for longer ends the command, as it ends any other. */
const PATIENCE_MS = 45_000
/** The service shows that it lives every fifteen seconds, and says something at once. */
const SILENT_MS = 40_000
const FIRST_WORD_MS = 10_000
/** What a service says that cannot stream, or not once more: it has no such route, or too many streams are open. */
const NO_STREAM = ['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'VALIDATION_FAILED', 'RATE_LIMITED', 'HTTP 404']

/**
 * Follows the events as they arrive, over breaks of the connection, until the signal. Nothing comes twice and nothing is left out but what `gap` says.
 *
 * @returns false where the service does not stream to us, or something in between holds the stream back: then they have to be listed again and again
 * @throws CommandFailure where the key is refused, or the service stays away
 */
export async function followEvents(
  api: Api,
  event: string | undefined,
  follower: Follower,
  signal: AbortSignal,
  clock: {
    readonly now: () => number
    readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  },
): Promise<boolean> {
  let place: string | undefined
  let pause = FIRST_PAUSE_MS
  let heardAt: number | undefined
  for (;;) {
    try {
      const query = event === undefined ? {} : { event }
      const headers = place === undefined ? {} : { 'Last-Event-ID': place }
      const stream = await api.stream('streamEvents', { query }, headers, signal)
      let heard = false
      let silence = setTimeout(stream.end, FIRST_WORD_MS)
      const alive = async function* (): AsyncGenerator<Buffer> {
        for await (const chunk of stream.body) {
          clearTimeout(silence)
          silence = setTimeout(stream.end, SILENT_MS)
          heard = true
          heardAt = clock.now()
          pause = FIRST_PAUSE_MS
          yield chunk
        }
      }
      try {
        for await (const message of readMessages(alive())) {
          tell(message, follower)
          // Not when it is opened: an event that is stored before it has its place would be neither listed nor streamed.
          if (place === undefined && message.id !== undefined) await follower.begun()
          place = message.id ?? place
        }
      } catch (error) {
        if (error instanceof CommandFailure || signal.aborted) throw error
      } finally {
        clearTimeout(silence)
        stream.end()
      }
      if (!heard) return false
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.exitCode === EXIT.unauthenticated) throw error
      // A place that this service does not know, because it was set up anew: from now on, then.
      if (error.code === 'VALIDATION_FAILED' && place !== undefined) place = undefined
      else if (NO_STREAM.includes(error.code ?? '')) return false
      else if (heardAt === undefined || clock.now() - heardAt + pause > PATIENCE_MS) throw error
    }
    signal.throwIfAborted()
    follower.broken(pause / 1_000)
    await clock.sleep(pause, signal)
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
}

function tell({ name, data }: Message, follower: Follower): void {
  if (name === 'event') follower.event(data)
  else if (name === 'gap') follower.gap((JSON.parse(data) as { skipped: number | null }).skipped)
  else if (name === 'end') {
    const { code, message } = JSON.parse(data) as { code: string; message: string }
    if (code === 'UNAUTHENTICATED')
      throw new CommandFailure(EXIT.unauthenticated, message, code, [
        'try: svc login, or another key in SVC_API_KEY',
      ])
  }
}
