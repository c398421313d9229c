import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openRemoteClickHouse } from '../../../clickhouse/remote/open.js'
import type { Sql } from '../../../postgres/driver/client.js'
import {
  type Cluster,
  type Shard,
  type StageKind,
  type StageProgram,
  startCluster,
} from '../../support/cluster.js'
import type { KafkaNode } from '../../support/kafka.js'
import type { Target } from '../clients/clients.js'
import { MachineClock } from '../clients/machine-clock.js'
import type { Random } from '../faults/faults.js'
import { ClientNetwork } from './client-network.js'
import { pointsFolder, productEnvironment } from './product-environment.js'
import { readBooks } from './read-books.js'
import { readStoreRows } from './store-rows.js'
import type { Books, StoredLinkKeys, StoredRow, StoreSummary, System } from './system.js'

export interface ClusterSystemOptions {
  /** The caller creates it, and keeps or removes it. */
  readonly dataDir: string
  /** Three by default. */
  readonly brokers?: 1 | 3
  /** Of ClickHouse; one by default. */
  readonly shards?: number | undefined
  readonly gateways: number
  readonly consumers: number
  /** Two with `product`, none otherwise, unless it is said here. */
  readonly apis?: number
  /** With two management APIs, and a clock that can be stepped. */
  readonly product?: boolean | undefined
  /** The folder of the compiled stages to run; by default those this harness was compiled with. */
  readonly programs?: string | undefined
  readonly say?: (line: string) => void
  /** After the first start. */
  readonly opened?: (cluster: Cluster) => void
}

const EVENTS_TOPIC = 'svc-events'
/** Few: each transaction ends with a marker in every one it has written to. */
const PARTITIONS = 3
const OUTPUT_OF_EACH = 1_500
/**
 * A stage that cannot start because a store is gone is started again, as by whatever looks after processes.
 */
const RESTART_PAUSE_MS = 500
const RESTART_LIMIT_MS = 90_000
/** A frozen stage and its replacement run side by side for this long. */
const BESIDE_MS = 3_000

/**
 * Gateways and consumers apart, on three brokers, a Postgres and a ClickHouse server. A stage that ends is
 * started again, as it would be anywhere.
 */
export class ClusterSystem implements System {
  readonly name = 'cluster'
  readonly readsWhileRunning = true
  readonly clock = new MachineClock()
  readonly network = new ClientNetwork()
  private parts: Cluster | undefined
  private opening: Promise<void> = Promise.resolve()
  private running = false
  private closed = false
  private requests = 0
  private armed: StageProgram | undefined
  /** How much that one had said before. */
  private armedFrom = 0
  /** Stages that end because a fault or the end wants it, and are not started again from here. */
  private readonly held = new Set<StageProgram>()
  /** Stand-ins for frozen ones. They run only then. */
  private readonly twins = new Map<StageKind, StageProgram>()
  private readonly restarts = new Set<Promise<void>>()
  private mends: (() => Promise<void>)[] = []
  private problem: Error | undefined

  constructor(private readonly options: ClusterSystemOptions) {}

  /** The cluster under test. Throws before it was started. */
  get cluster(): Cluster {
    if (this.parts === undefined) throw new Error('the cluster has not been started')
    return this.parts
  }

  get isRunning(): boolean {
    return this.running
  }

  target(client: number): Target {
    const [ingest, api] = (['ingest', 'api'] as const).map((kind) => {
      const running = this.parts?.stages(kind).flatMap(({ url }) => (url === undefined ? [] : [url])) ?? []
      return this.running ? running[(client + this.requests++) % running.length] : undefined
    })
    const { serverKey = '', apiKey = '', workspaceId = '' } = this.parts?.keys ?? {}
    const { network } = this
    return { ingest: network.route(ingest), api: network.route(api), serverKey, apiKey, workspaceId }
  }

  async start(faultPoint?: string): Promise<void> {
    if (this.closed) throw new Error('the system has been closed')
    if (this.parts === undefined) {
      const opening = this.open()
      this.opening = opening.catch(() => {})
      await opening
    } else await Promise.all(this.ownStages().map((stage) => this.startAgain(stage)))
    this.running = true
    if (faultPoint !== undefined) await this.arm(faultPoint)
  }

  /** Starts one process of the stage that has the point again, in good order, with the point armed. */
  async arm(faultPoint: string): Promise<void> {
    const kind = /^(gateway|kafka|log):/.test(faultPoint)
      ? 'ingest'
      : /^(api|job):/.test(faultPoint)
        ? 'api'
        : 'consumers'
    if (this.options.product) {
      this.takeBack()
      const stage = await this.pick(kind, () => (this.requests % 97) / 97)
      this.armedFrom = stage.everything().length
      this.armed = stage
      this.writePoint(stage, faultPoint)
      return
    }
    const before = this.armed
    const isLeft = before?.isRunning === true && !this.struck(before)
    // It may still come to the point that it has missed.
    if (isLeft && before.kind !== kind) await this.replace(before)
    const stage =
      isLeft && before.kind === kind ? before : await this.pick(kind, () => (this.requests % 97) / 97)
    this.armed = undefined
    this.armedFrom = stage.everything().length
    await this.replace(stage, { SVC_FAULT_POINT: faultPoint })
    this.armed = stage
  }

  takeBack(): void {
    if (this.options.product && this.armed !== undefined) this.writePoint(this.armed, '')
  }

  private writePoint({ name }: StageProgram, setting: string): void {
    writeFileSync(join(pointsFolder(this.options.dataDir), name), setting)
  }

  /** The process with the point is started again without it. */
  async disarm(): Promise<void> {
    if (this.options.product) return this.takeBack()
    if (this.armed !== undefined) await this.replace(this.armed)
  }

  hasStruck(): boolean {
    return this.armed !== undefined && this.struck(this.armed)
  }

  /** The stage with the armed fault point. */
  get armedStage(): StageProgram | undefined {
    return this.armed
  }

  async stop(): Promise<number | null> {
    await this.mend()
    await this.settled()
    this.running = false
    const stages = this.ownStages()
    for (const stage of stages) this.held.add(stage)
    const codes = await Promise.all(stages.map((stage) => stage.stop()))
    this.held.clear()
    return codes.find((code) => code !== 0 && code !== null) ?? 0
  }

  output(): string {
    const stages = this.parts?.stages() ?? []
    return stages.map((stage) => `--- ${stage.name}\n${stage.everything().slice(-OUTPUT_OF_EACH)}`).join('\n')
  }

  /** A running stage, or, if none runs, one that is just restarting. */
  async pick(kind: StageKind, random: Random): Promise<StageProgram> {
    const running = (): StageProgram[] =>
      this.cluster.stages(kind).filter((stage) => stage.isRunning && !this.held.has(stage))
    if (running().length === 0) await this.settled()
    const candidates = running()
    const chosen = candidates[Math.floor(random() * candidates.length)]
    if (chosen === undefined) throw new Error(`no ${kind} stage is running`)
    return chosen
  }

  /** Stops a stage in good order, which must succeed, and starts it again. */
  async replace(stage: StageProgram, env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.leave(stage)
    await this.startAgain(stage, env)
  }

  /** Stops a stage in good order, which must succeed; `startAgain` brings it back. */
  async leave(stage: StageProgram): Promise<void> {
    await this.settled()
    this.held.add(stage)
    const began = Date.now()
    const code = await stage.stop()
    // Null if a fault was quicker.
    if (code !== 0 && code !== null)
      throw new Error(`${stage.name} ended with ${code} when asked to stop:\n${stage.output().slice(-4_000)}`)
    this.options.say?.(`  ${stage.name} left in ${Date.now() - began} ms`)
  }

  async startAgain(stage: StageProgram, env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.held.add(stage)
    for (const end = Date.now() + RESTART_LIMIT_MS; !this.closed; await sleep(RESTART_PAUSE_MS)) {
      try {
        await stage.start(env)
        break
      } catch (error) {
        if (Date.now() > end) throw error
      }
    }
    this.held.delete(stage)
    this.lookAfter(stage)
  }

  /** A shard of ClickHouse. */
  shard(random: Random): Shard {
    const { shards } = this.cluster
    return shards[Math.floor(random() * shards.length)] as Shard
  }

  /** A node that leads some partition of the log now. */
  async leader(random: Random): Promise<KafkaNode> {
    const { kafka } = this.cluster
    return kafka.leaderOf(EVENTS_TOPIC, Math.floor(random() * PARTITIONS))
  }

  /**
   * Another process takes the name of a frozen one, as if its machine was given up. Then the frozen one wakes
   * up beside it.
   */
  async replaceFrozen(kind: StageKind, thawAfterMs: number, random: Random): Promise<void> {
    const frozen = await this.pick(kind, random)
    this.held.add(frozen)
    frozen.freeze()
    const twin = this.twins.get(kind)
    const env = { SVC_INSTANCE: frozen.name }
    if (twin !== undefined) await this.startAgain(twin, env)
    else this.twins.set(kind, await this.cluster.add(kind, env))
    this.later(async () => {
      await sleep(thawAfterMs)
      frozen.thaw()
      await sleep(BESIDE_MS)
      await frozen.kill()
      const standIn = this.twins.get(kind)
      if (standIn !== undefined) await this.leave(standIn)
      await this.startAgain(frozen)
    })
  }

  /** Registers a step that ends a fault. It runs before the next fault at the latest. */
  later(mend: () => Promise<void>): void {
    this.mends.push(mend)
  }

  async mend(): Promise<void> {
    const mends = this.mends
    this.mends = []
    // Else the sessions of earlier faults would in time take every connection there is.
    this.parts?.postgresProxy.reap()
    for (const mend of mends) await mend()
  }

  async drain(limitMs: number): Promise<void> {
    await this.mend()
    await this.settled()
    await this.cluster.settled(limitMs)
  }

  withDatabase<T>(use: (sql: Sql) => Promise<T>): Promise<T> {
    return use(this.cluster.sql)
  }

  /** The log forgets stored records, so it has no count. */
  async books(): Promise<Books> {
    return { ...(await readBooks(this.cluster.sql)), appended: undefined }
  }

  async readStore(rows: (batch: readonly StoredRow[]) => void): Promise<StoreSummary> {
    const links: StoredLinkKeys[][] = []
    const counts = new Map<string, number>()
    for (const [index, { url }] of this.cluster.shards.entries()) {
      const clickhouse = await openRemoteClickHouse({ url })
      try {
        let stored = 0
        const found = await readStoreRows(clickhouse, (batch) => {
          stored += batch.length
          rows(batch)
        })
        this.options.say?.(`  shard ${index + 1} has ${stored} events`)
        links.push([...found.links])
        for (const { event, count } of found.vocabulary) counts.set(event, (counts.get(event) ?? 0) + count)
      } finally {
        await clickhouse.close()
      }
    }
    return { links, vocabulary: counts }
  }

  async close(): Promise<void> {
    this.closed = true
    this.running = false
    await this.opening
    await this.network.restore()
    await this.parts?.close()
    await Promise.allSettled(this.restarts)
  }

  private async open(): Promise<void> {
    const { dataDir, brokers, shards, gateways, consumers, programs, product = false } = this.options
    const env = {
      SVC_KAFKA_PARTITIONS: String(PARTITIONS),
      // One for each, so that whichever is armed comes to its point.
      SVC_KAFKA_IDENTITY_PARTITIONS: String(consumers),
      ...(product ? productEnvironment(dataDir, this.clock) : {}),
    }
    this.parts = await startCluster({
      dataDir,
      brokers: brokers ?? 3,
      shards,
      gateways,
      consumers,
      apis: this.options.apis ?? (product ? 2 : 0),
      env,
      programs,
    })
    for (const stage of this.parts.stages()) this.lookAfter(stage)
    this.options.opened?.(this.parts)
  }

  private ownStages(): StageProgram[] {
    const twins = new Set(this.twins.values())
    return this.cluster.stages().filter((stage) => !twins.has(stage))
  }

  private lookAfter(stage: StageProgram): void {
    void stage.ended.then((code) => {
      if (this.closed || this.held.has(stage)) return
      if (code !== null) this.options.say?.(`  ${stage.name} ended by itself with ${code}`)
      const restarting = sleep(RESTART_PAUSE_MS)
        .then(() => this.startAgain(stage))
        .catch((error: Error) => {
          this.problem ??= error
        })
        .finally(() => this.restarts.delete(restarting))
      this.restarts.add(restarting)
    })
  }

  /** Resolves when everything that is restarting runs. */
  private async settled(): Promise<void> {
    while (this.restarts.size > 0) await Promise.all(this.restarts)
    if (this.problem !== undefined) throw this.problem
  }

  private struck(stage: StageProgram): boolean {
    return stage === this.armed && stage.everything().slice(this.armedFrom).includes('svc: fault point ')
  }
}
