import { Agent, request as httpRequest } from 'node:http'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'

export type Encoding = 'gzip' | 'deflate' | 'br'

/** The sender's knowledge after one attempt. `unsent`: no process listened, so nothing left this one. */
export type Answer =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly body: string
      readonly retryAfter: string | undefined
    }
  | { readonly kind: 'unsent' }
  | { readonly kind: 'broken'; readonly why: string }

/** Keep-alive connections; ended one by one when the service behind them is. */
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** One POST to the gateway. Never rejects, and never sends anything twice by itself. */
export function post(
  url: string,
  key: string,
  body: string,
  { encoding, timeoutMs }: { readonly encoding: Encoding | undefined; readonly timeoutMs: number },
): Promise<Answer> {
  return exchange(url, key, {
    method: 'POST',
    bytes: compress(body, encoding),
    headers: encoding === undefined ? {} : { 'content-encoding': encoding },
    timeoutMs,
  })
}

/** One request with a key. Never rejects, and never sends anything twice by itself. */
export function exchange(
  url: string,
  key: string,
  options: {
    readonly method: string
    readonly bytes: Buffer | undefined
    readonly headers: Readonly<Record<string, string>>
    readonly timeoutMs: number
  },
): Promise<Answer> {
  const { method, bytes, headers, timeoutMs } = options
  return new Promise((resolve) => {
    const outgoing = httpRequest(url, {
      method,
      agent,
      headers: {
        authorization: `Bearer ${key}`,
        ...(bytes === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': bytes.length }),
        ...headers,
      },
    })
    const finish = (answer: Answer): void => {
      clearTimeout(late)
      resolve(answer)
    }
    const late = setTimeout(() => {
      outgoing.destroy()
      finish({ kind: 'broken', why: 'time-out' })
    }, timeoutMs)
    outgoing.once('error', (error: NodeJS.ErrnoException) =>
      finish(
        error.code === 'ECONNREFUSED' ? { kind: 'unsent' } : { kind: 'broken', why: error.code ?? 'error' },
      ),
    )
    outgoing.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.once('error', () => finish({ kind: 'broken', why: 'half an answer' }))
      response.once('end', () =>
        finish({
          kind: 'answer',
          status: response.statusCode ?? 0,
          body: text,
          retryAfter: response.headers['retry-after'],
        }),
      )
    })
    outgoing.end(bytes)
  })
}

function compress(body: string, encoding: Encoding | undefined): Buffer {
  if (encoding === 'gzip') return gzipSync(body)
  if (encoding === 'deflate') return deflateSync(body)
  if (encoding === 'br') return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })
  return Buffer.from(body)
}
