import { type IncomingMessage, request as requestOverHttp } from 'node:http'
import { request as requestOverTls } from 'node:https'

const MAX_ANSWER_BYTES = 16_000_000
/** Proxies and routers drop connections that are silent while a model thinks. */
const KEEP_ALIVE_MS = 30_000

export interface Posted {
  status: number
  headers: IncomingMessage['headers']
  /** the body as text; throws if the connection breaks, or beyond 16 MB */
  text: AsyncIterable<string>
}

/**
 * Posts JSON, and waits for the answer as long as the signal lets it: `fetch` gives up after 300 silent
 * seconds. Redirects are not followed, since that would send the key to another host. Each request has a
 * connection for itself: one that was idle for some seconds may be closed by the server at any moment.
 * @param onSent called when the whole request was sent
 * @throws connection errors, and the signal's reason
 */
export function postJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  signal: AbortSignal,
  onSent: () => void,
): Promise<Posted> {
  const sent = JSON.stringify(body)
  const request = url.startsWith('https:') ? requestOverTls : requestOverHttp
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(sent)),
        ...headers,
      },
      signal,
    })
    asked.on('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS))
    asked.on('finish', onSent)
    asked.on('error', reject)
    asked.on('response', (response) =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: textOf(response) }),
    )
    asked.end(sent)
  })
}

async function* textOf(response: IncomingMessage): AsyncGenerator<string> {
  let size = 0
  response.setEncoding('utf8')
  for await (const chunk of response) {
    const text = String(chunk)
    size += text.length
    if (size > MAX_ANSWER_BYTES) throw new Error(`more than ${MAX_ANSWER_BYTES} bytes`)
    yield text
  }
}
