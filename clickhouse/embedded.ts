import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { Session } from 'chdb'
import { createChdbConnection } from 'chdb/connection'
import { settledOr } from './abort.js'
import {
  EVENT_STRUCTURE,
  eventInsertSettings,
  eventInsertSql,
  LINK_STRUCTURE,
  ONE_BLOCK,
} from './event-insert.js'
import { cancelled, closedFailure, toFailure, withFailure } from './failure.js'
import { Lanes } from './lanes.js'
import { encodeLinks } from './links.js'
import { parameterText, placeholders, quote, settingText } from './literal.js'
import {
  type ClickHouse,
  ClickHouseFailure,
  type EventBlock,
  type LinkRow,
  type QueryOptions,
  type SchemaTarget,
  type SettingValue,
} from './port.js'
import { type ScratchFiles, scratchFiles } from './scratch-file.js'
import { QUERY_SETTINGS } from './settings.js'

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

const DATABASE = 'svc'
const KILL_AGAIN_MS = 100
const PING_MS = 2_000

/**
 * The engine's own defaults are those of a server with a machine to itself: caches of gigabytes, and memory up to nine tenths of what there is. The first
 * who opens the engine in a process decides; these are the same for all.
 */
const ENGINE_ARGUMENTS = Object.entries({
  max_server_memory_usage: Math.min(3 * 1024 ** 3, Math.floor(totalmem() / 2)),
  mark_cache_size: 128 * 1024 ** 2,
  index_mark_cache_size: 16 * 1024 ** 2,
  primary_index_cache_size: 128 * 1024 ** 2,
  query_condition_cache_size: 16 * 1024 ** 2,
  compiled_expression_cache_size: 32 * 1024 ** 2,
  mmap_cache_size: 64,
  max_thread_pool_size: 256,
}).map(([name, value]) => `--${name}=${value}`)

export interface EmbeddedOptions {
  /** The data directory: one process holds it at a time, any number of threads of it. */
  readonly path: string
  /** Queries that run side by side; more wait their turn. */
  readonly readers?: number
  /** Where blocks of rows lie for the engine when there is no room for them in memory files. */
  readonly scratchDir?: string
}

/**
 * Opens the embedded engine on a data directory, as often in a process as there are threads that need it.
 *
 * Queries have a few connections of their own, writes one, and killing and pinging another, so that none waits for the other. The links are
 * loaded into memory; blocks that an earlier process left behind are removed.
 *
 * @throws ClickHouseFailure `unavailable` where another process holds the directory
 */
export async function openEmbeddedClickHouse(options: EmbeddedOptions): Promise<ClickHouse> {
  const files = scratchFiles(options.path, options.scratchDir)
  const engine = holdEngine(options.path)
  const opened: ClickHouseClient[] = []
  const open = async () => {
    const client = await connect(options.path)
    opened.push(client)
    return client
  }
  try {
    const control = await open()
    const writer = await open()
    const readers: Lane[] = []
    for (let i = 0; i < (options.readers ?? 2); i++) readers.push({ client: await open() })
    files.removeStale()
    await loadLinks(writer)
    return new EmbeddedClickHouse(
      options.path,
      engine,
      control,
      new Lanes([{ client: writer }]),
      new Lanes(readers),
      files,
    )
  } catch (error) {
    for (const client of opened) await client.close()
    engine.close()
    throw toFailure(error)
  }
}

/** Starts the engine where nobody in this process has. The clients' connections cannot give it arguments. */
function holdEngine(path: string): Session {
  try {
    return new Session(path, { connectionArgs: ENGINE_ARGUMENTS })
  } catch (error) {
    throw refusal(path, error)
  }
}

async function connect(path: string): Promise<ClickHouseClient> {
  const connection = createChdbConnection({ path })
  // The same interface, declared in two packages of which one is compiled without exact optional properties.
  const client = createClient({
    connection: connection as unknown as ClientConnection,
    // Whoever asked gets the error; the client would print statements and values beside it.
    log: { level: ClickHouseLogLevel.OFF },
  })
  try {
    await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${DATABASE}` })
    // Both hold for the connection, which is ours alone. The size is that of a statement with its bound values.
    await client.command({ query: `USE ${DATABASE}` })
    await client.command({ query: 'SET max_query_size = 67108864' })
  } catch (error) {
    await client.close()
    throw error
  }
  return client
}

/** The engine locks the file `status` of its directory and writes its process id there; it says no more than that opening failed. */
function refusal(path: string, error: unknown): ClickHouseFailure {
  const message = error instanceof Error ? error.message : String(error)
  let holder: string | undefined
  try {
    holder = /^PID: (\d+)$/m.exec(readFileSync(join(path, 'status'), 'utf8'))?.[1]
  } catch {
    // Without that file nobody has ever held the directory.
  }
  if (holder !== undefined && Number(holder) !== process.pid && isAlive(Number(holder)))
    return new ClickHouseFailure(
      `the ClickHouse data in ${path} is in use by another process (${holder})`,
      'unavailable',
      true,
      { cause: error },
    )
  return new ClickHouseFailure(
    `the ClickHouse data in ${path} cannot be opened: ${message}`,
    'unavailable',
    false,
    {
      cause: error,
    },
  )
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Fills the table of links in memory from the stored ones, unless another thread has; a new directory has neither yet. */
async function loadLinks(writer: ClickHouseClient): Promise<void> {
  const tables = await writer.query({
    query: `SELECT count() AS found FROM system.tables WHERE database = '${DATABASE}' AND name IN ('identity_links', 'links_join')`,
    format: 'JSONEachRow',
  })
  const [row] = await tables.json<{ found: number | string }>()
  if (Number(row?.found) !== 2) return
  await writer.command({
    query: `INSERT INTO links_join SELECT anonymous_key, any(user_key) FROM identity_links
      WHERE joinGetOrNull('${DATABASE}.links_join', 'user_key', anonymous_key) IS NULL GROUP BY anonymous_key`,
  })
}

/** One connection, which is replaced when it is spoilt. */
interface Lane {
  client: ClickHouseClient
}

class EmbeddedClickHouse implements ClickHouse {
  /** Stands in every statement, so that it can be told from those of other instances and killed. */
  private readonly mark = `svc-${randomUUID()}`
  private statements = 0
  readonly schema: SchemaTarget = {
    kind: 'embedded',
    database: DATABASE,
    cluster: undefined,
    credentials: undefined,
  }
  private closed = false

  constructor(
    private readonly path: string,
    private readonly engine: Session,
    private readonly control: ClickHouseClient,
    private readonly writer: Lanes<Lane>,
    private readonly readers: Lanes<Lane>,
    private readonly files: ScratchFiles,
  ) {}

  async query<Row>(sql: string, options: QueryOptions = {}) {
    return this.run(this.readers, options.signal, async (client, mark) => {
      const settings = settingsSql({ ...QUERY_SETTINGS, ...options.settings, log_comment: mark })
      const result = await client.query({
        query: `${bindingsSql(sql, options.params)}${sql}\nSETTINGS ${settings}`,
        format: 'JSON',
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
    await this.run(this.writer, options.signal, (client, mark) => {
      if (options.params === undefined && options.settings === undefined)
        return client.command({ query: `/* ${mark} */ ${sql}` })
      const settings = settingsSql({ ...options.settings, log_comment: mark })
      return client.command({
        query: `${bindingsSql(sql, options.params)}${sql}\nSETTINGS ${settings}`,
      })
    })
  }

  async insertEvents(block: EventBlock, signal?: AbortSignal): Promise<void> {
    await this.run(this.writer, signal, (client, mark) => {
      const settings = settingsSql({ ...eventInsertSettings(block.token), log_comment: mark })
      const insert = eventInsertSql(block, settings)
      return this.throughFile(block.chunks, EVENT_STRUCTURE, (source) =>
        client.command({ query: `${insert} FROM ${source}` }),
      )
    })
  }

  async insertLinks(links: readonly LinkRow[]): Promise<void> {
    if (links.length === 0) return
    await this.run(this.writer, undefined, (client, mark) => {
      const settings = settingsSql({ ...ONE_BLOCK, async_insert: 0, log_comment: mark })
      return this.throughFile([encodeLinks(links)], LINK_STRUCTURE, async (source) => {
        // The stored table first: the one in memory is filled from it when the engine is opened again.
        await client.command({
          query: `INSERT INTO identity_links (workspace_id, anonymous_key, user_key) SETTINGS ${settings} SELECT * FROM ${source}`,
        })
        await client.command({
          query: `INSERT INTO links_join SETTINGS ${settings} SELECT anonymous_key, user_key FROM ${source}`,
        })
      })
    })
  }

  personKeySql(personKey: string): string {
    return `ifNull(joinGetOrNull('${DATABASE}.links_join', 'user_key', ${personKey}), ${personKey})`
  }

  async ping(signal?: AbortSignal): Promise<void> {
    if (this.closed) throw closedFailure()
    const late = AbortSignal.timeout(PING_MS)
    const given = signal === undefined ? late : AbortSignal.any([signal, late])
    await settledOr(given, withFailure(this.control.command({ query: 'SELECT 1' })), () =>
      late.aborted ? new ClickHouseFailure('no answer within two seconds', 'timeout', true) : cancelled(),
    )
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    const lanes = await Promise.all([this.readers.close(), this.writer.close()])
    for (const lane of lanes.flat()) await lane.client.close()
    await this.control.close()
    this.engine.close()
  }

  /** Runs a statement on a connection of its own. Aborting rejects at once and kills it in the engine. */
  private async run<T>(
    lanes: Lanes<Lane>,
    signal: AbortSignal | undefined,
    work: (client: ClickHouseClient, mark: string) => Promise<T>,
  ): Promise<T> {
    if (this.closed) throw closedFailure()
    const mark = `${this.mark}-${this.statements++}.`
    const state = { begun: false, settled: false }
    const running = lanes.run(async (lane) => {
      if (signal?.aborted) throw cancelled()
      state.begun = true
      try {
        return await work(lane.client, mark)
      } catch (error) {
        state.settled = true
        await this.rinse(lane)
        throw toFailure(error)
      } finally {
        state.settled = true
      }
    }, signal)
    if (signal === undefined) return running
    return settledOr(signal, running, () => {
      if (state.begun) void this.kill(mark, state)
      return cancelled()
    })
  }

  /**
   * What a statement had written before it failed comes out with the next answer on its connection: an answer that may be another
   * workspace's. So something else is asked until nothing else comes back.
   */
  private async rinse(lane: Lane): Promise<void> {
    const expected = 'clean'
    try {
      for (let attempt = 0; attempt < 3; attempt++) {
        const result = await lane.client.query({ query: `SELECT '${expected}'`, format: 'TabSeparated' })
        if ((await result.text()) === `${expected}\n`) return
      }
    } catch {
      // A connection that cannot answer that is given up.
    }
    const old = lane.client
    lane.client = await connect(this.path)
    await old.close()
  }

  /** Again and again, as the statement may not have reached the engine yet, or be between two of its parts. */
  private async kill(mark: string, state: { readonly settled: boolean }): Promise<void> {
    while (!state.settled) {
      try {
        // Put together in the engine, so that this statement does not name itself.
        await this.control.command({
          query: `KILL QUERY WHERE position(query, concat(${quote(mark.slice(0, -1))}, '.')) > 0`,
        })
      } catch {
        // The engine is closing, or the statement has just ended: the loop asks again.
      }
      if (!state.settled) await setTimeout(KILL_AGAIN_MS)
    }
  }

  private async throughFile<T>(
    chunks: readonly Uint8Array[],
    structure: string,
    work: (source: string) => Promise<T>,
  ): Promise<T> {
    const path = this.files.write(chunks)
    try {
      return await work(`file(${quote(path)}, 'RowBinary', ${quote(structure)})`)
    } finally {
      this.files.remove(path)
    }
  }
}

/**
 * Values are bound by statements before the query, on the same connection: binding through the engine's interface mixes up the values of
 * queries that run at the same time on different connections and threads. A value stays until it is set again, so every placeholder must be given.
 */
function bindingsSql(sql: string, params: Readonly<Record<string, unknown>> = {}): string {
  let bindings = ''
  for (const name of placeholders(sql)) {
    if (!Object.hasOwn(params, name)) throw new ClickHouseFailure(`no value for {${name}}`, 'query', false)
    bindings += `SET param_${name} = ${quote(parameterText(params[name]))}; `
  }
  return bindings
}

function settingsSql(settings: Readonly<Record<string, SettingValue>>): string {
  return Object.entries(settings)
    .map(([name, value]) => settingText(name, value))
    .join(', ')
}
