import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export type Experiments = Readonly<Record<string, true | string>>

/** The response to a poll. `hang` never responds, `waitMs` responds late. */
export type Step =
  | { readonly experiments: Experiments; readonly waitMs?: number }
  | { readonly status: number; readonly body?: string }
  | 'hang'

export interface StandIn {
  readonly url: string
  /** Monotonic times of the polls in milliseconds, with their ETags and keys. */
  readonly asked: {
    readonly at: number
    readonly etag: string | undefined
    readonly key: string | undefined
  }[]
  /** Exposures passed on. */
  readonly events: { readonly insertId: string; readonly anonymousId: string }[]
  /** Sets the response from now on. */
  answer(step: Step): void
}

/** A stand-in for svc's ingestion port that serves a state and accepts exposures. */
export async function startStandIn(t: Test, first: Step): Promise<StandIn> {
  const asked: StandIn['asked'] = []
  const events: StandIn['events'] = []
  let step = first
  const state = (response: ServerResponse, experiments: Experiments, known: string | undefined): void => {
    const body = JSON.stringify({ version: 1, experiments })
    const etag = `"${Buffer.from(body).toString('base64url')}"`
    if (known === etag) response.writeHead(304, { etag }).end()
    else response.writeHead(200, { 'content-type': 'application/json', etag }).end(body)
  }
  const server = createServer((request, response) => {
    if (request.url !== '/v1/serving') {
      let body = ''
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      request.on('end', () => {
        events.push(...(JSON.parse(body) as { events: StandIn['events'] }).events)
        response.writeHead(202).end('{}')
      })
      return
    }
    const known = request.headers['if-none-match']
    asked.push({ at: performance.now(), etag: known, key: request.headers.authorization })
    if (step === 'hang') return
    if ('status' in step) {
      response.writeHead(step.status).end(step.body ?? '{}')
      return
    }
    const { experiments, waitMs = 0 } = step
    if (waitMs === 0) state(response, experiments, known)
    else setTimeout(() => state(response, experiments, known), waitMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    events,
    answer: (next) => {
      step = next
    },
  }
}
