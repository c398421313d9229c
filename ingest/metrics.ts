import {
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValueWithName,
  type Registry,
} from 'prom-client'
import type { RouteLabel } from './http/exchange.js'

/** Counters of the gateway. The names are stable: dashboards and the ledger depend on them. */
export interface GatewayMetrics {
  /** `status` is the HTTP status, or 0 if the connection ended without a response. */
  answered(route: RouteLabel, status: number, seconds: number): void
  accepted(events: number): void
  /** Events without a link, since one of their ids is a placeholder. */
  placeholders(events: number): void
  /** Messages of foreign formats that were refused beside good ones. */
  refusedBeside(messages: number): void
  received(bytes: number): void
}

const NAME = 'svc_ingest_request_seconds'
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A histogram without labels that counts in plain numbers and adds up its buckets when it is read. */
class PlainHistogram extends Histogram {
  private readonly counts = new Float64Array(BUCKETS.length + 1)
  private sum = 0

  count(seconds: number): void {
    let bucket = 0
    while (seconds > (BUCKETS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1
    this.sum += seconds
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const values: MetricValueWithName<string>[] = []
    let all = 0
    this.counts.forEach((count, bucket) => {
      all += count
      values.push({ metricName: `${NAME}_bucket`, labels: { le: BUCKETS[bucket] ?? '+Inf' }, value: all })
    })
    values.push({ metricName: `${NAME}_sum`, labels: {}, value: this.sum })
    values.push({ metricName: `${NAME}_count`, labels: {}, value: all })
    return { ...(await super.get()), values }
  }
}

/**
 * Counts are plain numbers that are collected when read: prom-client's increment costs more than validating a
 * small request.
 */
export function gatewayMetrics(registry: Registry, bytesInFlight: () => number): GatewayMetrics {
  const requests = new Map<RouteLabel, Map<number, number>>()
  let events = 0
  let placeholders = 0
  let refusedBeside = 0
  let bytes = 0
  const counter = (name: string, help: string, read: () => number): void => {
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  }
  new Counter({
    name: 'svc_ingest_requests_total',
    help: 'Requests by route and status; status 0: the connection ended without a response',
    labelNames: ['route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [route, byStatus] of requests)
        for (const [status, count] of byStatus) this.inc({ route, status: String(status) }, count)
    },
  })
  counter('svc_ingest_events_accepted_total', 'Events durable in the log', () => events)
  counter(
    'svc_ingest_placeholder_ids_total',
    'Accepted events that made no link, because an id is a placeholder such as null',
    () => placeholders,
  )
  counter(
    'svc_ingest_refused_beside_total',
    "Messages in Segment's and PostHog's formats that were refused beside good ones of their batch",
    () => refusedBeside,
  )
  counter('svc_ingest_body_bytes_total', 'Body bytes received, before decompression', () => bytes)
  new Gauge({
    name: 'svc_ingest_bytes_in_flight',
    help: 'Body bytes of requests in progress',
    registers: [registry],
    collect() {
      this.set(bytesInFlight())
    },
  })
  const seconds = new PlainHistogram({
    name: NAME,
    help: 'Time from request line to response',
    buckets: [...BUCKETS],
    registers: [registry],
  })
  return {
    answered(route, status, duration) {
      let byStatus = requests.get(route)
      if (byStatus === undefined) {
        byStatus = new Map()
        requests.set(route, byStatus)
      }
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      seconds.count(duration)
    },
    accepted(count) {
      events += count
    },
    placeholders(count) {
      placeholders += count
    },
    refusedBeside(count) {
      refusedBeside += count
    },
    received(count) {
      bytes += count
    },
  }
}
