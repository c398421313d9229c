import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openEmbeddedLog } from '../../../log/embedded/log.js'
import { connectPostgres, type Sql } from '../../../postgres/driver/client.js'
import { isServing, readPostmaster } from '../../../postgres/embedded/postmaster.js'
import { findEmbeddedPostgres } from '../../../postgres/embedded/start.js'
import { freePort } from '../../support/network/free-port.js'
import { mountSmallDisk, type SmallDisk } from '../../support/outage/small-disk.js'
import { type RunningService, startService } from '../../support/service.js'
import type { Target } from '../clients/clients.js'
import { MachineClock } from '../clients/machine-clock.js'
import { ClientNetwork } from './client-network.js'
import { childrenOf, isRunning, signal } from './processes.js'
import { pointsFolder, productEnvironment } from './product-environment.js'
import { readBooks } from './read-books.js'
import type { FromReader } from './read-store.js'
import type { Books, StoredLinkKeys, StoredRow, StoreSummary, System } from './system.js'

export interface AllInOneOptions {
  readonly dataDir: string
  /** Folder of the compiled `main.js` to run; by default the one of this harness. */
  readonly programs?: string | undefined
  /** Gateway processes that share the port; 1 by default. */
  readonly gateways?: number
  /** With a clock that can be stepped, and each store on a small disk if that is permitted. */
  readonly product?: boolean | undefined
}

/** Processes that a signal can be sent to. */
export type Part = 'all' | 'main' | 'gateway' | 'postgres' | 'postgres-backend'

const POLL_MS = 20
const POSTGRES_LIMIT_MS = 60_000
const PORT_TRIES = 30
const PORT_PAUSE_MS = 200
/** Megabytes of each store, for a run that is counted often. */
const DISKS = [
  ['log', 350],
  ['clickhouse', 400],
  ['postgres', 350],
] as const

/** `npm start` on embedded stores: main with the consumers on a thread, gateway processes, Postgres. */
export class AllInOne implements System {
  readonly name = 'all-in-one'
  /** The embedded engine is one process's at a time. */
  readonly readsWhileRunning = false
  readonly clock = new MachineClock()
  readonly network = new ClientNetwork()
  /** Those of the log, ClickHouse and Postgres; empty if they cannot be mounted. */
  readonly disks: readonly SmallDisk[]
  private readonly environment: Readonly<Record<string, string>>
  private armedFrom = 0
  private readonly undo: (() => unknown)[] = []
  private service: RunningService | undefined
  private running = false
  private port: number | undefined
  private starting: Promise<void> = Promise.resolve()
  private closed = false
  private end: Promise<number | null> = Promise.resolve(null)

  constructor(private readonly options: AllInOneOptions) {
    const { dataDir, product = false } = options
    this.environment = product ? productEnvironment(dataDir, this.clock) : {}
    const teardown = (step: () => unknown): void => void this.undo.push(step)
    const disks = product
      ? DISKS.map(([store, megabytes]) => mountSmallDisk({ teardown }, join(dataDir, store), megabytes))
      : []
    this.disks = disks.filter((disk) => typeof disk === 'object')
  }

  /** Only over the whole product; else a point is armed by a start. */
  get arm(): ((faultPoint: string) => Promise<void>) | undefined {
    if (!this.options.product) return undefined
    return async (faultPoint) => {
      this.armedFrom = this.output().length
      this.writePoint(faultPoint)
    }
  }

  takeBack(): void {
    if (this.options.product) this.writePoint('')
  }

  private writePoint(setting: string): void {
    writeFileSync(join(pointsFolder(this.options.dataDir), 'all'), setting)
  }

  target(): Target {
    const { service, network, running } = this
    return {
      ingest: running ? network.route(service?.ingest) : undefined,
      api: running ? network.route(service?.api) : undefined,
      serverKey: service?.keys.serverKey ?? '',
      apiKey: service?.keys.apiKey ?? '',
      workspaceId: service?.keys.workspaceId ?? '',
    }
  }

  get isRunning(): boolean {
    return this.running
  }

  /** Resolves with the exit code (null: killed) when the program of the last start has ended. */
  get ended(): Promise<number | null> {
    return this.end
  }

  async stop(): Promise<number | null> {
    this.signal('main', 'SIGTERM')
    return this.end
  }

  async start(faultPoint?: string): Promise<void> {
    if (this.closed) throw new Error('the system has been closed')
    const { product = false } = this.options
    if (product) this.writePoint('')
    this.armedFrom = 0
    const launched = this.launch(product ? undefined : faultPoint)
    this.starting = launched.then(
      () => {},
      () => {},
    )
    const service = await launched
    this.service = service
    this.running = true
    // Jobs that wait would come to the point before the service is ready.
    if (faultPoint !== undefined) await this.arm?.(faultPoint)
    this.end = new Promise((resolve) => {
      const ended = (): void => {
        this.running = false
        resolve(service.process.exitCode)
      }
      if (service.process.exitCode !== null || service.process.signalCode !== null) ended()
      else service.process.once('exit', ended)
    })
  }

  /** A gateway whose main process was killed may hold the port for another moment. */
  private async launch(faultPoint: string | undefined): Promise<RunningService> {
    // The same port at every start, as in production.
    this.port ??= await freePort()
    for (let attempt = 1; ; attempt++) {
      try {
        return await startService(this.options.dataDir, {
          logLevel: 'warn',
          program: this.options.programs && join(this.options.programs, 'main.js'),
          env: {
            SVC_INGEST_PORT: String(this.port),
            SVC_INGEST_WORKERS: String(this.options.gateways ?? 1),
            ...this.environment,
            ...(faultPoint === undefined ? {} : { SVC_FAULT_POINT: faultPoint }),
          },
        })
      } catch (error) {
        if (attempt === PORT_TRIES || !String(error).includes(`port ${this.port} `)) throw error
        await sleep(PORT_PAUSE_MS)
      }
    }
  }

  output(): string {
    return this.service?.output() ?? ''
  }

  hasStruck(): boolean {
    return this.output().slice(this.armedFrom).includes('svc: fault point ')
  }

  /** The processes of a part. */
  pids(part: Part): readonly number[] {
    const main = this.service?.process.pid
    if (main === undefined) return []
    if (part === 'main') return isRunning(main) ? [main] : []
    if (part === 'gateway')
      return childrenOf(main)
        .filter(({ commandLine }) => commandLine.includes('gateway-process'))
        .map(({ pid }) => pid)
    // By its own word, since it outlives a main process that was killed.
    const cluster = join(this.options.dataDir, 'postgres', 'cluster')
    const postmaster = readPostmaster(cluster)?.pid
    const postgres = postmaster !== undefined && isServing(cluster, postmaster) ? [postmaster] : []
    if (part === 'postgres') return postgres
    if (part === 'postgres-backend')
      return postgres
        .flatMap(childrenOf)
        .filter(({ commandLine }) => /svc [^ ]+ 127\.0\.0\.1/.test(commandLine))
        .map(({ pid }) => pid)
    return [...this.pids('main'), ...this.pids('gateway'), ...postgres]
  }

  /** Sends a signal to every process of a part. Returns their number. */
  signal(part: Part, name: NodeJS.Signals): number {
    if (part !== 'all') return this.pids(part).filter((pid) => signal(pid, name)).length
    const main = this.service?.process.pid
    // Each process leads a group. The group of a main process that is gone may still have gateways.
    const groups = [...(main === undefined ? [] : [main]), ...this.pids('postgres')]
    return groups.filter((leader) => signal(-leader, name)).length
  }

  async drain(limitMs: number): Promise<void> {
    await this.withDatabase(async (sql) => {
      for (const end = Date.now() + limitMs; ; await sleep(POLL_MS)) {
        // It may be recovering from its own fault.
        const left = await this.left(sql).catch((error: unknown) => String(error))
        if (left === undefined) return
        if (Date.now() > end) throw new Error(`not carried through after ${limitMs} ms: ${left}`)
      }
    })
  }

  async books(): Promise<Books> {
    return this.withDatabase(async (sql) => ({
      ...(await readBooks(sql)),
      appended: await this.withLog(sql, (log) => log.appendedEvents()),
    }))
  }

  async readStore(rows: (batch: readonly StoredRow[]) => void): Promise<StoreSummary> {
    // In a separate process: one process at a time may use the embedded engine, and this one lives on.
    const child = fork(fileURLToPath(new URL('./read-store.js', import.meta.url)), [this.options.dataDir], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    })
    const vocabulary = new Map<string, number>()
    const links: StoredLinkKeys[] = []
    let complete = false
    child.on('message', (message: FromReader) => {
      if (message.kind === 'rows') rows(message.rows)
      else if (message.kind === 'links') links.push(...message.links)
      else {
        for (const { event, count } of message.vocabulary) vocabulary.set(event, count)
        complete = true
      }
    })
    const code = await new Promise((resolve) => child.once('close', resolve))
    if (code !== 0 || !complete) throw new Error(`the store could not be read: exit code ${code}`)
    return { vocabulary, links: [links] }
  }

  async close(): Promise<void> {
    this.closed = true
    this.running = false
    // A process that is still starting could not be found and killed.
    await this.starting
    // A Postgres that is just restarting appears a moment later.
    for (let waited = 0; this.signal('all', 'SIGKILL') > 0 && waited < 5_000; waited += POLL_MS)
      await sleep(POLL_MS)
    await this.end
    await this.network.restore()
  }

  discard(): void {
    for (const step of this.undo.splice(0)) step()
  }

  /** Describes unfinished work, `undefined` if there is none. */
  private async left(sql: Sql): Promise<string | undefined> {
    const [row] = await sql<{ open: string; done: string; outbox: string }[]>`
      select count(open_to) as open, coalesce(sum(done_offset), 0) as done, (select count(*) from link_outbox) as outbox
      from log_partitions`
    const end = await this.withLog(sql, async (log) => {
      let sum = 0
      for (let partition = 0; partition < log.partitions + log.identityPartitions; partition++)
        sum += await log.end(partition)
      return sum
    })
    if (row === undefined) return 'no checkpoint'
    const { open, done, outbox } = row
    if (Number(open) === 0 && Number(outbox) === 0 && Number(done) === end) return undefined
    return `${done} of ${end} records, ${open} blocks open, ${outbox} links in the outbox`
  }

  async withDatabase<T>(use: (sql: Sql) => Promise<T>): Promise<T> {
    const dataDir = join(this.options.dataDir, 'postgres')
    let found = await findEmbeddedPostgres({ dataDir })
    // The service restarts it after a crash.
    for (const end = Date.now() + POSTGRES_LIMIT_MS; found === undefined; await sleep(POLL_MS)) {
      if (Date.now() > end) throw new Error('the embedded Postgres does not come back')
      found = await findEmbeddedPostgres({ dataDir })
    }
    const sql = connectPostgres({ url: found.url, applicationName: 'chaos', maxConnections: 1 })
    try {
      return await use(sql)
    } finally {
      await sql.end({ timeout: 2 })
    }
  }

  /** Beside the service: the log may be opened by several processes. */
  private async withLog<T>(
    sql: Sql,
    use: (log: Awaited<ReturnType<typeof openEmbeddedLog>>) => Promise<T>,
  ): Promise<T> {
    const [shape] = await sql<{ partitions: number; identity: number }[]>`
      select partitions, identity_partitions as identity from logs`
    if (shape === undefined) throw new Error('no log is registered')
    const log = await openEmbeddedLog({
      path: join(this.options.dataDir, 'log'),
      partitions: shape.partitions,
      identityPartitions: shape.identity,
    })
    try {
      return await use(log)
    } finally {
      await log.close()
    }
  }
}
