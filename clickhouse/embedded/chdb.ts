import { readFileSync } from 'node:fs'
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
import { ClickHouseError } from '../port.js'
import { quote } from '../statements/literal.js'
import { ConnectionPool } from './connection-pool.js'
import { EMBEDDED_DATABASE, type EmbeddedEngine, type EngineRequest } from './engine.js'
import { removeScratchFile } from './scratch-files.js'
import { WriteQueue } from './write-queue.js'

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

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
  // How often it looks at the memory of the whole process, beside what it counts itself: at twenty times a second a thread that does nothing else took a fifth of a percent of a core.
  memory_worker_period_ms: 500,
}).map(([name, value]) => `--${name}=${value}`)

/**
 * Opens chdb on a data directory. Queries have a few connections of their own, writes one, and killing and pinging another, so that none waits for
 * the other.
 *
 * Only on the main thread: when any thread that has loaded chdb ends, it takes every connection of the process with it, and
 * queries on them never settle.
 *
 * @throws ClickHouseError `unavailable` where another process holds the directory
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
    await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${EMBEDDED_DATABASE}` })
    // Both hold for the connection, which is ours alone. The size is that of a statement with its bound values.
    await client.command({ query: `USE ${EMBEDDED_DATABASE}` })
    await client.command({ query: 'SET max_query_size = 67108864' })
  } catch (error) {
    await client.close()
    throw error
  }
  return client
}

/** The engine locks the file `status` of its directory and writes its process id there; it says no more than that opening failed. */
function refusal(path: string, error: unknown): ClickHouseError {
  const message = errorMessage(error)
  let holder: string | undefined
  try {
    holder = /^PID: (\d+)$/m.exec(readFileSync(join(path, 'status'), 'utf8'))?.[1]
  } catch {
    // Without that file nobody has ever held the directory.
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

/** Fills the table of links in memory from the stored ones, unless another thread has; a new directory has neither yet. */
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

/** One connection, which is replaced when it is spoilt. */
interface Lane {
  client: ClickHouseClient
}

class ChdbEngine implements EmbeddedEngine {
  private closed = false
  private readonly writes = new WriteQueue()

  constructor(
    private readonly path: string,
    private readonly engine: Session,
    private readonly control: ClickHouseClient,
    private readonly lanes: Readonly<Record<EngineRequest['lane'], ConnectionPool<Lane>>>,
  ) {}

  async run(request: EngineRequest, signal?: AbortSignal): Promise<Uint8Array> {
    const state = { begun: false, settled: false }
    let answered = false
    const running = this.onLane(request, state, signal)
      .then((answer) => {
        answered = signal?.aborted !== true
        return answer
      })
      .finally(() => {
        for (const file of request.files) removeScratchFile(file)
        if (!answered && request.output !== undefined) removeScratchFile(request.output)
      })
    if (signal === undefined) return running
    return settledOr(signal, running, () => {
      if (state.begun) void this.kill(request.mark, state)
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
      if (signal?.aborted) throw cancelledError()
      state.begun = true
      const ended = this.writes.begin(request)
      try {
        let answer: Uint8Array = new Uint8Array()
        for (const query of request.statements) {
          if (signal?.aborted) throw cancelledError()
          const result = await lane.client.exec({ query })
          answer = Buffer.concat(await result.stream.toArray())
        }
        return answer
      } catch (error) {
        state.settled = true
        await this.rinse(lane)
        throw toClickHouseError(error)
      } finally {
        state.settled = true
        ended()
      }
    }, signal)
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
}
