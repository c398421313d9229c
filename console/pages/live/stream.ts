import type { Schema } from '../../client/api'
import { type ApiError, responseError, toApiError } from '../../client/api-error'
import { currentToken, signOut } from '../../client/session'

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

interface Message {
  readonly name: string
  readonly data: string
}

const INITIAL_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 15_000
/** The service sends a heartbeat every 15 seconds. */
const IDLE_TIMEOUT_MS = 40_000

/**
 * Streams events across reconnects. Not `EventSource`, which can send a token only in the address.
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
    let failure: ApiError
    try {
      const response = await open(event, lastId, stopped)
      reader.state(undefined)
      failures = 0
      lastId = await read(response, lastId, reader, stopped)
      failure = toApiError(new TypeError('ended'))
    } catch (thrown) {
      if (stopped.aborted) return
      failure =
        thrown instanceof StreamInterruptedError ? toApiError(new TypeError('ended')) : asFailure(thrown)
      if (thrown instanceof StreamInterruptedError) lastId = thrown.lastId
    }
    if (stopped.aborted) return
    if (failure.status === 401) {
      signOut('The session has ended. Sign in again to continue.')
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

class StreamInterruptedError extends Error {
  constructor(readonly lastId: string | undefined) {
    super()
  }
}

function asFailure(thrown: unknown): ApiError {
  return toApiError(thrown instanceof DOMException ? new TypeError(thrown.message) : thrown)
}

async function open(event: string, lastId: string | undefined, signal: AbortSignal): Promise<Response> {
  const query = event === '' ? '' : `?event=${encodeURIComponent(event)}`
  const response = await fetch(`/v1/events/live${query}`, {
    signal,
    headers: {
      Authorization: `Bearer ${currentToken() ?? ''}`,
      ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }),
    },
  })
  if (response.ok) return response
  throw responseError(response, await response.json().catch(() => undefined))
}

/** Reads to the end and returns the last id. */
async function read(
  response: Response,
  from: string | undefined,
  reader: StreamListener,
  stopped: AbortSignal,
): Promise<string | undefined> {
  const bytes = response.body?.getReader()
  if (bytes === undefined) return from
  const decoder = new TextDecoder()
  let lastId = from
  let text = ''
  const silence = setSilence(() => void bytes.cancel())
  try {
    for (;;) {
      const { done, value } = await bytes.read()
      if (done || stopped.aborted) return lastId
      silence.heard()
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const { id, message } = parse(block)
        if (message !== undefined) dispatch(message, reader)
        lastId = id ?? lastId
      }
    }
  } catch {
    throw new StreamInterruptedError(lastId)
  } finally {
    silence.end()
  }
}

function parse(block: string): { readonly id: string | undefined; readonly message: Message | undefined } {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''))
  }
  const data = fields.get('data')
  return {
    id: fields.get('id'),
    message: data === undefined ? undefined : { name: fields.get('event') ?? '', data },
  }
}

function dispatch({ name, data }: Message, reader: StreamListener): void {
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

function setSilence(call: () => void): { heard(): void; end(): void } {
  let timer = setTimeout(call, IDLE_TIMEOUT_MS)
  return {
    heard() {
      clearTimeout(timer)
      timer = setTimeout(call, IDLE_TIMEOUT_MS)
    },
    end: () => clearTimeout(timer),
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
