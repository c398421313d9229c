import { type ErrorTable, ServiceError } from '../runtime/errors.js'
/**
 * The ClickHouse connection, as the rest of the service sees it. Two adapters stand behind it, both through
 * `@clickhouse/client`: over HTTP to a server or cluster, and embedded (chdb) on one machine.
 */
export interface ClickHouse {
  /**
   * Runs a SELECT. Values are bound by `{name:Type}` placeholders, never pasted into the text. `sql` carries neither
   * SETTINGS nor FORMAT: settings are given apart, so that none of them outlives the query.
   * 64-bit numbers come back as JSON numbers: select `toString(x)` where 2^53 is not enough.
   */
  query<Row>(sql: string, options?: QueryOptions): Promise<QueryResult<Row>>

  /**
   * Runs a SELECT for its bytes: the rows as RowBinary, in chunks cut anywhere, each valid until the next is asked for. A tenth of the cost
   * of JSON, for columns of fixed width. Nothing is given before the whole answer is there, on this machine or at the server: a
   * caller cuts what is larger than `ANSWER_BYTES` into several. Does not wait for those who `query`.
   */
  rowBinary(sql: string, options?: QueryOptions): AsyncIterableIterator<Uint8Array>

  /**
   * Runs a SELECT for its columns: the whole answer in ClickHouse's Native format (`nativeBlocks`), for columns of fixed width. A tenth of the cost of JSON, half of
   * that of rows; waits its turn among those who `query`.
   */
  native(sql: string, options?: QueryOptions): Promise<Uint8Array>

  /** A statement without a result: DDL, or an INSERT … SELECT. */
  command(sql: string, options?: QueryOptions): Promise<void>

  /**
   * Inserts one block of `events` rows under a deduplication token: durable when it resolves, and without effect when a block
   * of the same token has been inserted before, in the table and in the views that depend on it.
   */
  insertEvents(block: EventBlock, signal?: AbortSignal): Promise<void>

  /** Makes links known to queries; sending one again changes nothing. */
  insertLinks(links: readonly LinkRow[]): Promise<void>

  /**
   * A version of everything that queries may see of a workspace, links too: two equal ones mean that nothing changed from the one to the other. Costs no
   * statement. Undefined while something of it is being written, and where others may write too: then the store itself has to be asked.
   */
  contentVersion(workspaceId: string): Promise<string | undefined>

  /** What kind of store this is, for the schema's files. */
  readonly schema: SchemaTarget

  /** SQL that turns a stored `person_key` into the key of the person it belongs to, links applied. */
  personKeySql(personKey: string): string

  /** Rejects while queries cannot be answered. */
  ping(signal?: AbortSignal): Promise<void>

  close(): Promise<void>
}

/** What differs between the stores the schema is made for. */
export interface SchemaTarget {
  readonly kind: 'embedded' | 'server'
  readonly database: string
  /** The cluster, of one shard, whose replicas all hold the tables; undefined on a single server. */
  readonly cluster: string | undefined
  /** How a dictionary of the server reads from the server itself; undefined where it needs none. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined
}

export type SettingValue = string | number | boolean

export interface QueryOptions {
  readonly params?: Readonly<Record<string, unknown>>
  readonly settings?: Readonly<Record<string, SettingValue>>
  /** Aborting kills the query in the engine, not only the wait for it. */
  readonly signal?: AbortSignal
  /**
   * Sees every block of `events` whose insert was answered before, whichever replica took it; without it a replica may lag. Changes nothing where there is one
   * server.
   */
  readonly readYourWrites?: boolean
}

export interface QueryResult<Row> {
  readonly rows: Row[]
  readonly rowsRead: number
  readonly elapsedMs: number
}

/** What an answer of `rowBinary` may well have: fits in the memory files of a container. */
export const MAX_RESPONSE_BYTES = 44 * 1024 * 1024

export interface EventBlock {
  readonly logId: string
  readonly logPartition: number
  /** Rows in the layout of domain/row.ts, concatenated in order; each chunk holds whole rows. */
  readonly chunks: readonly Uint8Array[]
  readonly rowCount: number
  readonly token: string
  /** The workspaces of all its rows: what is kept of others' answers outlives the block. Left out or empty, they may be anybody's. */
  readonly workspaceIds?: readonly string[]
}

export interface LinkRow {
  readonly workspaceId: string
  /** 64-bit person keys as signed integers. */
  readonly anonymousKey: bigint
  readonly userKey: bigint
}

/** What goes wrong with ClickHouse. */
export const CLICKHOUSE_ERRORS = {
  /** No answer, or none now: the server, a replica, Keeper, the disk or the network is at fault, and no statement. */
  unavailable: { retryable: true },
  /** The whole server is out of memory: other queries are at fault as well. */
  overloaded: { retryable: true },
  /** The login, a right or the certificate is refused. Somebody has to change the configuration first. */
  denied: { retryable: false },
  /** This connection is closed. */
  closed: { retryable: false },
  /** The embedded engine cannot open its data directory. */
  unusable: { retryable: false },
  /** The query met its bound of time. */
  timeout: { retryable: false },
  /** The query met its bound of memory, which depends on what else runs. */
  memory: { retryable: true },
  /** The query met its bound of rows or bytes. */
  rows: { retryable: false },
  /** The caller aborted, or somebody killed the query. */
  cancelled: { retryable: true },
  /** A `throwIf` of the statement itself fired. */
  assertion: { retryable: false },
  /** The statement is wrong. */
  query: { retryable: false },
} as const satisfies ErrorTable

export type ClickHouseErrorCode = keyof typeof CLICKHOUSE_ERRORS

export class ClickHouseError extends ServiceError<ClickHouseErrorCode> {
  /** ClickHouse's own name for the error, for example `AUTHENTICATION_FAILED`. Undefined if it is not from a server. */
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
