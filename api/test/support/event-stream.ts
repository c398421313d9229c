import { type ClientRequest, type IncomingMessage, request } from 'node:http'

export interface StreamMessage {
  readonly name: string
  readonly id: string | undefined
  readonly data: Record<string, unknown>
}

export interface EventStream {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly messages: readonly StreamMessage[]
  /** The last id of a message or heartbeat. */
  readonly lastId: () => string | undefined
  /** Names of the events so far. */
  events(): string[]
  /** Resolves when the stream satisfies, or has ended; rejects after some seconds. */
  until(satisfied: (stream: EventStream) => boolean): Promise<void>
  /** Whether the server has ended it. */
  readonly ended: () => boolean
  pause(): void
  resume(): void
  /** Closes the connection as a client does. */
  close(): void
}

const LIMIT_MS = 60_000

/** A stream of server-sent events, parsed as a browser does. */
export function openStream(
  url: string,
  key: string,
  options: {
    readonly path?: string
    readonly lastId?: string | undefined
    readonly method?: string
    readonly cookie?: string
  } = {},
): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const outgoing: ClientRequest = request(
      {
        hostname,
        port,
        path: `/v1${options.path ?? '/events/live'}`,
        method: options.method ?? 'GET',
        agent: false,
        headers: {
          ...(options.cookie === undefined ? { Authorization: `Bearer ${key}` } : { Cookie: options.cookie }),
          ...(options.lastId === undefined ? {} : { 'Last-Event-ID': options.lastId }),
        },
      },
      (incoming) => resolve(readStream(outgoing, incoming)),
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
}

function readStream(outgoing: ClientRequest, incoming: IncomingMessage): EventStream {
  const messages: StreamMessage[] = []
  const watchers = new Set<() => void>()
  let text = ''
  let lastId: string | undefined
  let over = false
  const changed = (): void => {
    for (const watcher of [...watchers]) watcher()
  }
  incoming.setEncoding('utf8')
  incoming.on('data', (chunk: string) => {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .filter((line) => !line.startsWith(':'))
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      text = text.slice(end + 2)
      const id = fields.get('id')
      lastId = id ?? lastId
      const data = fields.get('data')
      if (data !== undefined)
        messages.push({
          name: fields.get('event') ?? '',
          id,
          data: JSON.parse(data) as Record<string, unknown>,
        })
    }
    changed()
  })
  const end = (): void => {
    over = true
    changed()
  }
  incoming.on('end', end)
  incoming.on('close', end)
  incoming.on('error', end)
  const stream: EventStream = {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    messages,
    lastId: () => lastId,
    events: () => messages.filter(({ name }) => name === 'event').map(({ data }) => String(data.event)),
    until: (satisfied) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(look)
          reject(new Error(`not within ${LIMIT_MS} ms; so far ${JSON.stringify(messages).slice(0, 2_000)}`))
        }, LIMIT_MS)
        const look = (): void => {
          if (!satisfied(stream) && !over) return
          clearTimeout(timer)
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    ended: () => over,
    pause: () => incoming.pause(),
    resume: () => incoming.resume(),
    close: () => outgoing.destroy(),
  }
  return stream
}
