import { type ErrorTable, ServiceError } from '../runtime/errors.js'
/** ClickHouse, as svc sees it: over HTTP to a server or cluster, or embedded (chdb). */
export interface ClickHouse {
  /**
   * Runs a SELECT. Bind values by `{name:Type}` placeholders, never in the text. `sql` has neither SETTINGS
   * nor FORMAT: settings are passed apart, so none outlives the query. 64-bit numbers are returned as JSON
   * numbers: select `toString(x)` if 2^53 is not enough.
   */
  query<Row>(sql: string, options?: QueryOptions): Promise<QueryResult<Row>>

  /**
   * Runs a SELECT and returns its rows as RowBinary, in chunks cut anywhere, each valid until the next is
   * requested. A tenth of JSON's cost, for columns of fixed width. The whole answer is buffered first, so
   * split what exceeds `MAX_RESPONSE_BYTES`. Does not wait for callers of `query`.
   */
  rowBinary(sql: string, options?: QueryOptions): AsyncIterableIterator<Uint8Array>

  /**
   * Runs a SELECT and returns the whole answer in Native format (`nativeBlocks`), for columns of fixed width.
   * A tenth of JSON's cost, half of RowBinary's. Takes its turn with `query`.
   */
  native(sql: string, options?: QueryOptions): Promise<Uint8Array>

  /** Runs a statement without a result: DDL, or an INSERT … SELECT. */
  command(sql: string, options?: QueryOptions): Promise<void>

  /**
   * Inserts one block of `events` rows under a deduplication token. Durable when it resolves. Without effect,
   * in the table and its views, if a block with the same token was inserted before.
   */
  insertEvents(block: EventBlock, signal?: AbortSignal): Promise<void>

  /** Makes links visible to queries. Repeating a link changes nothing. */
  insertLinks(links: readonly LinkRow[]): Promise<void>

  /**
   * A version of everything that queries may see of a workspace, links included: if two are equal, nothing
   * changed in between. Costs no statement. Undefined while a write is running, and if others may write too.
   */
  contentVersion(workspaceId: string): Promise<string | undefined>

  /** The kind of store, for the schema's files. */
  readonly schema: SchemaTarget

  /**
   * The shards of a store that has several: queries read all of them together, and `command` runs on each.
   * Undefined if the store holds everything itself.
   */
  readonly shards?: Shards

  /**
   * SQL for the persons of a workspace's rows, with links applied.
   * @param workspaceId SQL of the workspace's id, such as a placeholder
   */
  personSql(workspaceId: string): PersonSql

  /** Rejects if queries cannot be answered. */
  ping(signal?: AbortSignal): Promise<void>

  close(): Promise<void>
}

/** `SELECT ${key} AS person, … FROM (${linked(rows)})`, of rows with a `person_key`. */
export interface PersonSql {
  readonly key: string
  /** The rows, with the column that `key` needs if links are joined. */
  linked(rows: string): string
  /** Whether `linked` joins. If not, it returns the rows as they are, and `key` needs only `person_key`. */
  readonly joins: boolean
}

/** A server's queries look links up in a dictionary in its memory, or join the stored ones. */
export type LinkStorage = 'memory' | 'disk'

export interface Shards {
  /** The servers' name for all shards together. */
  readonly cluster: string
  /** In the order of the cluster. Each holds some of the events, and all links. */
  readonly stores: readonly ClickHouse[]
}

/** How the stores differ for the schema. */
export interface SchemaTarget {
  readonly kind: 'embedded' | 'server'
  readonly database: string
  /** The cluster of one shard whose replicas all hold the tables; undefined if each server has its tables. */
  readonly cluster: string | undefined
  readonly links: LinkStorage
  /** With which a server's dictionary reads from the server itself; undefined if it needs none. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined
}

export type SettingValue = string | number | boolean

export interface QueryOptions {
  readonly params?: Readonly<Record<string, unknown>>
  readonly settings?: Readonly<Record<string, SettingValue>>
  /** Aborting kills the query in the engine, not only the wait for it. */
  readonly signal?: AbortSignal | undefined
  /**
   * Guarantees that the query sees every block of `events` whose insert was answered, on any replica. Without
   * it a replica may lag. No effect with one server.
   */
  readonly readYourWrites?: boolean
  /**
   * The query waits for running inserts, and later ones for it, so that it sees a block in the table and its
   * views or in none of them. Embedded engine only: a server has other writers.
   */
  readonly betweenWrites?: boolean
  /** Of a command: the table whose mutations have finished, so that its content has a version again. */
  readonly mutated?: string
}

export interface QueryResult<Row> {
  readonly rows: Row[]
  readonly rowsRead: number
  readonly elapsedMs: number
}

/** Upper bound of a `rowBinary` answer: it must fit into the memory files of a container. */
export const MAX_RESPONSE_BYTES = 44 * 1024 * 1024

export interface EventBlock {
  readonly logId: string
  readonly logPartition: number
  /** Rows in the layout of domain/row.ts, concatenated in order; each chunk holds whole rows. */
  readonly chunks: readonly Uint8Array[]
  readonly rowCount: number
  readonly token: string
  /** The workspaces of all rows, whose caches end. If empty or missing, any workspace may be affected. */
  readonly workspaceIds?: readonly string[]
}

export interface LinkRow {
  readonly workspaceId: string
  /** 64-bit person keys as signed integers. */
  readonly anonymousKey: bigint
  readonly userKey: bigint
}

/** The codes of ClickHouse errors. */
export const CLICKHOUSE_ERRORS = {
  /** No answer, or none now: server, replica, Keeper, disk or network, not the statement. */
  unavailable: { retryable: true },
  /** The disk of the server is full. */
  disk_full: { retryable: true },
  /** The whole server is out of memory, because of other queries too. */
  overloaded: { retryable: true },
  /** Login, right or certificate refused. Someone must change the configuration. */
  denied: { retryable: false },
  /** This connection is closed. */
  closed: { retryable: false },
  /** The embedded engine cannot open its data directory. */
  unusable: { retryable: false },
  /** The query reached its time limit. */
  timeout: { retryable: false },
  /** The query reached its memory limit, which depends on what else runs. */
  memory: { retryable: true },
  /** The query reached its limit of rows or bytes. */
  rows: { retryable: false },
  /** The statement has more parts, or is longer or deeper, than the engine plans. */
  too_complex: { retryable: false },
  /** The caller aborted, or someone killed the query. */
  cancelled: { retryable: true },
  /** A `throwIf` in the statement fired. */
  assertion: { retryable: false },
  /** The statement is wrong. */
  query: { retryable: false },
} as const satisfies ErrorTable

export type ClickHouseErrorCode = keyof typeof CLICKHOUSE_ERRORS

export class ClickHouseError extends ServiceError<ClickHouseErrorCode> {
  /** ClickHouse's own name for the error, such as `AUTHENTICATION_FAILED`; undefined without a server. */
  readonly type: string | undefined

  constructor(
    code: ClickHouseErrorCode,
    message: string,
    { type, ...options }: { readonly type?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { ...options, code, ...CLICKHOUSE_ERRORS[code] })
    this.type = type
  }
}
