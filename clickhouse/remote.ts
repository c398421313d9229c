import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { type ClickHouseClient, ClickHouseLogLevel, createClient, drainStream } from '@clickhouse/client'
import { settledOr } from './abort.js'
import { EVENT_STRUCTURE, eventInsertSettings, eventInsertSql, ONE_BLOCK } from './event-insert.js'
import { cancelled, closedFailure, withFailure } from './failure.js'
import { encodeLinks } from './links.js'
import { quote } from './literal.js'
import {
  type ClickHouse,
  ClickHouseFailure,
  type EventBlock,
  type LinkRow,
  type QueryOptions,
  type SchemaTarget,
  type SettingValue,
} from './port.js'
import { QUERY_SETTINGS } from './settings.js'

const PING_MS = 2_000
/** Longer than any statement is let run: the server's own bound should speak first. */
const REQUEST_MS = 300_000
const CONNECTIONS = 16

export interface RemoteOptions {
  /** `http(s)://user:password@host:8123/database`; user and database are `default` where they are left out. */
  readonly url: string
  /** The cluster whose replicas hold the tables. */
  readonly cluster?: string | undefined
}

/**
 * Connects to a ClickHouse server over HTTP, and makes the database where it is missing.
 *
 * @throws ClickHouseFailure `unavailable` where the server cannot be reached or refuses the user
 */
export async function openRemoteClickHouse(options: RemoteOptions): Promise<ClickHouse> {
  const address = new URL(options.url)
  const user = decodeURIComponent(address.username) || 'default'
  const password = decodeURIComponent(address.password)
  const database = decodeURIComponent(address.pathname.replace(/^\/|\/$/g, '')) || 'default'
  const schema: SchemaTarget = {
    kind: 'server',
    database,
    cluster: options.cluster,
    credentials: { user, password },
  }
  const connect = (inDatabase: string | undefined) =>
    createClient({
      url: address.origin,
      username: user,
      password,
      ...(inDatabase === undefined ? {} : { database: inDatabase }),
      application: 'svc',
      // Whoever asked gets the error; the client would print statements and values beside it.
      log: { level: ClickHouseLogLevel.OFF },
      request_timeout: REQUEST_MS,
      max_open_connections: CONNECTIONS,
      // Values too many for a URL travel in the body.
      use_multipart_params_auto: true,
      // An error must arrive as one, and not at the end of an answer that began well.
      clickhouse_settings: { wait_end_of_query: 1 },
    })
  const anywhere = connect(undefined)
  try {
    const onCluster = options.cluster === undefined ? '' : ` ON CLUSTER ${quote(options.cluster)}`
    await withFailure(
      anywhere.command({ query: `CREATE DATABASE IF NOT EXISTS ${identifier(database)}${onCluster}` }),
    )
  } finally {
    await anywhere.close()
  }
  return new RemoteClickHouse(connect(database), schema)
}

class RemoteClickHouse implements ClickHouse {
  private closed = false
  private readonly running = new Set<Promise<unknown>>()

  constructor(
    private readonly client: ClickHouseClient,
    readonly schema: SchemaTarget,
  ) {}

  query<Row>(sql: string, options: QueryOptions = {}) {
    return this.run(options.signal, async (request) => {
      const result = await this.client.query({
        query: sql,
        format: 'JSON',
        ...request,
        ...(options.params === undefined ? {} : { query_params: { ...options.params } }),
        clickhouse_settings: settingTexts({ ...QUERY_SETTINGS, ...options.settings }),
      })
      const answer = await result.json<Row>()
      return {
        rows: answer.data,
        rowsRead: answer.statistics?.rows_read ?? 0,
        elapsedMs: (answer.statistics?.elapsed ?? 0) * 1_000,
      }
    })
  }

  async command(sql: string, options: QueryOptions = {}): Promise<void> {
    await this.run(options.signal, (request) =>
      this.client.command({
        query: sql,
        ...request,
        ...(options.params === undefined ? {} : { query_params: { ...options.params } }),
        clickhouse_settings: settingTexts(options.settings ?? {}),
      }),
    )
  }

  async insertEvents(block: EventBlock, signal?: AbortSignal): Promise<void> {
    await this.send(
      `${eventInsertSql(block)} FROM input(${quote(EVENT_STRUCTURE)}) FORMAT RowBinary`,
      block.chunks,
      eventInsertSettings(block.token),
      signal,
    )
  }

  async insertLinks(links: readonly LinkRow[]): Promise<void> {
    if (links.length === 0) return
    await this.send(
      'INSERT INTO identity_links (workspace_id, anonymous_key, user_key) FORMAT RowBinary',
      [encodeLinks(links)],
      { ...ONE_BLOCK, async_insert: 0 },
    )
    // By itself the server looks for news every few seconds only; it loads no more than the new ones.
    const onCluster = this.schema.cluster === undefined ? '' : ` ON CLUSTER ${quote(this.schema.cluster)}`
    await this.command(`SYSTEM RELOAD DICTIONARY ${identifier(this.schema.database)}.links${onCluster}`)
  }

  personKeySql(personKey: string): string {
    const dictionary = quote(`${this.schema.database}.links`)
    return `dictGetOrDefault(${dictionary}, 'user_key', ${personKey}, ${personKey})`
  }

  async ping(signal?: AbortSignal): Promise<void> {
    if (this.closed) throw closedFailure()
    const late = AbortSignal.timeout(PING_MS)
    const given = signal === undefined ? late : AbortSignal.any([signal, late])
    const asked = withFailure(this.client.command({ query: 'SELECT 1', abort_signal: given }))
    await settledOr(given, asked, () =>
      late.aborted ? new ClickHouseFailure('no answer within two seconds', 'timeout', true) : cancelled(),
    )
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    while (this.running.size > 0) await Promise.allSettled(this.running)
    await this.client.close()
  }

  private async send(
    query: string,
    chunks: readonly Uint8Array[],
    settings: Readonly<Record<string, SettingValue>>,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.run(signal, async (request) => {
      const result = await this.client.exec({
        query,
        values: Readable.from(chunks, { objectMode: false }),
        ...request,
        clickhouse_settings: settingTexts(settings),
      })
      await drainStream(result.stream)
    })
  }

  /** Aborting rejects at once, drops the request and kills the query on the server. */
  private async run<T>(
    signal: AbortSignal | undefined,
    work: (request: { query_id: string; abort_signal?: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    if (this.closed) throw closedFailure()
    if (signal?.aborted) throw cancelled()
    const query_id = randomUUID()
    const running = withFailure(
      work(signal === undefined ? { query_id } : { query_id, abort_signal: signal }),
    )
    this.running.add(running)
    try {
      if (signal === undefined) return await running
      return await settledOr(signal, running, () => {
        void this.kill(query_id)
        return cancelled()
      })
    } finally {
      this.running.delete(running)
    }
  }

  private async kill(queryId: string): Promise<void> {
    const onCluster = this.schema.cluster === undefined ? '' : ` ON CLUSTER ${quote(this.schema.cluster)}`
    const killing = this.client.command({
      query: `KILL QUERY${onCluster} WHERE query_id = {id:String} ASYNC`,
      query_params: { id: queryId },
    })
    this.running.add(killing)
    try {
      await killing
    } catch {
      // The server bounds the query's time itself; whoever aborted has long gone on.
    } finally {
      this.running.delete(killing)
    }
  }
}

function settingTexts(settings: Readonly<Record<string, SettingValue>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      typeof value === 'boolean' ? (value ? '1' : '0') : String(value),
    ]),
  )
}

function identifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
}
