import type { ClickHouse } from '../clickhouse/port.js'
import type { EventLog } from '../log/port.js'
import type { Sql } from '../postgres/driver/client.js'
import type { Logger } from '../runtime/logger.js'
import type { Jobs } from './jobs/port.js'
import type { LiveEvents } from './live-events/live-events.js'
import type { Repositories } from './repositories/connected.js'

/** What rules, operations and jobs work with. */
export interface Services {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  /** Undefined where this process has no connection to the event log. */
  readonly log: EventLog | undefined
  readonly jobs: Jobs
  readonly repositories: Repositories
  readonly liveEvents: LiveEvents
  readonly logger: Logger
  /** Where clients send events; undefined where that is not known here. */
  readonly ingestUrl: () => string | undefined
  /** How long a decision waits for late conversions after the end of its experiment. */
  readonly settlingHours: number
  /** How old results may be that are shown without being measured again. */
  readonly resultsMaxAgeSeconds: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly newId: () => string
}
