import { listenHttp } from '../ingest/http/uws.js'

/**
 * The least that any gateway on this HTTP server can cost: skips each request's body and sends a response
 * of the gateway's length. A separate process; it prints its port and exits when standard input ends.
 */
const ANSWER = JSON.stringify({ accepted: 1, requestId: '00000000-0000-7000-8000-000000000000' })

const listener = await listenHttp({
  host: '127.0.0.1',
  port: 0,
  exclusivePort: true,
  handle: (res) => {
    res.onAborted(() => {})
    res.onData((_, isLast) => {
      if (!isLast) return
      res.cork(() => {
        res.writeStatus('202 Accepted')
        res.writeHeader('Content-Type', 'application/json')
        res.writeHeader('X-Request-Id', '00000000-0000-7000-8000-000000000000')
        res.end(ANSWER)
      })
    })
  },
})
process.stdout.write(`${listener.port}\n`)
process.stdin.resume()
process.stdin.once('end', () => process.exit(0))
