// Mounts the relay in a plain Node server: pages load /_svc/state.js and report exposures to /_svc/exposures.
import { createServer } from 'node:http'
import { nodeHandler } from '../relay/index.mjs' // in your site: 'svc-relay'

const { SVC_INGEST_URL = 'http://127.0.0.1:8080', SVC_SERVER_KEY, PORT = '3000' } = process.env

const relay = nodeHandler({ ingestUrl: SVC_INGEST_URL, serverKey: SVC_SERVER_KEY })

function site(_request, response) {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end('<!doctype html><script src="/_svc/state.js"></script><h1>A shop</h1>')
}

const server = createServer((request, response) => {
  if (request.url.startsWith('/_svc/')) relay(request, response)
  else site(request, response)
})
server.listen(Number(PORT), () => console.log(`http://127.0.0.1:${server.address().port}`))

process.once('SIGTERM', async () => {
  server.close()
  server.closeAllConnections()
  await relay.close() // sends the exposures that still wait
})
