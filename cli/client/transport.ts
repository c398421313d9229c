import type { IncomingMessage } from 'node:http'

export interface HttpRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A response whose body is still arriving. */
export interface HttpStream {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Throws if the connection breaks. */
  readonly body: AsyncIterable<Buffer>
  end(): void
}

/**
 * Sends one request. Redirects are not followed, so that the key goes nowhere else. Uses `node:http`,
 * because loading `fetch` takes longer than a short command.
 *
 * @throws the system error, such as ECONNREFUSED, or ETIMEDOUT after `timeoutMs`
 */
export function sendRequest(request: HttpRequest): Promise<HttpResponse> {
  return startRequest(request, (response, resolve, fail) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', fail)
    response.on('end', () => resolve({ ...headOf(response), text: Buffer.concat(chunks).toString('utf8') }))
  })
}

/** Opens a stream. `timeoutMs` covers only the response head; after that only the signal ends the stream. */
export function openStream(request: HttpRequest): Promise<HttpStream> {
  return startRequest(request, (response, resolve) =>
    resolve({ ...headOf(response), body: response, end: () => response.destroy() }),
  )
}

async function startRequest<Answer>(
  request: HttpRequest,
  onResponse: (
    response: IncomingMessage,
    resolve: (answer: Answer) => void,
    fail: (error: Error) => void,
  ) => void,
): Promise<Answer> {
  const { request: startHttp } =
    request.url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const sent = startHttp(request.url, {
      method: request.method,
      headers: {
        ...request.headers,
        ...(request.body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(request.body)) }),
      },
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    })
    const timer = setTimeout(() => {
      const seconds = Math.round(request.timeoutMs / 1_000)
      sent.destroy(Object.assign(new Error(`no answer within ${seconds} s`), { code: 'ETIMEDOUT' }))
    }, request.timeoutMs)
    const fail = (error: Error): void => {
      clearTimeout(timer)
      reject(error)
    }
    sent.on('error', fail)
    sent.on('response', (response: IncomingMessage) =>
      onResponse(
        response,
        (answer) => {
          clearTimeout(timer)
          resolve(answer)
        },
        fail,
      ),
    )
    sent.end(request.body)
  })
}

function headOf(response: IncomingMessage): Pick<HttpResponse, 'status' | 'headers'> {
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    ),
  }
}
