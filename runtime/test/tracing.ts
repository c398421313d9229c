import t from 'tap'
import { startCollector } from '../../test/support/collector.js'
import { currentTraceparent, isTracing, startSpan, startTracing, withSpan } from '../tracing.js'

t.test('without an endpoint there are no spans', async (t) => {
  const stop = await startTracing(undefined)
  t.notOk(isTracing())
  t.equal(startSpan('none'), undefined)
  t.equal(await withSpan('none', {}, async (span) => span ?? currentTraceparent()), undefined)
  await stop()
})

t.test('spans know their parent, and are marked as failed if their call fails', async (t) => {
  const { url, spans } = await startCollector(t)
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url
  const stop = await startTracing({ serviceName: 'test' })
  const caller = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  let inside: string | undefined
  await t.rejects(
    withSpan('outer', { kind: 'server', traceparent: caller }, async () => {
      inside = currentTraceparent()
      startSpan('inner')?.end()
      throw new Error('no luck')
    }),
    { message: 'no luck' },
  )
  for (const traceparent of [`00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, 'nonsense', ''])
    startSpan('root', { traceparent })?.end()
  await stop()
  t.equal(startSpan('late'), undefined)

  const outer = spans.find(({ name }) => name === 'outer')
  t.match(outer, { traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16), status: { message: 'no luck' } })
  t.equal(inside, `00-${'a'.repeat(32)}-${outer?.spanId}-01`)
  t.match(
    spans.find(({ name }) => name === 'inner'),
    { traceId: 'a'.repeat(32), parentSpanId: outer?.spanId },
  )
  const roots = spans.filter(({ name }) => name === 'root')
  t.equal(roots.length, 3)
  for (const root of roots) t.notOk(root.parentSpanId)
})
