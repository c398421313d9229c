import {
  type ClickHouse,
  ClickHouseError,
  type EventBlock,
  type LinkRow,
  type PersonSql,
  type QueryOptions,
  type SchemaTarget,
  type SettingValue,
  type Shards,
} from '../port.js'
import { cutByShard } from '../shards.js'

/** Settings of reads, which a profile must not change: an answer without one of the shards would be wrong. */
const SETTINGS: Readonly<Record<string, SettingValue>> = {
  skip_unavailable_shards: 0,
  optimize_skip_unused_shards: 0,
  distributed_group_by_no_merge: 0,
  // Subqueries read all shards too, and their answer is sent to each.
  distributed_product_mode: 'global',
  prefer_localhost_replica: 1,
}

/**
 * Several servers, each a shard. Queries run on one of them, in turn, through tables that read all shards
 * (clickhouse/distributed-tables.ts). Statements and inserts go to the shards themselves.
 */
export class ShardedClickHouse implements ClickHouse {
  readonly schema: SchemaTarget
  readonly shards: Shards
  private queries = 0

  /**
   * @param stores the shards in the order of the cluster
   * @param readers connections to the same servers, in the database whose tables read all shards
   */
  constructor(
    private readonly stores: readonly [ClickHouse, ...ClickHouse[]],
    private readonly readers: readonly ClickHouse[],
    cluster: string,
  ) {
    this.schema = stores[0].schema
    this.shards = { cluster, stores }
  }

  query<Row>(sql: string, options?: QueryOptions) {
    return this.reader().query<Row>(sql, withSettings(options))
  }

  native(sql: string, options?: QueryOptions): Promise<Uint8Array> {
    return this.reader().native(sql, withSettings(options))
  }

  rowBinary(sql: string, options?: QueryOptions): AsyncIterableIterator<Uint8Array> {
    return this.reader().rowBinary(sql, withSettings(options))
  }

  async command(sql: string, options?: QueryOptions): Promise<void> {
    await allDone(this.stores.map((shard) => shard.command(sql, options)))
  }

  async insertEvents(block: EventBlock, signal?: AbortSignal): Promise<void> {
    const pieces = cutByShard(block, this.stores.length)
    await allDone(
      this.stores.map(async (shard, index) => {
        const piece = pieces[index]
        if (piece !== undefined) await shard.insertEvents(piece, signal)
      }),
    )
  }

  async insertLinks(links: readonly LinkRow[]): Promise<void> {
    await allDone(this.stores.map((shard) => shard.insertLinks(links)))
  }

  async contentVersion(): Promise<undefined> {
    return undefined
  }

  personSql(workspaceId: string): PersonSql {
    return this.stores[0].personSql(workspaceId)
  }

  async ping(signal?: AbortSignal): Promise<void> {
    await allDone(this.stores.map((shard) => shard.ping(signal)))
  }

  async close(): Promise<void> {
    await allDone([...this.readers, ...this.stores].map((server) => server.close()))
  }

  /** A query needs all shards, so there is nothing to gain by another one after a failure. */
  private reader(): ClickHouse {
    return this.readers[this.queries++ % this.readers.length] ?? this.stores[0]
  }
}

function withSettings(options: QueryOptions = {}): QueryOptions {
  return { ...options, settings: { ...SETTINGS, ...options.settings } }
}

/**
 * Resolves when all have resolved. Rejects only after all have ended, and with a refusal only if there was no
 * other failure: the rows of a refused block are looked up, and no piece of it may arrive later.
 */
async function allDone(work: readonly Promise<unknown>[]): Promise<void> {
  const failures = (await Promise.allSettled(work)).flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  )
  const isRefusal = (error: unknown) => error instanceof ClickHouseError && error.code === 'query'
  if (failures.length > 0) throw failures.find((failure) => !isRefusal(failure)) ?? failures[0]
}
