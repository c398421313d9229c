import type { IncomingMessage } from 'node:http'

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  /** How long the whole exchange may take. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/**
 * One exchange, without redirects: a key goes to nobody else than it was meant for. Node's `fetch` takes longer to load than a short command to run, hence the
 * modules below it.
 *
 * @throws the error of the system (`code` is ECONNREFUSED and the like, ETIMEDOUT after `timeoutMs`)
 */
export async function exchange(request: HttpRequest): Promise<HttpAnswer> {
  const { request: open } =
    request.url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const sent = open(request.url, {
      method: request.method,
      headers: {
        ...request.headers,
        ...(request.body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(request.body)) }),
      },
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    })
    const late = setTimeout(() => {
      const seconds = Math.round(request.timeoutMs / 1_000)
      sent.destroy(Object.assign(new Error(`no answer within ${seconds} s`), { code: 'ETIMEDOUT' }))
    }, request.timeoutMs)
    const fail = (error: Error): void => {
      clearTimeout(late)
      reject(error)
    }
    sent.on('error', fail)
    sent.on('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () => {
        clearTimeout(late)
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
          ),
          text: Buffer.concat(chunks).toString('utf8'),
        })
      })
    })
    sent.end(request.body)
  })
}
