import { randomBytes } from 'node:crypto'
import t from 'tap'
import { type CollectedSpan, startCollector } from '../support/collector.js'
import { startService, storedEvents, temporaryDataDir, until } from '../support/service.js'

const SERVER = 2

t.test('one request is followed from HTTP to its row, and one from HTTP to its job', async (t) => {
  const collector = await startCollector(t)
  const data = temporaryDataDir()
  t.teardown(() => data.remove())
  const service = await startService(data.path, {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, SVC_HOOKS_ALLOW_PRIVATE: 'true' },
  })
  t.teardown(() => service.kill())
  /** @returns the trace of the request, and its answer */
  async function traced(key: string, url: string, body: object) {
    const traceId = randomBytes(16).toString('hex')
    const parentSpanId = randomBytes(8).toString('hex')
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        traceparent: `00-${traceId}-${parentSpanId}-01`,
      },
      body: JSON.stringify(body),
    })
    return { traceId, parentSpanId, status: answer.status, body: (await answer.json()) as { id: string } }
  }
  const { serverKey, sessionToken, apiKey } = service.keys
  const sent = await traced(serverKey, `${service.ingest}/v1/events`, {
    events: [{ event: 'followed', userId: 'u1' }],
  })
  t.equal(sent.status, 202)
  await until(
    () => storedEvents(service),
    (count) => count === 1,
  )
  const hook = { url: `${collector.url}/hook`, kinds: ['funnel.create'] }
  const made = await traced(sessionToken, `${service.api}/v1/hooks`, hook)
  const funnel = { name: 'Followed', steps: [{ eventName: 'followed' }] }
  await traced(apiKey, `${service.api}/v1/funnel`, funnel)
  const deliveries = `${service.api}/v1/hooks/${made.body.id}/deliveries`
  const attempted = async () => {
    const answer = await fetch(deliveries, { headers: { Authorization: `Bearer ${sessionToken}` } })
    return ((await answer.json()) as { data: { id: string; attempts: number }[] }).data[0]
  }
  const first = await until(attempted, (one) => one?.attempts === 1)
  const retried = await traced(sessionToken, `${deliveries}/${first?.id}/retry`, {})
  t.equal(retried.status, 202)
  await until(attempted, (one) => one?.attempts === 2)
  // The rest is exported at the end.
  t.equal(await service.stop(), 0)

  const find = (name: string, matches: (span: CollectedSpan) => boolean): CollectedSpan => {
    const found = collector.spans.find((span) => span.name === name && matches(span))
    if (found === undefined) throw new Error(`no span ${name} in ${JSON.stringify(collector.spans)}`)
    return found
  }
  const { traceId, parentSpanId } = sent
  const request = find('ingest events', (span) => span.traceId === traceId)
  t.match(request, { kind: SERVER, parentSpanId, attributes: { 'http.response.status_code': 202 } })
  const append = find('append to the log', (span) => span.traceId === traceId)
  t.equal(append.parentSpanId, request.spanId)
  const [partition] = append.attributes['svc.log.partitions'] as number[]
  const [end = 0] = append.attributes['svc.log.ends'] as number[]
  const block = find(
    'process a block',
    ({ attributes }) =>
      attributes['svc.log.id'] === append.attributes['svc.log.id'] &&
      attributes['svc.log.partition'] === partition &&
      Number(attributes['svc.log.from']) < end &&
      end <= Number(attributes['svc.log.to']),
  )
  const insert = find('insert into ClickHouse', (span) => span.parentSpanId === block.spanId)
  t.equal(insert.attributes['svc.rows'], 1, 'its row')

  const retry = find(
    'POST /v1/hooks/{id}/deliveries/{deliveryId}/retry',
    (span) => span.traceId === retried.traceId,
  )
  t.match(retry, { kind: SERVER, parentSpanId: retried.parentSpanId })
  t.equal(find('job hook-delivery', (span) => span.traceId === retried.traceId).parentSpanId, retry.spanId)
})
