import { request } from 'node:http'
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import HyperExpress from 'hyper-express'
import t from 'tap'
import { freePort } from '../../../test/support/network/free-port.js'
import { waitUntil } from '../../../test/support/wait-until.js'
import { Exchange } from '../exchange.js'
import type { ResponseStream } from '../response-stream.js'

/** A server that answers each request with a stream for the test to write. */
async function openStreams(): Promise<{ port: number; next(): Promise<ResponseStream | undefined> }> {
  const server = new HyperExpress.Server({ auto_close: false })
  const outlets: (ResponseStream | undefined)[] = []
  server.any('/*', (incoming, response) => {
    outlets.push(new Exchange(incoming, response).stream(200, { 'Content-Type': 'text/event-stream' }))
  })
  const port = await freePort()
  await server.listen(port, '127.0.0.1')
  t.teardown(() => {
    server.close()
    ;(server.uws_instance as unknown as { close(): void }).close()
  })
  return {
    port,
    async next() {
      await waitUntil(() => outlets.length > 0)
      return outlets.shift()
    },
  }
}

const streams = await openStreams()

interface Reader {
  text(): string
  pause(): void
  resume(): void
  destroy(): void
  readonly ended: Promise<boolean>
}

function read(): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port: streams.port, host: '127.0.0.1', agent: false }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      const ended = new Promise<boolean>((over) => {
        incoming.on('end', () => over(true))
        incoming.on('close', () => over(false))
      })
      resolve({
        text: () => Buffer.concat(chunks).toString(),
        pause: () => incoming.pause(),
        resume: () => incoming.resume(),
        destroy: () => outgoing.destroy(),
        ended,
      })
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** The head goes out with the first text. */
async function open(): Promise<{ stream: ResponseStream; reader: Reader }> {
  const reading = read()
  const stream = await streams.next()
  if (stream === undefined) throw new Error('the client has gone')
  stream.write(':begin\n\n')
  return { stream, reader: await reading }
}

t.test('messages arrive in order until the stream ends', async (t) => {
  const { stream, reader } = await open()
  for (let i = 0; i < 50; i++) stream.write(`data: ${i} \u{1f600}\n\n`)
  t.notOk(stream.isBackpressured)
  stream.end()
  t.ok(await reader.ended)
  const lines = reader.text().match(/^data: .*$/gm)
  t.strictSame(
    lines,
    Array.from({ length: 50 }, (_, i) => `data: ${i} \u{1f600}`),
  )
  t.ok(stream.isGone)
  stream.write('data: late\n\n')
  stream.end()
  await t.rejects(stream.drained(), { name: 'ClientGoneError' })
})

t.test('the response is chunked correctly, down to the last byte', async (t) => {
  const socket = connect(streams.port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let bytes = ''
  socket.on('data', (chunk) => {
    bytes += chunk.toString()
  })
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const stream = await streams.next()
  stream?.write('data: 1\n\n')
  stream?.end()
  await waitUntil(() => bytes.includes('\r\n0\r\n'))
  t.match(bytes, /\r\n\r\n9\r\ndata: 1\n\n\r\n0\r\n\r\n$/i)
})

t.test('a client that pauses reading causes backpressure, and later gets everything', async (t) => {
  const { stream, reader } = await open()
  reader.pause()
  let written = 0
  // Until the connection's buffers are full.
  while (!stream.isBackpressured) {
    stream.write(`data: ${'x'.repeat(65_536)}\n\n`)
    if (++written % 16 === 0) await turn()
  }
  let caughtUp = false
  const waiting = stream.drained().then(() => {
    caughtUp = true
  })
  // Another stream, written and read after it, ends first.
  const other = await open()
  other.stream.end()
  await other.reader.ended
  t.notOk(caughtUp)
  reader.resume()
  await waiting
  t.notOk(stream.isBackpressured)
  stream.write('data: last\n\n')
  stream.end()
  t.ok(await reader.ended)
  t.equal(reader.text().match(/^data: x{65536}$/gm)?.length, written)
  t.match(reader.text(), /data: last\n\n$/)
})

t.test('a client that goes away aborts the stream, and later writes are ignored', async (t) => {
  const { stream, reader } = await open()
  reader.pause()
  while (!stream.isBackpressured) stream.write(`data: ${'x'.repeat(65_536)}\n\n`)
  const waiting = stream.drained()
  reader.destroy()
  await t.rejects(waiting, { name: 'ClientGoneError' })
  t.ok(stream.signal.aborted)
  t.ok(stream.isGone)
  stream.write('data: late\n\n')
  stream.end()
})

t.test('a client that is behind when its stream ends is cut off', async (t) => {
  const { stream, reader } = await open()
  reader.pause()
  while (!stream.isBackpressured) stream.write(`data: ${'x'.repeat(65_536)}\n\n`)
  stream.end()
  t.ok(stream.isGone)
  reader.resume()
  t.equal(await reader.ended, false)
})
