// The shop's server: pages, orders, and the relay between its pages and svc.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { nodeHandler } from 'svc-relay'

const { SHOP_PORT = '8090', INGEST_URL = 'http://127.0.0.1:8080', SERVER_KEY = '' } = process.env
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' }

const relay = nodeHandler({ ingestUrl: INGEST_URL, serverKey: SERVER_KEY })

/** Sends one event. The insertId makes a repeated request harmless. */
async function track(event, ids, properties = {}) {
  const body = JSON.stringify({ events: [{ event, ...ids, insertId: randomUUID(), properties }] })
  const headers = { authorization: `Bearer ${SERVER_KEY}`, 'content-type': 'application/json' }
  for (let pause = 100; ; pause *= 2) {
    const answer = await fetch(`${INGEST_URL}/v1/events`, { method: 'POST', headers, body }).catch(() => null)
    if (answer?.status === 202) return
    if (pause > 3_000) throw new Error(`${event} could not be sent: ${answer?.status ?? 'no answer'}`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** The ids of the visitor: the experiments' cookie, the signed-in customer, or both. */
function whoIs({ headers }) {
  const cookie = (name) => new RegExp(`(?:^|; )${name}=([^;]+)`).exec(headers.cookie ?? '')?.[1]
  const [anonymousId, customer] = [cookie('svc_id'), cookie('customer')]
  return { ...(anonymousId && { anonymousId }), ...(customer && { userId: decodeURIComponent(customer) }) }
}

async function formOf(request) {
  let text = ''
  for await (const chunk of request) text += chunk
  return new URLSearchParams(text)
}

function redirect(response, location, headers = {}) {
  response.writeHead(303, { location, ...headers }).end()
}

const routes = {
  'POST /sign-in': async (request, response) => {
    const userId = (await formOf(request)).get('email') ?? ''
    await track('signed_in', { ...whoIs(request), userId })
    redirect(response, '/', { 'set-cookie': `customer=${encodeURIComponent(userId)}; Path=/; HttpOnly` })
  },
  'POST /orders': async (request, response) => {
    const total = Number((await formOf(request)).get('total'))
    const ids = whoIs(request)
    // A visitor without cookies is a person too.
    await track('order_placed', Object.keys(ids).length > 0 ? ids : { anonymousId: randomUUID() }, { total })
    redirect(response, '/thanks.html')
  },
  // Shows the shop as another visitor.
  'GET /as': async (request, response) => {
    const visitor = new URL(request.url, 'http://shop').searchParams.get('visitor') ?? ''
    redirect(response, '/', { 'set-cookie': `svc_id=${encodeURIComponent(visitor)}; Path=/` })
  },
}

async function page(path, response) {
  const file = path === '/' ? '/index.html' : path
  const type = TYPES[extname(file)]
  const content =
    type && /^\/[a-z-]+\.[a-z]+$/.test(file)
      ? await readFile(new URL(`public${file}`, import.meta.url)).catch(() => null)
      : null
  if (content === null) response.writeHead(404).end('not found\n')
  else response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content)
}

const server = createServer((request, response) => {
  const path = request.url.split('?', 1)[0]
  if (path.startsWith('/_svc/')) {
    relay(request, response)
    return
  }
  const route = routes[`${request.method} ${path}`]
  const done = route ? route(request, response) : page(path, response)
  done.catch((error) => {
    process.stderr.write(`${error.message}\n`)
    if (!response.headersSent) response.writeHead(502)
    response.end()
  })
})

server.listen(Number(SHOP_PORT), '127.0.0.1', () => {
  process.stdout.write(`shop ready http://127.0.0.1:${server.address().port}\n`)
})

process.once('SIGTERM', async () => {
  server.close()
  server.closeIdleConnections()
  await relay.close()
  process.exit(0)
})
