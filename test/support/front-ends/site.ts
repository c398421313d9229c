import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import type { Test } from 'tap'
import { nodeHandler } from '../../../relay/test/support/ingestion.js'
import { callAgain, type RunningService, until } from '../service.js'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
}

/** Event that the site's server makes of a post from the page to `/buy`: the conversion. */
export const BOUGHT = 'bought'

/** A site's own server: the files of a folder, the relay, and the events that it sends itself. */
export async function serveSite(
  t: Test,
  folder: string,
  service: RunningService,
  // The browsers of tests are headless and identify as such by default.
  { ignoreCrawlers = false } = {},
): Promise<string> {
  const { ingest, keys } = service
  const relay = nodeHandler({ ingestUrl: ingest, serverKey: keys.serverKey, ignoreCrawlers })
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    if (path.startsWith('/_svc/')) relay(request, response)
    else if (path === '/buy')
      void buy(request, service).then((status) => response.writeHead(status === 202 ? 204 : 502).end())
    else {
      const file = normalize(path.endsWith('/') ? `${path}index.html` : path)
      readFile(join(folder, file)).then(
        (content) =>
          response
            .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
            .end(content),
        () => response.writeHead(404).end(),
      )
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The first page waits a second at most, which is too little on a busy machine.
  await relay.ready()
  await until(
    async () => relay.state(),
    (state) => state !== null,
  )
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await relay.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function buy(request: IncomingMessage, { ingest, keys }: RunningService): Promise<number> {
  const anonymousId = /(?:^|; )svc_id=([^;]+)/.exec(request.headers.cookie ?? '')?.[1]
  const events = [{ event: BOUGHT, anonymousId, insertId: randomUUID() }]
  return (await callAgain(keys.serverKey, 'POST', () => `${ingest}/v1/events`, { events })).status
}
