import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** One of the service's programs while it runs: gateway, consumers or management API. */
export interface Stage {
  readonly name: 'ingest' | 'consumers' | 'api'
  /** `http://HOST:PORT` where it listens, undefined for the consumers. */
  readonly url: string | undefined
  /** What this stage needs, asked now; each check is answered within two seconds. */
  checks(): Promise<readonly Check[]>
  /** Its metrics as prom-client's `getMetricsAsJSON()` gives them, so that processes can be added up. */
  metrics(): Promise<readonly MetricObjectWithValues<MetricValue<string>>[]>
  /** Stops accepting, finishes what is in flight and resolves. Called once. */
  stop(): Promise<void>
}

export type StoreName = 'log' | 'postgres' | 'clickhouse'

export interface Check {
  readonly name: StoreName | 'jobs'
  readonly ok: boolean
  /** Empty when ok, else what is wrong in a line. */
  readonly message: string
}
