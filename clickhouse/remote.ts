import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { type ClickHouseClient, ClickHouseLogLevel, createClient, drainStream } from '@clickhouse/client'
import { within } from '../runtime/within.js'
import { settledOr } from './abort.js'
import { EVENT_STRUCTURE, eventInsertSettings, eventInsertSql, ONE_BLOCK } from './event-insert.js'
import { cancelled, closedFailure, isAnswer, stopped, toFailure, withFailure } from './failure.js'
import { encodeLinks } from './links.js'
import { parameterText, quote } from './literal.js'
import {
  type ClickHouse,
  ClickHouseFailure,
  type EventBlock,
  type LinkRow,
  type QueryOptions,
  type SchemaTarget,
  type SettingValue,
} from './port.js'
import { Pulse } from './pulse.js'
import { QUERY_SETTINGS } from './settings.js'

const PING_MS = 2_000
/** Longer than any statement is let run: the server's own bound should speak first. */
const REQUEST_MS = 300_000
const CONNECTIONS = 16
/** What is under way at the end gets so much time; then its connection is cut. */
const CLOSE_MS = 2_000
/** A query that its caller does not bound: a little longer than the server lets it run. */
const QUERY_MS = 40_000
const PULSE = { everyMs: 1_500, graceMs: 4_000, patienceMs: 2_500 } as const

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
  return new RemoteClickHouse(connect(database), connect(undefined), schema)
}

class RemoteClickHouse implements ClickHouse {
  private closed = false
  private readonly running = new Set<Promise<unknown>>()
  private readonly pulse = new Pulse({ ...PULSE, ask: () => this.answers(PULSE.patienceMs) })

  /** @param control for what must not wait behind statements that have all connections of the other */
  constructor(
    private readonly client: ClickHouseClient,
    private readonly control: ClickHouseClient,
    readonly schema: SchemaTarget,
  ) {}

  query<Row>(sql: string, options: QueryOptions = {}) {
    return this.run(options.signal ?? AbortSignal.timeout(QUERY_MS), async (request) => {
      const result = await this.client.query({
        query: sql,
        format: 'JSON',
        ...request,
        ...(options.params === undefined ? {} : { query_params: { ...options.params } }),
        clickhouse_settings: settingTexts({ ...QUERY_SETTINGS, ...options.settings }),
      })
      checkSource(result)
      const answer = await result.json<Row>()
      return {
        rows: answer.data,
        rowsRead: answer.statistics?.rows_read ?? 0,
        elapsedMs: (answer.statistics?.elapsed ?? 0) * 1_000,
      }
    })
  }

  async *rowBinary(sql: string, options: QueryOptions = {}): AsyncGenerator<Uint8Array> {
    const signal = options.signal ?? AbortSignal.timeout(QUERY_MS)
    const values = options.params === undefined ? {} : await bodyOf(options.params)
    const result = await this.run(signal, (request) =>
      this.client.exec({
        query: `${sql} FORMAT RowBinary`,
        ...request,
        ...values,
        clickhouse_settings: settingTexts({ ...QUERY_SETTINGS, ...options.settings }),
      }),
    )
    const { stream } = result
    const abort = () => stream.destroy(stopped(signal))
    const answered = this.pulse.begin((failure) => stream.destroy(failure))
    signal.addEventListener('abort', abort, { once: true })
    try {
      checkSource(result)
      if (signal.aborted) abort()
      for await (const chunk of stream) yield chunk
    } catch (error) {
      throw toFailure(error)
    } finally {
      answered()
      stream.destroy()
      signal.removeEventListener('abort', abort)
    }
  }

  async command(sql: string, options: QueryOptions = {}): Promise<void> {
    await this.run(options.signal, async (request) =>
      checkSource(
        await this.client.command({
          query: sql,
          ...request,
          ...(options.params === undefined ? {} : { query_params: { ...options.params } }),
          clickhouse_settings: settingTexts(options.settings ?? {}),
        }),
      ),
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
    const asked = withFailure(
      this.control.command({ query: 'SELECT 1', abort_signal: given }).then(checkSource),
    )
    await settledOr(given, asked, () => stopped(given))
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    await within(CLOSE_MS, 'ClickHouse, closing', this.idle()).catch(() => {})
    await Promise.all([this.client.close(), this.control.close()])
  }

  /** Whether there is a server at all: where it refuses to say more, it is there. */
  private async answers(withinMs: number): Promise<void> {
    const late = AbortSignal.timeout(withinMs)
    const asked = this.control.command({ query: 'SELECT 1', abort_signal: late })
    try {
      await settledOr(late, asked, () => stopped(late))
    } catch (error) {
      if (!isAnswer(error)) throw error
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
      checkSource(result)
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
    const given = new AbortController()
    const abort_signal = signal === undefined ? given.signal : AbortSignal.any([given.signal, signal])
    const running = this.pulse.during(withFailure(work({ query_id, abort_signal })))
    this.running.add(running)
    try {
      if (signal === undefined) return await running
      return await settledOr(signal, running, () => {
        void this.kill(query_id)
        return stopped(signal)
      })
    } catch (error) {
      // Where the server is taken for gone the request is still under way.
      given.abort()
      throw error
    } finally {
      this.running.delete(running)
    }
  }

  private async kill(queryId: string): Promise<void> {
    const onCluster = this.schema.cluster === undefined ? '' : ` ON CLUSTER ${quote(this.schema.cluster)}`
    const killing = this.control.command({
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

/**
 * An answer without ClickHouse's mark comes from something in between, the page of a gateway for example. Taken for ClickHouse's it would mean that a block is
 * stored.
 */
function checkSource(result: { readonly response_headers: Readonly<Record<string, unknown>> }): void {
  if (result.response_headers['x-clickhouse-query-id'] === undefined)
    throw new ClickHouseFailure('what answers there is not ClickHouse', 'unavailable', true)
}

/** Values to bind, as a body: in an address there is no room for many, and the client moves them for `query` only. */
async function bodyOf(params: Readonly<Record<string, unknown>>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(params)) form.set(`param_${name}`, parameterText(value))
  const encoded = new Response(form)
  const type = encoded.headers.get('content-type') ?? ''
  const bytes = Buffer.from(await encoded.arrayBuffer())
  return { values: Readable.from([bytes], { objectMode: false }), http_headers: { 'content-type': type } }
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
