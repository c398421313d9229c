import { mkdirSync, readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { Session } from 'chdb'
import { createChdbConnection } from 'chdb/connection'
import { deadlineSignal } from '../../runtime/concurrency/deadline-signal.js'
import { errorMessage } from '../../runtime/errors.js'
import { isAlive } from '../../runtime/process-info.js'
import { settledOr } from '../abort.js'
import { cancelledError, closedError, toClickHouseError, withClickHouseErrors } from '../error-mapping.js'
import { quote } from '../literal.js'
import { ClickHouseError } from '../port.js'
import { ConnectionPool } from './connection-pool.js'
import { DiskGuard, reservedBytes } from './disk-guard.js'
import { EMBEDDED_DATABASE, type EmbeddedEngine, type EngineRequest } from './engine.js'
import { removeScratchFile } from './scratch-files.js'
import { WriteQueue } from './write-queue.js'

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

const KILL_AGAIN_MS = 100
const PING_MS = 2_000
const ATTACH_AGAIN_MS = 50

/**
 * The engine's defaults assume that it has the machine to itself: caches of gigabytes and nine tenths of the
 * memory. The first call that opens the engine in a process decides, so all callers pass the same.
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
  // How often the engine checks its memory. At twenty times a second, an idle thread used 0.2 % of a core.
  memory_worker_period_ms: 500,
}).map(([name, value]) => `--${name}=${value}`)

/**
 * Opens chdb on a data directory. Queries share a few connections, writes have one, killing and pinging
 * another, so that none waits for the other.
 *
 * Main thread only: if a thread that has loaded chdb ends, it closes every connection of the process, and
 * queries on them never settle.
 *
 * @throws ClickHouseError `unavailable` if another process holds the directory
 */
export async function openChdb(path: string, readers: number): Promise<EmbeddedEngine> {
  if (!isMainThread)
    throw new Error(
      'the embedded ClickHouse opens on the main thread only: give other threads its share() and connectSharedClickHouse',
    )
  const engine = holdEngine(path)
  const opened: ClickHouseClient[] = []
  const open = async () => {
    const client = await connect(path)
    opened.push(client)
    return client
  }
  try {
    const control = await open()
    const writer = { client: await open() }
    const linker = { client: await open() }
    const lanes: Lane[] = []
    for (let i = 0; i < readers; i++) lanes.push({ client: await open() })
    await loadLinks(writer.client)
    return new ChdbEngine(path, engine, control, {
      read: new ConnectionPool(lanes),
      write: new ConnectionPool([writer]),
      links: new ConnectionPool([linker]),
    })
  } catch (error) {
    for (const client of opened) await client.close()
    engine.close()
    throw toClickHouseError(error)
  }
}

/** Starts the engine unless this process has. The clients' connections cannot pass it arguments. */
function holdEngine(path: string): Session {
  try {
    mkdirSync(path, { recursive: true })
    const reserve = `--storage_configuration.disks.default.keep_free_space_bytes=${reservedBytes(path)}`
    return new Session(path, { connectionArgs: [...ENGINE_ARGUMENTS, reserve] })
  } catch (error) {
    throw refusal(path, error)
  }
}

async function connect(path: string): Promise<ClickHouseClient> {
  const connection = createChdbConnection({ path })
  // The same interface is declared in two packages, one compiled without exact optional properties.
  const client = createClient({
    connection: connection as unknown as ClientConnection,
    // The caller gets the error; the client would log statements and values.
    log: { level: ClickHouseLogLevel.OFF },
  })
  try {
    await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${EMBEDDED_DATABASE}` })
    // Both settings hold for this connection. The size is that of a statement with its bound values.
    await client.command({ query: `USE ${EMBEDDED_DATABASE}` })
    await client.command({ query: 'SET max_query_size = 67108864' })
  } catch (error) {
    await client.close()
    throw error
  }
  return client
}

/** The engine locks the file `status` and writes its process id there. Its own error does not say so. */
function refusal(path: string, error: unknown): ClickHouseError {
  const message = errorMessage(error)
  let holder: string | undefined
  try {
    holder = /^PID: (\d+)$/m.exec(readFileSync(join(path, 'status'), 'utf8'))?.[1]
  } catch {
    // Without that file no process has ever held the directory.
  }
  if (holder !== undefined && Number(holder) !== process.pid && isAlive(Number(holder)))
    return new ClickHouseError(
      'unavailable',
      `the ClickHouse data in ${path} is in use by another process (${holder})`,
      { cause: error },
    )
  return new ClickHouseError('unusable', `the ClickHouse data in ${path} cannot be opened: ${message}`, {
    cause: error,
  })
}

/** Fills the in-memory table of links from the stored one, if there are both and no thread has done so. */
async function loadLinks(writer: ClickHouseClient): Promise<void> {
  const tables = await writer.query({
    query: `SELECT count() AS found FROM system.tables WHERE database = '${EMBEDDED_DATABASE}' AND name IN ('identity_links', 'links_join')`,
    format: 'JSONEachRow',
  })
  const [row] = await tables.json<{ found: number | string }>()
  if (Number(row?.found) !== 2) return
  await writer.command({
    query: `INSERT INTO links_join SELECT anonymous_key, any(user_key) FROM identity_links
      WHERE joinGetOrNull('${EMBEDDED_DATABASE}.links_join', 'user_key', anonymous_key) IS NULL GROUP BY anonymous_key`,
  })
}

/** One connection, replaced if it is broken. */
interface Lane {
  client: ClickHouseClient
}

class ChdbEngine implements EmbeddedEngine {
  private closed = false
  private readonly writes = new WriteQueue()
  private readonly guard: DiskGuard
  /** Settles when the tables are there again. */
  private reloading: Promise<void> | undefined

  constructor(
    private readonly path: string,
    private readonly engine: Session,
    private readonly control: ClickHouseClient,
    private readonly lanes: Readonly<Record<EngineRequest['lane'], ConnectionPool<Lane>>>,
  ) {
    const command = (query: string) => this.control.command({ query })
    this.guard = new DiskGuard(path, reservedBytes(path), {
      stopMerges: async () => {
        await command('SYSTEM STOP CLEANUP')
        await command('SYSTEM STOP MERGES')
      },
      reloadTables: () => this.reloadTables(),
      startMerges: async () => {
        await command('SYSTEM START MERGES')
        await command('SYSTEM START CLEANUP')
      },
    })
  }

  async run(request: EngineRequest, signal?: AbortSignal): Promise<Uint8Array> {
    const state = { begun: false, settled: false }
    let answered = false
    const running = this.onLane(request, state, signal)
      .then((answer) => {
        answered = signal?.aborted !== true
        return answer
      })
      .finally(() => {
        if (!answered && request.output !== undefined) removeScratchFile(request.output)
      })
    if (signal === undefined) return running
    return settledOr(signal, running, () => {
      if (state.begun) void this.kill(request.queryTag, state)
      return cancelledError()
    })
  }

  async contentVersion(workspaceId: string): Promise<string | undefined> {
    return this.writes.version(workspaceId)
  }

  async ping(signal?: AbortSignal): Promise<void> {
    if (this.closed) throw closedError()
    const late = deadlineSignal(PING_MS)
    const given = signal === undefined ? late : AbortSignal.any([signal, late])
    await settledOr(given, withClickHouseErrors(this.control.command({ query: 'SELECT 1' })), () =>
      late.aborted ? new ClickHouseError('unavailable', 'no answer within two seconds') : cancelledError(),
    )
  }

  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    this.guard.stop()
    const lanes = await Promise.all(Object.values(this.lanes).map((lanes) => lanes.close()))
    for (const lane of lanes.flat()) await lane.client.close()
    await this.control.close()
    this.engine.close()
  }

  private onLane(
    request: EngineRequest,
    state: { begun: boolean; settled: boolean },
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    return this.lanes[request.lane].run(async (lane) => {
      // Writes have the lane to themselves, and are not kept from ending before tables are loaded.
      if (request.lane === 'read') await this.reloading
      if (signal?.aborted) throw cancelledError()
      state.begun = true
      const ended = this.writes.begin(request)
      try {
        let answer: Uint8Array = new Uint8Array()
        for (const query of request.statements) {
          if (signal?.aborted) throw cancelledError()
          const result = await lane.client.exec({ query })
          const chunks: Buffer[] = await result.stream.toArray()
          answer = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
        }
        return answer
      } catch (error) {
        state.settled = true
        await this.rinse(lane)
        const mapped = toClickHouseError(error)
        if (this.reloading !== undefined && mapped.type === 'UNKNOWN_TABLE')
          throw new ClickHouseError('unavailable', 'a table is being loaded', { cause: error })
        throw mapped
      } finally {
        state.settled = true
        ended()
      }
    }, signal)
  }

  /** Nothing is written meanwhile; what is read begins when the tables are there again. */
  private reloadTables(): Promise<void> {
    this.reloading ??= this.lanes.links
      .run(() => this.lanes.write.run(() => this.attachTablesAnew()))
      .finally(() => {
        this.reloading = undefined
      })
    return this.reloading
  }

  private async attachTablesAnew(): Promise<void> {
    const found = await this.control.query({
      query: `SELECT name FROM system.tables WHERE database = '${EMBEDDED_DATABASE}' AND engine LIKE '%MergeTree'`,
      format: 'JSONEachRow',
    })
    for (const { name } of await found.json<{ name: string }>()) {
      await this.control.command({ query: `DETACH TABLE ${EMBEDDED_DATABASE}.${name}` })
      for (let attached = false; !attached && !this.closed; )
        attached = await this.control.command({ query: `ATTACH TABLE ${EMBEDDED_DATABASE}.${name}` }).then(
          () => true,
          // Queries that began before may still hold the table.
          () => setTimeout(ATTACH_AGAIN_MS, false),
        )
    }
  }

  /**
   * Output of a failed statement appears in the next answer on its connection, which may belong to another
   * workspace. So run a harmless query until only its own answer comes back.
   */
  private async rinse(lane: Lane): Promise<void> {
    const expected = 'clean'
    try {
      for (let attempt = 0; attempt < 3; attempt++) {
        const result = await lane.client.query({ query: `SELECT '${expected}'`, format: 'TabSeparated' })
        if ((await result.text()) === `${expected}\n`) return
      }
    } catch {
      // The connection cannot answer that either: replace it.
    }
    const old = lane.client
    lane.client = await connect(this.path)
    await old.close()
  }

  /** Repeats, because the statement may not have reached the engine yet, or be between two of its parts. */
  private async kill(mark: string, state: { readonly settled: boolean }): Promise<void> {
    while (!state.settled) {
      try {
        // Concatenated in the engine, so that this statement does not match itself.
        await this.control.command({
          query: `KILL QUERY WHERE position(query, concat(${quote(mark.slice(0, -1))}, '.')) > 0`,
        })
      } catch {
        // The engine is closing, or the statement has just ended: the loop checks again.
      }
      if (!state.settled) await setTimeout(KILL_AGAIN_MS)
    }
  }
}
