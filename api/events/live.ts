import { Type } from '@sinclair/typebox'
import { validationFailed } from '../../management/domain-errors.js'
import type { LiveMessage, LiveReader } from '../../management/live-events/index.js'
import { EventNameSchema } from '../funnels/schemas.js'
import { toHttpError } from '../http/error-mapping.js'
import type { ResponseStream } from '../http/response-stream.js'
import { type ApiRequest, defineRoute } from '../http/route.js'
import { closed } from '../http/schemas.js'

/** How long a stream goes on while its key cannot be checked. */
const UNCERTAIN_MS = 5_000

const DESCRIPTION = `A stream of server-sent events (\`text/event-stream\`) that goes on until either side ends it. Each has a name, JSON as data, and an id if it moves the reader's position:

- \`event\`: an event as in \`GET /events\`, within about a second of being stored.
- \`rate\`: \`{ "now", "counts": [{ "at", "count" }] }\`, events received per second. The first one has every second of the last five minutes with events; later ones have the new totals of the seconds that changed. Once the first one has arrived, the stream and what \`GET /events\` lists from then on leave nothing out.
- \`gap\`: \`{ "skipped" }\`, the number of events left out: of more than 200 in a second, or 512 KiB, only the newest are sent. \`null\` if the number is unknown.
- \`end\`: \`{ "code", "message" }\`, why the service ends the stream: the key was revoked (\`UNAUTHENTICATED\`), or the server stops (\`UNAVAILABLE\`).

The id is an opaque position. A reader that reconnects within an hour and sends the last one as \`Last-Event-ID\` gets what it missed, without repetition: up to 1,000 events in full, beyond that the newest 200 after a \`gap\`. After more than an hour there is a \`gap\` of \`null\`. Blocks of events are stored in any order, so events are in order of receipt only within a second. Comments keep the connection alive; a reader that reads nothing for half a minute is disconnected. Events that an operator replays are listed, not streamed. A workspace may have 20 open streams, and fewer if the service has few left.`

const EXAMPLE = `event: event
id: AYDWzNfKM4CuzdLKMw
data: {"id":"0199a1c0-7b1e-7c3a-9d52-6f1c2b3a4d5e","event":"order_paid","userId":"u-17","anonymousId":null,"personId":"user:u-17","properties":{"total":49.9},"timestamp":"2026-11-21T09:29:58.120Z","originalTimestamp":"2026-11-21T09:29:58.120Z","timestampAdjustment":"none","receivedAt":"2026-11-21T09:29:58.311Z","insertId":"019c2f4e-8a35-7f08-8e17-b2a95d6c3f40","sdkVersion":null}

event: rate
id: AYDWzNfKM4CuzdLKMx
data: {"now":"2026-11-21T09:29:59.000Z","counts":[{"at":"2026-11-21T09:29:58.000Z","count":1}]}

`

export const streamEventsRoute = defineRoute('GET /events/live', 'streamEvents', {
  tag: 'Events',
  summary: 'Stream events as they arrive',
  description: DESCRIPTION,
  query: closed({
    event: Type.Optional({ ...EventNameSchema, description: 'Only events of this name, and their rate' }),
  }),
  headers: [
    {
      name: 'Last-Event-ID',
      description: 'Continues after this id of an earlier stream of the workspace',
      schema: Type.String(),
    },
  ],
  errors: ['RATE_LIMITED'],
  responses: {
    200: {
      description: 'The stream',
      contentType: 'text/event-stream',
      schema: Type.String(),
      example: EXAMPLE,
    },
  },
  handler({ query, header, services, workspaceId, reauthenticate }) {
    const { liveEvents, now } = services
    const last = header('last-event-id') ?? ''
    const cursor = last === '' ? undefined : liveEvents.cursorOf(last, workspaceId)
    if (last !== '' && cursor === undefined)
      throw validationFailed([
        { path: 'header.Last-Event-ID', message: 'must be the id of an event of a stream of this workspace' },
      ])
    const subscription = liveEvents.subscribe(workspaceId, query.event, cursor)
    return Promise.resolve({
      status: 200,
      headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' },
      stream(stream) {
        if (stream === undefined) {
          subscription.unsubscribe()
          return
        }
        stream.signal.addEventListener('abort', () => subscription.unsubscribe())
        stream.write('retry: 2000\n\n')
        subscription.read(readerOf(stream, () => subscription.unsubscribe(), tolerant(reauthenticate, now)))
      },
    })
  },
})

function readerOf(stream: ResponseStream, leave: () => void, mayRead: () => Promise<void>): LiveReader {
  return {
    mayRead,
    send(messages) {
      stream.write(messages.map(textOf).join(''))
    },
    heartbeat(cursor) {
      // An id without data moves the reader's position and is no event.
      stream.write(cursor === undefined ? ':\n\n' : `:\nid: ${cursor}\n\n`)
    },
    get isBackpressured() {
      return stream.isBackpressured
    },
    drained: () => stream.drained(),
    end() {
      leave()
      stream.end()
    },
  }
}

function textOf({ name, data, cursor }: LiveMessage): string {
  return `event: ${name}\n${cursor === undefined ? '' : `id: ${cursor}\n`}data: ${data}\n\n`
}

/** Closes the stream only if the key is refused, or cannot be checked for a while. */
function tolerant(
  reauthenticate: ApiRequest<unknown, unknown, unknown>['reauthenticate'],
  now: () => number,
): () => Promise<void> {
  let certainAt = now()
  return async () => {
    try {
      await reauthenticate()
      certainAt = now()
    } catch (error) {
      const refusal = toHttpError(error)
      if (refusal.status < 500 || now() - certainAt > UNCERTAIN_MS) throw refusal
    }
  }
}
