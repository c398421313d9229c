import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { bucketOf, variantIndexOf } from '../../../../domain/bucketing.js'
import { nodeHandler, startIngestion } from '../../../../relay/test/support/ingestion.js'
import { until } from '../../../../test/support/service.js'

export const EXPOSURES = '/_svc/exposures'
export const STATE = '/_svc/state.js'

/** A text at a path, or its request handler. Texts are HTML, or scripts by their extension. */
export type Route = string | ((request: IncomingMessage, response: ServerResponse) => void)

export interface Site {
  readonly url: string
  readonly routes: Map<string, Route>
  /** Sets the experiments in `state.js`. Null: svc has not answered yet. */
  serve(experiments: Readonly<Record<string, true | string>> | null): void
  /** Posts that reached the exposures path. */
  posts(): number
  /** `visitor variant` of the durable exposures, once there are `expected`. Waits a moment for more. */
  exposures(experiment: string, expected: number): Promise<string[]>
  /** Answers exposures with this status instead of the relay's. */
  answerWith(status: number | undefined): void
}

/** A site with the relay for exposures in front of the real gateway. Its state changes immediately. */
export async function startSite(t: Test): Promise<Site> {
  const ingestion = await startIngestion(t)
  // The browsers of tests are headless.
  const settings = { ignoreCrawlers: false }
  const relay = nodeHandler({ ingestUrl: ingestion.url, serverKey: ingestion.serverKey, ...settings })
  const routes = new Map<string, Route>()
  let posts = 0
  let instead: number | undefined
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    if (path === EXPOSURES) {
      posts++
      if (instead === undefined) relay(request, response)
      else response.writeHead(instead).end()
      return
    }
    const route = routes.get(path)
    if (path === '/favicon.ico') response.writeHead(204).end()
    else if (route === undefined) response.writeHead(404).end()
    else if (typeof route === 'function') route(request, response)
    else response.writeHead(200, headersOf(path)).end(route)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await relay.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    routes,
    serve(experiments) {
      const state = experiments && { version: 1, experiments }
      routes.set(STATE, (_, response) => {
        response.writeHead(200, { ...headersOf(STATE), 'cache-control': 'no-store' })
        response.end(`globalThis.svcState=${JSON.stringify(state)}`)
      })
    },
    posts: () => posts,
    async exposures(experiment, expected) {
      const read = () => ingestion.recorded().filter(({ properties }) => properties.experiment === experiment)
      await until(
        async () => read().length,
        (count) => count >= expected,
      )
      await sleep(200)
      return read().map(({ anonymousId, properties }) => `${anonymousId} ${properties.variant}`)
    },
    answerWith(status) {
      instead = status
    },
  }
}

/** Headers of a careful site: only its own scripts and styles. */
export function headersOf(path: string): Record<string, string> {
  const type = path.endsWith('.js') ? 'text/javascript' : path.endsWith('.css') ? 'text/css' : 'text/html'
  return {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': "default-src 'self'; script-src 'self'; style-src 'self'",
  }
}

/** A visitor for each variant of an experiment. */
export function visitorsOf(
  experiment: string,
  splits: Readonly<Record<string, number>>,
): Map<string, string> {
  const names = Object.keys(splits)
  const found = new Map<string, string>()
  for (let i = 0; found.size < names.length; i++) {
    const index = variantIndexOf(bucketOf(experiment, `visitor-${i}`), Object.values(splits))
    const name = names[index] ?? ''
    if (!found.has(name)) found.set(name, `visitor-${i}`)
  }
  return found
}
