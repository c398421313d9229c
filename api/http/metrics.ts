import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Metrics of the management API. Names and labels are stable. */
export class ApiMetrics {
  private readonly requests: Counter<'route' | 'method' | 'status'>
  private readonly seconds: Histogram<'route' | 'method'>
  private readonly eventNames: Gauge<'workspace'>
  private readonly exportSeconds: Gauge

  /** @param liveStreams number of open streams of live events */
  constructor(registry: Registry, liveStreams: () => number) {
    new Gauge({
      name: 'svc_api_live_streams',
      help: 'Open streams of live events',
      registers: [registry],
      collect() {
        this.set(liveStreams())
      },
    })
    this.eventNames = new Gauge({
      name: 'svc_event_names',
      help: 'Different event names of a workspace that has more than 5000; absent below',
      labelNames: ['workspace'],
      registers: [registry],
    })
    this.exportSeconds = new Gauge({
      name: 'svc_export_lag_seconds',
      help: 'How long the oldest day that is to be exported to S3-compatible storage has waited; 0 if none waits, or none is exported',
      registers: [registry],
    })
    this.requests = new Counter({
      name: 'svc_api_requests_total',
      help: 'Requests to the management API by route, method and status; 499 if the client went away first',
      labelNames: ['route', 'method', 'status'],
      registers: [registry],
    })
    this.seconds = new Histogram({
      name: 'svc_api_request_seconds',
      help: 'Time from the head of a request to its response',
      labelNames: ['route', 'method'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [registry],
    })
  }

  /** Replaces what was told before. */
  manyEventNames(workspaces: readonly { readonly workspaceId: string; readonly names: number }[]): void {
    this.eventNames.reset()
    for (const { workspaceId, names } of workspaces) this.eventNames.set({ workspace: workspaceId }, names)
  }

  exportLag(seconds: number): void {
    this.exportSeconds.set(seconds)
  }

  /** @param route the pattern, not the path: labels stay few */
  observe(route: string, method: string, status: number, seconds: number): void {
    this.requests.inc({ route, method, status: String(status) })
    this.seconds.observe({ route, method }, seconds)
  }
}
