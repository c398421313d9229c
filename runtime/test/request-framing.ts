import t from 'tap'
import { RequestFraming } from '../request-framing.js'

function framing(method: string, ...headers: readonly string[]): RequestFraming {
  const read = new RequestFraming(method)
  for (const header of headers) {
    const [name = '', value = ''] = header.split(/: ?(.*)/)
    read.header(name.toLowerCase(), value)
  }
  return read
}

t.test('a request whose end is known keeps its connection', (t) => {
  for (const usual of [
    framing('POST', 'Content-Length: 5'),
    framing('post', 'Content-Length: 0', 'Connection: keep-alive'),
    framing('POST', 'Content-Length: 5', 'Content-Length: 5'),
    framing('GET'),
    framing('HEAD', 'Connection: upgrade, keep-alive'),
    framing('DELETE', 'Connection: enclose, close-not, x-close'),
    framing('OPTIONS', 'Host: close'),
  ]) {
    t.notOk(usual.isAmbiguous)
    t.notOk(usual.endsConnection)
  }
  t.end()
})

t.test('a request without a reliable length, or with Connection: close, closes its connection', (t) => {
  for (const ending of [
    framing('POST'),
    framing('put'),
    framing('Patch', 'Host: x'),
    framing('POST', 'Transfer-Encoding: chunked'),
    framing('GET', 'Transfer-Encoding: Chunked'),
    framing('POST', 'Content-Length: 5', 'Connection: close'),
    framing('GET', 'Connection: CLOSE'),
    framing('GET', 'Connection: keep-alive,close'),
    framing('GET', 'Connection: close , x'),
    framing('GET', 'Connection: close', 'Connection: keep-alive'),
  ]) {
    t.notOk(ending.isAmbiguous)
    t.ok(ending.endsConnection)
  }
  t.end()
})

t.test('a request with contradictory framing is ambiguous', (t) => {
  for (const ambiguous of [
    framing('POST', 'Content-Length: 5', 'Content-Length: 6'),
    framing('POST', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    framing('GET', 'Transfer-Encoding: chunked', 'Content-Length: 5'),
    framing('POST', 'Transfer-Encoding: '),
    framing('POST', 'Transfer-Encoding: ', 'Content-Length: 5'),
    framing('POST', 'Transfer-Encoding: gzip, chunked'),
    framing('POST', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
  ])
    t.ok(ambiguous.isAmbiguous)
  t.end()
})
