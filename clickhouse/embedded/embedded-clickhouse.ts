import { randomUUID } from 'node:crypto'
import { cancelledError, closedError } from '../error-mapping.js'
import { parameterText, placeholders, quote, settingText } from '../literal.js'
import {
  type ClickHouse,
  ClickHouseError,
  type EventBlock,
  type LinkRow,
  MAX_RESPONSE_BYTES,
  type PersonSql,
  type QueryOptions,
  type QueryResult,
  type SchemaTarget,
  type SettingValue,
} from '../port.js'
import {
  EVENT_STRUCTURE,
  eventInsertSettings,
  eventInsertSql,
  LINK_STRUCTURE,
  ONE_BLOCK,
} from '../statements/event-insert.js'
import { encodeLinkRows } from '../statements/links.js'
import { QUERY_SETTINGS } from '../statements/settings.js'
import { EMBEDDED_DATABASE, type EmbeddedEngine, type EngineRequest } from './engine.js'
import { readChunks, removeScratchFile, type ScratchFiles } from './scratch-files.js'

/** Implements the port over an embedded engine in this thread or another one. */
export class EmbeddedClickHouse implements ClickHouse {
  readonly schema: SchemaTarget = {
    kind: 'embedded',
    database: EMBEDDED_DATABASE,
    cluster: undefined,
    links: 'memory',
    credentials: undefined,
  }
  private readonly name = randomUUID()
  private statements = 0
  private closed = false

  constructor(
    protected readonly engine: EmbeddedEngine,
    private readonly files: ScratchFiles,
  ) {}

  async query<Row>(sql: string, options: QueryOptions = {}): Promise<QueryResult<Row>> {
    const answer = await this.read(sql, 'JSON', options)
    const { data, statistics } = JSON.parse(
      Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString(),
    )
    return { rows: data, rowsRead: statistics.rows_read, elapsedMs: statistics.elapsed * 1_000 }
  }

  async native(sql: string, options: QueryOptions = {}): Promise<Uint8Array> {
    return this.read(sql, 'Native', options)
  }

  async *rowBinary(sql: string, options: QueryOptions = {}): AsyncGenerator<Uint8Array> {
    if (this.closed) throw closedError()
    if (options.signal?.aborted) throw cancelledError()
    const queryTag = this.nextQueryTag()
    const settings = settingsSql({
      ...QUERY_SETTINGS,
      ...options.settings,
      // The file exists already, empty.
      engine_file_truncate_on_insert: 1,
      log_comment: queryTag,
    })
    const bound = bindStatements(sql, options.params)
    const output = this.files.reserve(MAX_RESPONSE_BYTES)
    try {
      const statement = `INSERT INTO FUNCTION file(${quote(output)}, 'RowBinary') ${sql}\nSETTINGS ${settings}`
      await this.run(
        { lane: 'write', queryTag, statements: [...bound, statement], files: [], output },
        options.signal,
      )
      yield* readChunks(output)
    } finally {
      removeScratchFile(output)
    }
  }

  async command(sql: string, options: QueryOptions = {}): Promise<void> {
    const queryTag = this.nextQueryTag()
    const statement =
      options.params === undefined && options.settings === undefined
        ? `/* ${queryTag} */ ${sql}`
        : `${sql}\nSETTINGS ${settingsSql({ ...options.settings, log_comment: queryTag })}`
    const statements = [...bindStatements(sql, options.params), statement]
    const { mutated, signal } = options
    await this.run({ lane: 'write', queryTag, statements, files: [], mutated }, signal)
  }

  async insertEvents(block: EventBlock, signal?: AbortSignal): Promise<void> {
    const queryTag = this.nextQueryTag()
    const settings = settingsSql({ ...eventInsertSettings(block.token), log_comment: queryTag })
    const insert = eventInsertSql(block, settings)
    await this.runOnFile(
      'write',
      queryTag,
      block.chunks,
      block.workspaceIds ?? [],
      (file) => [`${insert} FROM ${fileSource(file, EVENT_STRUCTURE)}`],
      signal,
    )
  }

  async insertLinks(links: readonly LinkRow[]): Promise<void> {
    if (links.length === 0) return
    const queryTag = this.nextQueryTag()
    const settings = settingsSql({ ...ONE_BLOCK, async_insert: 0, log_comment: queryTag })
    const workspaceIds = [...new Set(links.map((link) => link.workspaceId))]
    await this.runOnFile('links', queryTag, [encodeLinkRows(links)], workspaceIds, (file) => {
      const rows = fileSource(file, LINK_STRUCTURE)
      return [
        // The stored table first: the in-memory one is filled from it when the engine opens again.
        `INSERT INTO identity_links (workspace_id, anonymous_key, user_key) SETTINGS ${settings} SELECT * FROM ${rows}`,
        `INSERT INTO links_join SETTINGS ${settings} SELECT anonymous_key, user_key FROM ${rows}`,
      ]
    })
  }

  personSql(): PersonSql {
    // The engine evaluates the repeated lookup once. A form with NULL costs a third more. No user has key 0.
    const linked = `joinGet('${EMBEDDED_DATABASE}.links_join', 'user_key', person_key)`
    return { key: `if(${linked} = 0, person_key, ${linked})`, linked: (rows) => rows, joins: false }
  }

  async contentVersion(workspaceId: string): Promise<string | undefined> {
    if (this.closed) throw closedError()
    return this.engine.contentVersion(workspaceId)
  }

  async ping(signal?: AbortSignal): Promise<void> {
    if (this.closed) throw closedError()
    await this.engine.ping(signal)
  }

  async close(): Promise<void> {
    this.closed = true
    await this.engine.close()
    this.files.close()
  }

  private read(sql: string, format: 'JSON' | 'Native', options: QueryOptions): Promise<Uint8Array> {
    const queryTag = this.nextQueryTag()
    const settings = settingsSql({ ...QUERY_SETTINGS, ...options.settings, log_comment: queryTag })
    const statement = `${sql}\nSETTINGS ${settings}\nFORMAT ${format}`
    const statements = [...bindStatements(sql, options.params), statement]
    const lane = options.betweenWrites === true ? 'write' : 'read'
    return this.run({ lane, queryTag, statements, files: [] }, options.signal)
  }

  private async run(request: EngineRequest, signal: AbortSignal | undefined): Promise<Uint8Array> {
    if (this.closed) throw closedError()
    return this.engine.run(request, signal)
  }

  /** All checks run before the file is written. */
  private async runOnFile(
    lane: 'write' | 'links',
    queryTag: string,
    chunks: readonly Uint8Array[],
    workspaceIds: readonly string[],
    statements: (file: string) => readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    if (this.closed) throw closedError()
    if (signal?.aborted) throw cancelledError()
    const file = this.files.write(chunks)
    try {
      await this.run({ lane, queryTag, statements: statements(file), files: [file], workspaceIds }, signal)
    } catch (error) {
      // A statement that is still being killed may read it, so it must not get other rows.
      removeScratchFile(file)
      throw error
    }
    this.files.release(file)
  }

  private nextQueryTag(): string {
    return `svc-${this.name}-${this.statements++}.`
  }
}

function fileSource(file: string, structure: string): string {
  return `file(${quote(file)}, 'RowBinary', ${quote(structure)})`
}

/**
 * Binds values with a `SET` statement before the query, on the same connection. The engine's own interface
 * mixes up values of queries on different connections. A value stays set, so every placeholder must be bound.
 */
function bindStatements(sql: string, params: Readonly<Record<string, unknown>> = {}): string[] {
  const names = [...placeholders(sql)]
  if (names.length === 0) return []
  const values = names.map((name) => {
    if (!Object.hasOwn(params, name)) throw new ClickHouseError('query', `no value for {${name}}`)
    return `param_${name} = ${quote(parameterText(params[name]))}`
  })
  return [`SET ${values.join(', ')}`]
}

function settingsSql(settings: Readonly<Record<string, SettingValue>>): string {
  return Object.entries(settings)
    .map(([name, value]) => settingText(name, value))
    .join(', ')
}
