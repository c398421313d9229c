import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  authorization: string | undefined
  body: {
    model: string
    messages: { role: string; content: string }[]
    response_format?: { type: string }
    max_tokens?: number
    max_completion_tokens?: number
  }
}

/** How one request is answered: with a text of the model, with a status, or badly. */
export type Reply =
  | { says: string; finish?: string; tokens?: number }
  | { status: number; message?: string; headers?: Record<string, string> }
  | { raw: string }
  | 'cut'
  | 'hang up'
  | 'silence'

/**
 * An endpoint that answers as it is told, one reply a request, the last one from then on; and keeps what it
 * was asked.
 */
export async function llmServer(...replies: (Reply | ((asked: Asked) => Reply))[]): Promise<{
  url: string
  asked: Asked[]
  close(): Promise<void>
}> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          choices: [
            {
              message: { role: 'assistant', content: reply.says },
              finish_reason: reply.finish ?? 'stop',
            },
          ],
          ...(reply.tokens === undefined ? {} : { usage: { total_tokens: reply.tokens } }),
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
