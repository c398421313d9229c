import { AsyncLocalStorage } from 'node:async_hooks'
import type * as Api from '@opentelemetry/api'
import type { TracingConfig } from './config.js'
import { errorMessage } from './errors.js'
import { readVersion } from './version.js'

/*
 * OpenTelemetry traces, exported as JSON to `OTEL_EXPORTER_OTLP_ENDPOINT`. Without it no package is loaded,
 * and the functions below return at once.
 */

const STOP_MS = 3_000
/** In the order of their numbers in the API. */
const KINDS = ['internal', 'server', 'client', 'producer', 'consumer'] as const
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

export type TraceSpan = Api.Span

export interface SpanOptions {
  /** @default internal */
  readonly kind?: (typeof KINDS)[number]
  readonly attributes?: Api.Attributes
  /** W3C trace context of a caller. An invalid one is ignored. */
  readonly traceparent?: string | undefined
  /** @default the span of `withSpan` around the call */
  readonly parent?: TraceSpan | undefined
}

interface Tracing {
  readonly api: typeof Api
  readonly tracer: Api.Tracer
  readonly current: AsyncLocalStorage<TraceSpan>
}
let tracing: Tracing | undefined

/**
 * Exports traces of this thread from now on.
 *
 * @param config undefined for no traces
 * @returns exports what is left, and ends
 */
export async function startTracing(config: TracingConfig | undefined): Promise<() => Promise<void>> {
  if (config === undefined) return async () => {}
  const [
    api,
    { BasicTracerProvider, BatchSpanProcessor },
    { OTLPTraceExporter },
    { resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const provider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    resource: resourceFromAttributes({
      'service.name': config.serviceName,
      'service.version': readVersion(),
    }),
  })
  tracing = { api, tracer: provider.getTracer('svc'), current: new AsyncLocalStorage() }
  return async () => {
    tracing = undefined
    // A collector that is down must not hold up the stop.
    const limit = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref())
    await Promise.race([provider.shutdown().catch(() => {}), limit])
  }
}

/** Whether what a span needs is worth reading. */
export function isTracing(): boolean {
  return tracing !== undefined
}

/** Begins a span, which the caller ends. Undefined if there are no traces. */
export function startSpan(name: string, options: SpanOptions = {}): TraceSpan | undefined {
  if (tracing === undefined) return undefined
  const { api, tracer, current } = tracing
  const { kind = 'internal', attributes = {}, traceparent, parent = current.getStore() } = options
  const caller = remoteContext(traceparent)
  const root = api.ROOT_CONTEXT
  const context =
    caller !== undefined
      ? api.trace.setSpanContext(root, caller)
      : parent === undefined
        ? root
        : api.trace.setSpan(root, parent)
  return tracer.startSpan(name, { kind: KINDS.indexOf(kind), attributes }, context)
}

/** Runs in a span, which is the parent of those that begin in it. It fails with the call. */
export function withSpan<T>(
  name: string,
  options: SpanOptions,
  run: (span: TraceSpan | undefined) => Promise<T>,
): Promise<T> {
  const span = startSpan(name, options)
  return span === undefined || tracing === undefined ? run(undefined) : runIn(tracing, span, run)
}

async function runIn<T>(
  { current }: Tracing,
  span: TraceSpan,
  run: (span: TraceSpan) => Promise<T>,
): Promise<T> {
  try {
    return await current.run(span, run, span)
  } catch (error) {
    failSpan(span, errorMessage(error))
    throw error
  } finally {
    span.end()
  }
}

export function failSpan(span: TraceSpan, message: string): void {
  if (tracing !== undefined) span.setStatus({ code: tracing.api.SpanStatusCode.ERROR, message })
}

/** The trace context of the span around the call, for work that goes on elsewhere. */
export function currentTraceparent(): string | undefined {
  const context = tracing?.current.getStore()?.spanContext()
  if (context === undefined) return undefined
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
}

function remoteContext(traceparent: string | undefined): Api.SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (tracing === undefined || traceId === undefined || spanId === undefined || flags === undefined)
    return undefined
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return tracing.api.isSpanContextValid(context) ? context : undefined
}
