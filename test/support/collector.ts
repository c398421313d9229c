import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Value {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly arrayValue?: { readonly values: readonly Value[] }
}

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
}

interface Export {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes'> & {
        readonly attributes: readonly { readonly key: string; readonly value: Value }[]
      })[]
    }[]
  }[]
}

const plain = ({ stringValue, intValue, arrayValue }: Value): unknown =>
  arrayValue?.values.map(plain) ?? stringValue ?? Number(intValue)

/** An endpoint for traces in OTLP's JSON that remembers every span. */
export async function startCollector(t: { teardown(fn: () => unknown): unknown }) {
  const spans: CollectedSpan[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { resourceSpans } = (
      request.url === '/v1/traces' ? JSON.parse(body) : { resourceSpans: [] }
    ) as Export
    for (const { scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        const attributes = Object.fromEntries(span.attributes.map(({ key, value }) => [key, plain(value)]))
        spans.push({ ...span, attributes })
      }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans }
}
