import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { type HttpListener, listenHttp } from '../uws.js'

const HOST = '127.0.0.1'

function listen(port: number, exclusivePort: boolean): Promise<HttpListener> {
  return listenHttp({
    host: HOST,
    port,
    exclusivePort,
    handle: (res) => {
      res.onAborted(() => {})
      res.end('here')
    },
  })
}

/** The server closes first, so its side of the connection stays in TIME_WAIT for a minute. */
async function answerAndClose(listener: HttpListener): Promise<void> {
  const socket = connect(listener.port, HOST)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  const closed = once(socket, 'close')
  listener.closeConnections()
  await closed
}

t.test('a port can be reused at once, also one that the system chose', async (t) => {
  for (const exclusive of [true, false]) {
    const first = await listen(0, exclusive)
    await answerAndClose(first)
    const again = await listen(first.port, exclusive)
    t.equal(again.port, first.port)
    await answerAndClose(again)
  }
})

t.test('a port is shared on request, also one that the system chose', async (t) => {
  const first = await listen(0, false)
  const second = await listen(first.port, false)
  t.equal(second.port, first.port)
  first.closeConnections()
  second.closeConnections()
})

t.test('an exclusive port is refused to others', async (t) => {
  const first = await listen(0, true)
  await t.rejects(listen(first.port, true), /the port is in use/)
  first.closeConnections()
})
