import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** A running part of the service: gateway, consumers or management API. */
export interface Stage {
  readonly name: 'ingest' | 'consumers' | 'api'
  /** `http://HOST:PORT`; undefined for the consumers. */
  readonly url: string | undefined
  /** The stores that this stage needs, asked now. Each check resolves within two seconds. */
  checks(): Promise<readonly Check[]>
  /** As from prom-client's `getMetricsAsJSON()`, so that processes can be summed. */
  metrics(): Promise<readonly MetricObjectWithValues<MetricValue<string>>[]>
  /** Stops accepting, finishes what is in flight, then resolves. Called once. */
  stop(): Promise<void>
}

export type StoreName = 'log' | 'postgres' | 'clickhouse'

export interface Check {
  readonly name: StoreName | 'jobs'
  readonly ok: boolean
  /** One line about what is wrong; empty if ok. */
  readonly message: string
}
