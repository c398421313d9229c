import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { type ClickHouseClient, drainStream } from '@clickhouse/client'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { withTimeout } from '../../runtime/concurrency/with-timeout.js'
import { settledOr } from '../abort.js'
import {
  abortedQueryError,
  cancelledError,
  closedError,
  isAnswer,
  toClickHouseError,
  withClickHouseErrors,
} from '../error-mapping.js'
import { joinLinks, reloadLinks } from '../links-on-disk.js'
import { quote } from '../literal.js'
import {
  type ClickHouse,
  ClickHouseError,
  type EventBlock,
  type LinkRow,
  type PersonSql,
  type QueryOptions,
  type SchemaTarget,
  type SettingValue,
} from '../port.js'
import {
  EVENT_STRUCTURE,
  eventInsertSettings,
  eventInsertSql,
  ONE_BLOCK,
} from '../statements/event-insert.js'
import { encodeLinkRows } from '../statements/links.js'
import {
  assertFromClickHouse,
  queryRequest,
  type ResponseSource,
  serverOf,
  settingTexts,
} from './http-message.js'
import { LivenessProbe } from './liveness-probe.js'
import { QUORUM } from './server.js'

const PING_MS = 2_000
/** Time for running statements at the end; then their connections are cut. */
const CLOSE_MS = 2_000
/** For a query without its own limit: slightly longer than the server lets it run. */
export const QUERY_MS = 40_000
const PROBE = { everyMs: 1_500, graceMs: 4_000, patienceMs: 2_500 } as const
/** Seconds that a replica may need to fetch other replicas' blocks. */
const FETCH_SECONDS = 20
/** Attempts to reach the replica that has fetched, if another one answered. */
const FETCH_ATTEMPTS = 5

/** A dead connection would keep the caller waiting for as long as the longest statement may take. */
export async function inTime<T>(
  milliseconds: number,
  ask: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const given = deadlineSignal(milliseconds, signal)
  return settledOr(given, withClickHouseErrors(ask(given)), () => abortedQueryError(given))
}

/** A server, or a replica of one shard, over HTTP. */
export class RemoteClickHouse implements ClickHouse {
  private closed = false
  private readonly running = new Set<Promise<unknown>>()
  private readonly probe: LivenessProbe

  /**
   * @param control a client for statements that must not wait for the other's connections
   * @param inserting settings of inserts beside their own
   * @param needed the servers that a statement needs, beside this one
   */
  constructor(
    private readonly client: ClickHouseClient,
    private readonly control: ClickHouseClient,
    readonly schema: SchemaTarget,
    private readonly inserting: Readonly<Record<string, SettingValue>>,
    needed: readonly RemoteClickHouse[] = [],
  ) {
    const asked = [this, ...needed]
    const ask = () => Promise.all(asked.map((one) => one.answers(PROBE.patienceMs))).then(() => {})
    this.probe = new LivenessProbe({ ...PROBE, ask })
  }

  /** Other processes write to a server. */
  async contentVersion(): Promise<undefined> {
    return undefined
  }

  query<Row>(sql: string, options: QueryOptions = {}) {
    return this.run(options.signal ?? deadlineSignal(QUERY_MS), async (request) => {
      const result = await this.read(options, request, () =>
        this.client.query({ ...queryRequest(sql, options), format: 'JSON', ...request }),
      )
      const answer = await result.json<Row>()
      return {
        rows: answer.data,
        rowsRead: answer.statistics?.rows_read ?? 0,
        elapsedMs: (answer.statistics?.elapsed ?? 0) * 1_000,
      }
    })
  }

  native(sql: string, options: QueryOptions = {}): Promise<Uint8Array> {
    return this.run(options.signal ?? deadlineSignal(QUERY_MS), async (request) => {
      const { stream } = await this.read(options, request, () =>
        this.client.exec({ ...queryRequest(`${sql} FORMAT Native`, options), ...request }),
      )
      return Buffer.concat(await stream.toArray())
    })
  }

  async *rowBinary(sql: string, options: QueryOptions = {}): AsyncGenerator<Uint8Array> {
    const signal = options.signal ?? deadlineSignal(QUERY_MS)
    const { stream } = await this.run(signal, (request) =>
      this.read(options, request, () =>
        this.client.exec({ ...queryRequest(`${sql} FORMAT RowBinary`, options), ...request }),
      ),
    )
    const abort = () => stream.destroy(abortedQueryError(signal))
    const answered = this.probe.begin((failure) => stream.destroy(failure))
    signal.addEventListener('abort', abort, { once: true })
    try {
      if (signal.aborted) abort()
      for await (const chunk of stream) yield chunk
    } catch (error) {
      throw toClickHouseError(error)
    } finally {
      answered()
      stream.destroy()
      signal.removeEventListener('abort', abort)
    }
  }

  async command(sql: string, options: QueryOptions = {}): Promise<void> {
    await this.run(options.signal, async (request) =>
      assertFromClickHouse(
        await this.client.command({
          query: sql,
          ...request,
          ...(options.params === undefined ? {} : { query_params: { ...options.params } }),
          clickhouse_settings: settingTexts({
            async_insert: 0,
            ...(this.schema.cluster === undefined ? {} : QUORUM),
            ...(options.settings?.insert_deduplication_token === undefined ? {} : this.inserting),
            ...options.settings,
          }),
        }),
      ),
    )
  }

  async insertEvents(block: EventBlock, signal?: AbortSignal): Promise<void> {
    await this.send(
      `${eventInsertSql(block)} FROM input(${quote(EVENT_STRUCTURE)}) FORMAT RowBinary`,
      block.chunks,
      { ...eventInsertSettings(block.token), ...this.inserting },
      signal,
    )
  }

  async insertLinks(links: readonly LinkRow[]): Promise<void> {
    if (links.length === 0) return
    await this.send(
      'INSERT INTO identity_links (workspace_id, anonymous_key, user_key) FORMAT RowBinary',
      [encodeLinkRows(links)],
      { ...ONE_BLOCK, async_insert: 0, ...this.inserting },
    )
    await reloadLinks(this)
  }

  personSql(workspaceId: string): PersonSql {
    const { database, links } = this.schema
    return links === 'memory'
      ? {
          key: `dictGetOrDefault(${quote(`${database}.links`)}, 'user_key', person_key, person_key)`,
          linked: (rows) => rows,
          joins: false,
        }
      : {
          key: 'if(user_key = 0, person_key, user_key)',
          linked: (rows) => joinLinks(rows, database, workspaceId),
          joins: true,
        }
  }

  async ping(signal?: AbortSignal): Promise<void> {
    if (this.closed) throw closedError()
    await inTime(
      PING_MS,
      (abort_signal) => this.control.command({ query: 'SELECT 1', abort_signal }).then(assertFromClickHouse),
      signal,
    )
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    // Closing the clients cuts off what still runs; its callers have the error.
    await withTimeout(CLOSE_MS, 'ClickHouse, closing', this.idle()).catch(() => {})
    await Promise.all([this.client.close(), this.control.close()])
  }

  /** Whether there is a server: if it refuses to say more, it is there. */
  private async answers(withinMs: number): Promise<void> {
    const late = deadlineSignal(withinMs)
    const asked = this.control.command({ query: 'SELECT 1', abort_signal: late })
    try {
      await settledOr(late, asked, () => abortedQueryError(late))
    } catch (error) {
      if (!isAnswer(error)) throw error
    }
  }

  /**
   * Sends a read. To read its own writes, the replica first fetches other replicas' blocks. A load balancer
   * may send each request elsewhere, so only the answer of that replica counts.
   */
  private async read<Answer extends ResponseSource & { readonly stream?: unknown }>(
    options: QueryOptions,
    request: { readonly abort_signal?: AbortSignal },
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    for (let attempt = 0; attempt < FETCH_ATTEMPTS; attempt++) {
      const current = await this.fetchEvents(options, request)
      const answer = await ask()
      assertFromClickHouse(answer)
      if (current === undefined || serverOf(answer) === current) return answer
      if (answer.stream instanceof Readable) answer.stream.destroy()
    }
    throw new ClickHouseError(
      'unavailable',
      'each request is answered by another replica: SVC_CLICKHOUSE_URL has to lead to one of them while it lives',
    )
  }

  /** The replica that has fetched all other replicas' blocks; undefined if nothing must be fetched. */
  private async fetchEvents(
    options: QueryOptions,
    request: { readonly abort_signal?: AbortSignal },
  ): Promise<string | undefined> {
    if (this.schema.cluster === undefined || options.readYourWrites !== true) return undefined
    const { abort_signal } = request
    try {
      const fetched = await this.client.command({
        query: 'SYSTEM SYNC REPLICA events LIGHTWEIGHT',
        ...(abort_signal === undefined ? {} : { abort_signal }),
        clickhouse_settings: settingTexts({ receive_timeout: FETCH_SECONDS }),
      })
      assertFromClickHouse(fetched)
      return serverOf(fetched)
    } catch (error) {
      const failure = toClickHouseError(error)
      if (failure.code !== 'timeout') throw failure
      throw new ClickHouseError('unavailable', `a replica lags: ${failure.message}`, { cause: error })
    }
  }

  private async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running)
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
      assertFromClickHouse(result)
      await drainStream(result.stream)
    })
  }

  /** Aborting rejects immediately, drops the request and kills the query on the server. */
  private async run<T>(
    signal: AbortSignal | undefined,
    work: (request: { query_id: string; abort_signal?: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    if (this.closed) throw closedError()
    if (signal?.aborted) throw cancelledError()
    const query_id = randomUUID()
    const given = new AbortController()
    const abort_signal = signal === undefined ? given.signal : AbortSignal.any([given.signal, signal])
    const running = this.probe.during(withClickHouseErrors(work({ query_id, abort_signal })))
    this.running.add(running)
    try {
      if (signal === undefined) return await running
      return await settledOr(signal, running, () => {
        void this.kill(query_id)
        return abortedQueryError(signal)
      })
    } catch (error) {
      // The server counts as gone, but the request is still under way.
      given.abort()
      throw error
    } finally {
      this.running.delete(running)
    }
  }

  /** If another replica runs the query, that replica ends it when it notices that the client has gone. */
  private async kill(queryId: string): Promise<void> {
    const killing = this.control.command({
      query: 'KILL QUERY WHERE query_id = {id:String} ASYNC',
      query_params: { id: queryId },
    })
    this.running.add(killing)
    try {
      await killing
    } catch {
      // The server limits the query's time itself; the caller has gone.
    } finally {
      this.running.delete(killing)
    }
  }
}
