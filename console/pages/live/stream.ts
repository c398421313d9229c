import { parseSse, type SseMessage } from '../../../domain/text/sse.js'
import type { Schema } from '../../client/api'
import { type ApiError, responseError, toApiError } from '../../client/api-error'
import { sessionEnded } from '../../client/session'

export type StoredEvent = Schema<'Event'>

interface StreamListener {
  event(event: StoredEvent): void
  /** Counts by second of receipt in milliseconds. They replace earlier counts. */
  rate(now: number, counts: readonly (readonly [at: number, count: number])[]): void
  /** Number of events left out; null if unknown. */
  gap(skipped: number | null): void
  /** Undefined when connected; the error while reconnecting. */
  state(failure: ApiError | undefined): void
}

const INITIAL_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 15_000
/** The service sends a heartbeat every 15 seconds. */
const IDLE_TIMEOUT_MS = 40_000

/**
 * Streams events across reconnects. Not `EventSource`, which hides why a stream was refused.
 *
 * @param event only events of this name; empty for all
 * @returns a function that stops it
 */
export function openEventStream(event: string, reader: StreamListener): () => void {
  const stop = new AbortController()
  void follow(event, reader, stop.signal)
  return () => stop.abort()
}

/** Never rejects. */
async function follow(event: string, reader: StreamListener, stopped: AbortSignal): Promise<void> {
  let lastId: string | undefined
  for (let failures = 0; !stopped.aborted; ) {
    let failure = toApiError(new TypeError('ended'))
    try {
      const response = await open(event, lastId, stopped)
      reader.state(undefined)
      failures = 0
      for await (const message of parseSse(chunksOf(response))) {
        dispatch(message, reader)
        lastId = message.id ?? lastId
      }
    } catch (thrown) {
      if (stopped.aborted) return
      failure = toApiError(thrown instanceof DOMException ? new TypeError(thrown.message) : thrown)
    }
    if (stopped.aborted) return
    if (failure.status === 401) {
      sessionEnded()
      return
    }
    // The service was set up anew and does not know the id: start from now.
    if (failure.status === 400 && lastId !== undefined) lastId = undefined
    else if (failure.status >= 400 && !failure.isRetryable) {
      reader.state(failure)
      return
    }
    failures++
    if (failures > 1) reader.state(failure)
    await pause(Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** (failures - 1)), stopped)
  }
}

async function open(event: string, lastId: string | undefined, signal: AbortSignal): Promise<Response> {
  const query = event === '' ? '' : `?event=${encodeURIComponent(event)}`
  const response = await fetch(`/v1/events/live${query}`, {
    signal,
    headers: lastId === undefined ? {} : { 'Last-Event-ID': lastId },
  })
  if (response.ok) return response
  throw responseError(response, await response.json().catch(() => undefined))
}

/** Ends with the answer, and when nothing has come for too long. */
async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const bytes = response.body?.getReader()
  if (bytes === undefined) return
  for (;;) {
    const silence = setTimeout(() => void bytes.cancel(), IDLE_TIMEOUT_MS)
    const { done, value } = await bytes.read().finally(() => clearTimeout(silence))
    if (done) return
    yield value
  }
}

function dispatch({ name, data }: SseMessage, reader: StreamListener): void {
  if (name === 'event') reader.event(JSON.parse(data) as StoredEvent)
  else if (name === 'gap') reader.gap((JSON.parse(data) as { skipped: number | null }).skipped)
  else if (name === 'rate') {
    const { now, counts } = JSON.parse(data) as { now: string; counts: { at: string; count: number }[] }
    reader.rate(
      Date.parse(now),
      counts.map(({ at, count }) => [Date.parse(at), count] as const),
    )
  }
}

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    stopped.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
