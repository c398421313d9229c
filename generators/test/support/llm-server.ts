import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Asked {
  authorization: string | undefined
  body: {
    model: string
    messages: { role: string; content: string }[]
    response_format?: { type: string }
    max_tokens?: number
    max_completion_tokens?: number
    stream?: boolean
    stream_options?: object
    reasoning_effort?: string
  }
}

/**
 * How one request is answered: with a text of the model, with a status, or badly. A text is streamed unless
 * it is `whole`; with `stops`, the connection breaks after it.
 */
export type Reply =
  | { says: string; finish?: string; tokens?: number; whole?: boolean; stops?: boolean; thinks?: string }
  | { status: number; message?: string; headers?: Record<string, string> }
  | { raw: string }
  | 'cut'
  | 'hang up'
  | 'silence'

/**
 * An endpoint that answers as it is told, one reply a request, the last one from then on; and keeps what it
 * was asked. As servers do after some idle seconds, it closes a connection that is used again.
 */
export async function llmServer(...replies: (Reply | ((asked: Asked) => Reply))[]): Promise<{
  url: string
  asked: Asked[]
  close(): Promise<void>
}> {
  const asked: Asked[] = []
  const used = new WeakSet<Socket>()
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (used.has(request.socket)) {
      request.socket.destroy()
      return
    }
    used.add(request.socket)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const one: Asked = {
      authorization: request.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
    }
    if (request.url !== '/v1/chat/completions') throw new Error(`asked for ${request.url ?? ''}`)
    asked.push(one)
    const next = replies[Math.min(asked.length, replies.length) - 1]
    const reply = typeof next === 'function' ? next(one) : (next ?? 'silence')
    if (reply === 'silence') return
    if (reply === 'hang up') {
      request.socket.destroy()
      return
    }
    if (reply === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' })
      response.write('{"choices":[{"message":{"content":"{\\"propo')
      setTimeout(() => request.socket.destroy(), 20)
      return
    }
    if ('raw' in reply) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(reply.raw)
    } else if ('status' in reply) {
      response
        .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
        .end(JSON.stringify({ error: { message: reply.message ?? 'no' } }))
    } else if (reply.whole !== true && one.body.stream === true) stream(reply, response)
    else {
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          choices: [
            {
              message: { role: 'assistant', content: reply.says },
              finish_reason: reply.finish ?? 'stop',
            },
          ],
          ...usageOf(reply),
        }),
      )
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Says = Extract<Reply, { says: string }>

const usageOf = ({ tokens }: Says): object =>
  tokens === undefined ? {} : { usage: { prompt_tokens: tokens - 100, completion_tokens: 100 } }

/** Server-sent events, cut at odd places. */
function stream(reply: Says, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
  const delta = (content: object): string => event({ choices: [{ index: 0, delta: content }] })
  const half = Math.ceil(reply.says.length / 2)
  const text = [
    ': keep-alive\n\n',
    ...(reply.thinks === undefined ? [] : [delta({ reasoning_content: reply.thinks })]),
    delta({ role: 'assistant', content: reply.says.slice(0, half) }),
    delta({ content: reply.says.slice(half) }),
    ...(reply.stops === true
      ? []
      : [
          event({ choices: [{ index: 0, delta: {}, finish_reason: reply.finish ?? 'stop' }] }),
          event({ choices: [], ...usageOf(reply) }),
          'data: [DONE]\n\n',
        ]),
  ].join('')
  const middle = Math.floor(text.length / 3)
  response.write(text.slice(0, middle))
  response.write(text.slice(middle), () => {
    if (reply.stops === true) response.destroy()
    else response.end()
  })
}
