import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/** Faults at the first try of a batch: nothing arrives, a part arrives, or its answer is lost. */
const FAULTS = ['before', 'none', 'none', 'within', 'none', 'none', 'after', 'none', 'none'] as const
const FIRST_ID = /"(?:messageId|uuid)": ?"([^"]+)"/

interface CuttingProxy {
  readonly address: string
  /** Connections cut so far. */
  cuts(): number
  close(): void
}

/** Cuts the connection of every third batch once. No batch is cut twice: the clients try only a few times. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const seen = new Set<string>()
  let cuts = 0
  const server = createServer(async (from, answer) => {
    const cut = (): void => {
      cuts++
      from.socket.destroy()
    }
    const body = await buffer(from)
    const text = (body[0] === 0x1f ? gunzipSync(body) : body).toString()
    const id = FIRST_ID.exec(text)?.[1] ?? text
    const fault = seen.has(id) ? 'none' : FAULTS[seen.size % FAULTS.length]
    seen.add(id)
    if (fault === 'before') {
      cut()
      return
    }
    const headers = { ...from.headers, 'content-length': String(body.length), connection: 'close' }
    delete headers['transfer-encoding']
    const onAnswer = (given: IncomingMessage): void => {
      if (fault === 'after') {
        given.resume()
        cut()
        return
      }
      answer.writeHead(given.statusCode ?? 502, { 'content-type': 'application/json' })
      given.pipe(answer)
    }
    const forwarded = request(target + from.url, { method: 'POST', headers }, onAnswer)
    forwarded.on('error', () => from.socket.destroy())
    if (fault !== 'within') {
      forwarded.end(body)
      return
    }
    forwarded.write(body.subarray(0, body.length / 2), () => {
      forwarded.destroy()
      cut()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
