import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Kafka, logLevel } from 'kafkajs'
import { BrokerNode } from './kafka/node.js'
import type { NodePlace } from './kafka/properties.js'
import { type SecureListener, secureFormatting, secureProperties } from './kafka/secure.js'

export { kafkaProblem } from './kafka/jars.js'

export interface KafkaOptions {
  /** Each is broker and controller. With three, topics have three copies, of which two must be in step. */
  readonly brokers: 1 | 3
  /** More of server.properties. */
  readonly properties?: Readonly<Record<string, string | number>>
  /** Java's own options; by default a small heap and the quick compiler. Figures want another choice. */
  readonly jvm?: readonly string[]
  /** Another listener beside the first, to which the questions of this file go. */
  readonly secure?: SecureListener
}

/** One broker of a cluster; `kill` and `freeze` do what a crash and a stalled machine do. */
export interface KafkaNode {
  readonly id: number
  /** `host:port`. */
  readonly address: string
  /** Of the Java process; undefined while it does not run. */
  readonly pid: number | undefined
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>
  /**
   * SIGTERM; resolves when the process is gone. With `controlled.shutdown.enable` it hands its partitions
   * over first.
   */
  shutDown(): Promise<void>
  /** SIGSTOP. */
  freeze(): void
  /** SIGCONT. */
  thaw(): void
  /** Starts it again on its data and its ports, after killing it if it runs. Resolves when it serves. */
  restart(): Promise<void>
}

export interface KafkaCluster {
  /** `host:port,host:port`, as SVC_KAFKA_BROKERS takes it. */
  readonly brokers: string
  /** Addresses of the listeners with TLS, if there are any. */
  readonly secureBrokers: string
  /** Addresses of the listeners that want a client certificate, if there are any. */
  readonly mutualBrokers: string
  readonly clusterId: string
  readonly nodes: readonly KafkaNode[]
  /** The node that leads a partition now. */
  leaderOf(topic: string, partition: number): Promise<KafkaNode>
  /** Ends the brokers and removes their data. */
  close(): Promise<void>
}

const READY_MS = 90_000
const ATTEMPTS = 5

/**
 * Starts real Apache Kafka brokers on free ports of 127.0.0.1. They end with this process, however it ends.
 * Look at `kafkaProblem()` first; rejects when it gives a reason, or when the brokers do not come up.
 */
export async function startKafka(options: KafkaOptions): Promise<KafkaCluster> {
  for (let attempt = 1; ; attempt++) {
    const cluster = await Cluster.prepare(options)
    try {
      await cluster.start()
      return cluster
    } catch (error) {
      const taken = cluster.portsWereTaken()
      await cluster.close()
      if (!taken || attempt === ATTEMPTS) throw error
    }
  }
}

class Cluster implements KafkaCluster {
  readonly brokers: string
  readonly secureBrokers: string
  /** Addresses of the listeners that want a client certificate, if there are any. */
  readonly mutualBrokers: string
  readonly nodes: readonly (BrokerNode & KafkaNode)[]

  private constructor(
    readonly clusterId: string,
    places: readonly NodePlace[],
    private readonly folder: string,
    options: KafkaOptions,
  ) {
    const { secure, properties } = options
    this.nodes = places.map((place) => {
      const node = new BrokerNode({
        place,
        all: places,
        clusterId,
        folder: join(folder, `node-${place.id}`),
        properties: { ...(secure === undefined ? {} : secureProperties(secure, place)), ...properties },
        formatting: secure === undefined ? [] : secureFormatting(secure),
        jvm: options.jvm ?? ['-Xms64m', '-Xmx128m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
      })
      return Object.assign(node, {
        restart: async () => {
          await node.kill()
          node.spawn()
          await this.serves(node, [node.address])
        },
      })
    })
    this.brokers = this.nodes.map(({ address }) => address).join(',')
    this.secureBrokers = places.map(({ securePort }) => `127.0.0.1:${securePort}`).join(',')
    this.mutualBrokers = places.map(({ mutualPort }) => `127.0.0.1:${mutualPort}`).join(',')
  }

  static async prepare(options: KafkaOptions): Promise<Cluster> {
    const ports = await freePorts(4 * options.brokers)
    const places = Array.from({ length: options.brokers }, (_, i) => ({
      id: i + 1,
      port: ports[4 * i] ?? 0,
      controllerPort: ports[4 * i + 1] ?? 0,
      securePort: ports[4 * i + 2] ?? 0,
      mutualPort: ports[4 * i + 3] ?? 0,
    }))
    const folder = mkdtempSync(join(tmpdir(), 'svc-kafka-'))
    return new Cluster(randomBytes(16).toString('base64url'), places, folder, options)
  }

  async start(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.format()))
    for (const node of this.nodes) node.spawn()
    await Promise.all(this.nodes.map((node) => this.serves(node, [node.address])))
    await this.hasCoordinators()
  }

  portsWereTaken(): boolean {
    return this.nodes.some((node) => /address already in use|BindException/i.test(node.output()))
  }

  async leaderOf(topic: string, partition: number): Promise<KafkaNode> {
    const deadline = performance.now() + READY_MS
    for (;;) {
      const running = this.nodes.filter(({ pid }) => pid !== undefined)
      try {
        const leader = await ask(
          running.map(({ address }) => address),
          async (admin) => {
            const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
            return topics[0]?.partitions.find(({ partitionId }) => partitionId === partition)?.leader
          },
        )
        const node = this.nodes.find(({ id }) => id === leader)
        if (node !== undefined) return node
        if (performance.now() > deadline)
          throw new Error(`no broker leads partition ${partition} of ${topic}`)
      } catch (error) {
        if (performance.now() > deadline) throw error
      }
      await pause(100)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()))
    rmSync(this.folder, { recursive: true, force: true })
  }

  /**
   * Creates the topics behind groups and transactions, which are otherwise created on first use and would
   * cost a test a second or two.
   */
  private async hasCoordinators(): Promise<void> {
    const deadline = performance.now() + READY_MS
    for (;;) {
      const producer = client(this.brokers.split(',')).producer({ transactionalId: 'test-support' })
      try {
        await producer.connect()
        const transaction = await producer.transaction()
        await transaction.sendOffsets({ consumerGroupId: 'test-support', topics: [] })
        await transaction.abort()
        return
      } catch (error) {
        if (performance.now() > deadline) throw error
      } finally {
        await producer.disconnect()
      }
      await pause(100)
    }
  }

  /**
   * Resolves when the node's own process lives and a Kafka request to its port is answered with this
   * cluster's id by a broker that knows itself to be part of it. A connection alone says nothing: another
   * broker may have the port, or the socket may have connected to itself.
   */
  private async serves(node: BrokerNode, addresses: readonly string[]): Promise<void> {
    const deadline = performance.now() + READY_MS
    for (;;) {
      if (node.pid === undefined) throw new Error(`broker ${node.id} has ended:\n${node.output()}`)
      try {
        const found = await ask(addresses, (admin) => admin.describeCluster())
        const members = found.brokers.map(({ nodeId }) => nodeId)
        if (found.clusterId === this.clusterId && members.includes(node.id)) return
      } catch {
        // Not yet.
      }
      if (performance.now() > deadline) throw new Error(`broker ${node.id} does not serve:\n${node.output()}`)
      await pause(100)
    }
  }
}

type Admin = ReturnType<Kafka['admin']>

function client(brokers: readonly string[]): Kafka {
  return new Kafka({
    clientId: 'test-support',
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1_000,
    requestTimeout: 2_000,
    retry: { retries: 0 },
  })
}

async function ask<T>(addresses: readonly string[], question: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = client(addresses).admin()
  try {
    await admin.connect()
    return await question(admin)
  } finally {
    await admin.disconnect()
  }
}

/**
 * Below 32768, because the system uses the ports above for outgoing connections: a client that retries could
 * connect to itself.
 */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(12_000, 32_000)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
