// Mounts the relay in a fetch handler, as Cloudflare Workers and similar runtimes call it.
import { fetchHandler } from '../relay/index.mjs' // in your site: 'svc-relay'

let relay

function site() {
  const page = '<!doctype html><script src="/_svc/state.js"></script><h1>A shop</h1>'
  return new Response(page, { headers: { 'content-type': 'text/html; charset=utf-8' } })
}

export default {
  fetch(request, env, context) {
    relay ??= fetchHandler({ ingestUrl: env.SVC_INGEST_URL, serverKey: env.SVC_SERVER_KEY })
    const { pathname } = new URL(request.url)
    // The context lets the relay go on after the answer; there are no timers to rely on.
    return pathname.startsWith('/_svc/') ? relay(request, context) : site(request)
  },
}
