export interface NodePlace {
  readonly id: number
  readonly port: number
  readonly controllerPort: number
  /** Port of the listener with TLS and a login, if there is one. */
  readonly securePort: number
  /** Port of the listener that wants a client certificate, if there is one. */
  readonly mutualPort: number
}

export const PROTOCOLS = 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT'

export function listenersOf({ port, controllerPort }: NodePlace): string {
  return `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`
}

/**
 * server.properties of one node, which is broker and controller: small, quick to notice a dead neighbour, and
 * no careless defaults.
 */
export function serverProperties(
  node: NodePlace,
  all: readonly NodePlace[],
  dataDir: string,
  more: Readonly<Record<string, string | number>>,
): string {
  const copies = all.length
  const voters = all.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`).join(',')
  const listeners = listenersOf(node)
  const properties: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': node.id,
    'controller.quorum.voters': voters,
    'controller.quorum.election.timeout.ms': 1_000,
    'controller.quorum.fetch.timeout.ms': 2_000,
    listeners,
    'advertised.listeners': listeners,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': PROTOCOLS,
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': dataDir,
    'auto.create.topics.enable': false,
    'default.replication.factor': copies,
    'min.insync.replicas': copies > 1 ? 2 : 1,
    'unclean.leader.election.enable': false,
    'offsets.topic.replication.factor': copies,
    'offsets.topic.num.partitions': 3,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': copies > 1 ? 2 : 1,
    'transaction.state.log.num.partitions': 3,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1_000,
    'message.max.bytes': 20_971_520,
    'replica.fetch.max.bytes': 20_971_520,
    'broker.session.timeout.ms': 3_000,
    'broker.heartbeat.interval.ms': 500,
    'replica.lag.time.max.ms': 4_000,
    'replica.fetch.wait.max.ms': 200,
    'controlled.shutdown.enable': false,
    'transaction.abort.timed.out.transaction.cleanup.interval.ms': 1_000,
    'log.cleaner.dedupe.buffer.size': 4_194_304,
    'log.segment.bytes': 67_108_864,
    'num.network.threads': 2,
    'num.io.threads': 3,
    'background.threads': 2,
    ...more,
  }
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

export const LOGGING = `status=error
rootLogger.level=warn
rootLogger.appenderRef.file.ref=file
appender.file.type=Console
appender.file.name=file
appender.file.layout.type=PatternLayout
appender.file.layout.pattern=%d{HH:mm:ss.SSS} %p %c{1} %m%n
`
