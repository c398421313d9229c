import type { ClickHouse } from '../clickhouse/port.js'
import type { AskedQuestion, IdeaRecord } from '../generators/port.js'
import type { EventLog } from '../log/port.js'
import type { Sql } from '../postgres/driver/client.js'
import type { Logger } from '../runtime/logger.js'
import type { Jobs } from './jobs-port.js'
import type { LiveEvents } from './live-events/index.js'
import type { Repositories } from './repositories/index.js'

/** Everything that operations and jobs work with. */
export interface Services {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  /** Undefined if this process is not connected to the event log. */
  readonly log: EventLog | undefined
  readonly jobs: Jobs
  readonly repositories: Repositories
  readonly generator: GeneratorSettings
  /** Left out if this process has no metrics. */
  readonly modelMetrics?: {
    observeQuestion(question: AskedQuestion): void
    observeIdeas(ideas: readonly IdeaRecord[]): void
  }
  readonly liveEvents: LiveEvents
  readonly hooks: HookSettings
  /** The bucket to which days of events are exported. Undefined if this process exports none. */
  readonly exports: ExportSettings | undefined
  readonly logger: Logger
  /** HMAC key of stored credentials, and key of sealed secrets. */
  readonly secretKey: Uint8Array
  /**
   * The address of the console. Undefined if this process does not know it.
   *
   * @param reachedAt the address at which a person has reached it, used if no public address is configured
   */
  readonly consoleUrl: (reachedAt?: string) => string | undefined
  /** The address to which clients send events. Undefined if this process does not know it. */
  readonly ingestUrl: () => string | undefined
  /** How long a decision waits for late conversions after its experiment has ended. */
  readonly settlingHours: number
  /** Results that are older are measured again before they are shown. */
  readonly resultsMaxAgeSeconds: number
  /** Whether Postgres is the one in the data directory. */
  readonly embeddedPostgres: boolean
  /** Called between the steps of a job, where a crash tells most. Only for tests. */
  readonly faultPoint: ((name: string) => void) | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly newId: () => string
}

/** A bucket of S3-compatible storage. */
export interface ExportSettings {
  /** Address of the storage, to which the name of the bucket is added. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  /** Before the names of objects, without a slash at its ends; may be empty. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Days before today that a workspace begins with, at least 1. */
  readonly days: number
}

/** How webhooks are sent. */
export interface HookSettings {
  /** Whether a hook may lead to a private address. */
  readonly allowPrivate: boolean
  /** How long a receiver has to answer. @default 10000 */
  readonly timeoutMs?: number
  /** Pause before the second attempt; later ones double, up to an hour. @default 10000 */
  readonly retryMs?: number
}

/** The generator that makes proposals in this process. */
export type GeneratorSettings =
  | { readonly kind: 'rules' }
  | {
      /** Any endpoint with the API of OpenAI. */
      readonly kind: 'llm'
      readonly url: string
      readonly model: string
      readonly key: string | undefined
      /** Upper bound for a batch or a revision, prompt and answer together. */
      readonly maxTokens: number
      readonly maxSeconds: number
      /** Upper bounds for a question: tokens of its answer, and seconds. */
      readonly answerTokens: number
      readonly questionSeconds: number
      readonly reasoningEffort: string | undefined
    }
