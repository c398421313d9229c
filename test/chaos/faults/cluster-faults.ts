import { setTimeout as sleep } from 'node:timers/promises'
import type { StageKind } from '../../support/cluster.js'
import type { KafkaNode } from '../../support/kafka.js'
import type { FaultMode } from '../../support/network/fault-proxy.js'
import type { ClusterSystem } from '../systems/cluster-system.js'
import { type Fault, nothing, type Random } from './faults.js'

type ClusterFault = Fault<ClusterSystem>

/** Session time of a consumer in its group. After it, another consumer takes over its partitions. */
const SESSION_MS = 6_000
const RESTARTS = 3

/**
 * Faults of separate stages on three brokers. A fault may begin before an earlier one is over: brokers and
 * stores are back, but consumers may still take over partitions.
 */
export const CLUSTER_FAULTS: readonly ClusterFault[] = [
  kill('kill gateway', ['ingest']),
  kill('kill consumer', ['consumers']),
  kill('kill gateway and consumer', ['ingest', 'consumers']),
  {
    name: 'kill all stages',
    async strike(system) {
      for (const stage of system.cluster.stages()) void stage.kill()
    },
    follow: nothing,
  },
  frozenStage('freeze gateway', 'ingest', [400, 12_000]),
  // On both sides of its session's end.
  frozenStage('freeze consumer', 'consumers', [3_000, 14_000]),
  {
    name: 'gateway replaced while frozen',
    strike: (system, random) => system.replaceFrozen('ingest', between(random, 500, 6_000), random),
    follow: mended,
  },
  {
    name: 'consumers come and go',
    strike: () => {},
    async follow(system, random) {
      for (let times = 0; times < 3; times++) {
        const stage = await system.pick('consumers', random)
        await system.leave(stage)
        await sleep(between(random, 500, 3_000))
        await system.startAgain(stage)
        await sleep(between(random, 0, 2_000))
      }
    },
  },
  {
    name: 'gateways one after the other',
    strike: () => {},
    async follow(system) {
      for (const stage of system.cluster.stages('ingest')) if (stage.isRunning) await system.replace(stage)
    },
  },

  broker('kill leader', async (system, node, random) => {
    await node.kill()
    system.later(async () => {
      await sleep(between(random, 500, 6_000))
      await restarted(node)
    })
  }),
  broker('kill leader and consumer', async (system, node, random) => {
    const stage = await system.pick('consumers', random)
    await Promise.all([node.kill(), stage.kill()])
    system.later(async () => {
      await sleep(between(random, 500, 6_000))
      await restarted(node)
    })
  }),
  broker('kill leader and gateway', async (system, node, random) => {
    const stage = await system.pick('ingest', random)
    await Promise.all([node.kill(), stage.kill()])
    system.later(async () => {
      await sleep(between(random, 500, 6_000))
      await restarted(node)
    })
  }),
  broker('freeze leader', async (system, node, random) => {
    node.freeze()
    system.later(async () => {
      await sleep(between(random, 800, 9_000))
      node.thaw()
    })
  }),
  {
    name: 'kill all brokers',
    async strike(system, random) {
      const { nodes } = system.cluster.kafka
      await Promise.all(nodes.map((node) => node.kill()))
      system.later(async () => {
        await sleep(between(random, 0, 3_000))
        await Promise.all(nodes.map((node) => restarted(node)))
      })
    },
    follow: mended,
  },

  clickhouse('ClickHouse refuses', () => 'refuse', [1_000, 6_000]),
  clickhouse('ClickHouse hangs', () => 'hang', [1_000, 9_000]),
  clickhouse(
    'ClickHouse answers late',
    (random) => ({ lateMs: between(random, 1_000, 9_000) }),
    [4_000, 12_000],
  ),
  clickhouse("ClickHouse's answers are lost", () => 'mute', [1_000, 8_000]),
  clickhouse(
    'ClickHouse breaks off',
    (random) => ({ cutAfterBytes: between(random, 0, 300) }),
    [1_000, 4_000],
  ),
  {
    name: 'kill ClickHouse',
    async strike(system, random) {
      const { server } = system.shard(random)
      await server.kill()
      system.later(async () => {
        await sleep(between(random, 0, 4_000))
        await server.start()
      })
    },
    follow: mended,
  },
  {
    // With several shards, the pieces of a block are stored on the others only.
    name: 'ClickHouse hangs and its consumer is killed',
    async strike(system, random) {
      const { proxy } = system.shard(random)
      // Before, because none can start while a shard hangs.
      const stage = await system.pick('consumers', random)
      await proxy.set('hang')
      system.later(async () => {
        await sleep(between(random, 500, 2_000))
        await stage.kill()
        await sleep(between(random, 0, 4_000))
        if (random() < 0.5) proxy.abandon()
        await proxy.set('pass')
      })
    },
    follow: mended,
  },
  {
    name: 'freeze ClickHouse',
    strike(system, random) {
      const { server } = system.shard(random)
      server.freeze()
      system.later(async () => {
        await sleep(between(random, 500, 10_000))
        server.thaw()
      })
    },
    follow: mended,
  },

  postgres('Postgres refuses', 'refuse', [500, 5_000]),
  postgres('Postgres hangs', 'hang', [500, 9_000]),
  postgres("Postgres's answers are lost", 'mute', [300, 3_000]),
  {
    name: 'Postgres cuts connections',
    strike: (system) => system.cluster.postgresProxy.cut(),
    follow: nothing,
  },
  {
    name: 'kill Postgres',
    async strike(system, random) {
      const { postgres: server } = system.cluster
      server.kill()
      system.later(async () => {
        await sleep(between(random, 0, 3_000))
        await server.restart()
      })
    },
    follow: mended,
  },
  {
    name: 'restart Postgres',
    strike: (system) => system.cluster.postgres.restart(),
    follow: nothing,
  },

  ...(
    [
      ['consumer:before-intent', 3, 8],
      ['consumer:intent-written', 3, 8],
      ['consumer:inserted', 3, 8],
      ['consumer:marked', 1, 2],
      ['identity:linked', 4, 16],
      ['outbox:written', 4, 12],
    ] as const
  ).flatMap(([name, least, most]) => [
    atStagePoint(name, `${name} kill`, [least, most], nothing),
    ...(name === 'consumer:inserted' || name === 'consumer:intent-written'
      ? [atStagePoint(`${name} fails`, `${name} fail`, [least, most], nothing)]
      : []),
  ]),
  // The worst moment: it has announced its insert, another process takes over, and then it inserts.
  ...(
    ['consumer:intent-written', 'consumer:before-intent', 'consumer:inserted', 'identity:linked'] as const
  ).map((name) =>
    atStagePoint(`${name} frozen past the session`, `${name} stop`, [3, 8], thawnAfter(SESSION_MS, 9_500)),
  ),
  atStagePoint(
    'consumer:intent-written frozen for long',
    'consumer:intent-written stop',
    [3, 8],
    thawnAfter(10_500, 16_000),
  ),

  ...(['gateway:before-append', 'gateway:appended', 'kafka:sent', 'kafka:committed'] as const).map((name) =>
    atStagePoint(name, `${name} kill`, [2, 10], disarmed),
  ),
  ...(['kafka:sent', 'kafka:committed'] as const).flatMap((name) => [
    atStagePoint(`${name} fails`, `${name} fail`, [2, 10], nothing),
    // Within the time of a transaction, and beyond it.
    atStagePoint(`${name} frozen`, `${name} stop`, [2, 10], thawnAfter(500, 14_000)),
  ]),
]

export function kill(name: string, kinds: readonly StageKind[]): ClusterFault {
  return {
    name,
    async strike(system, random) {
      const stages = await Promise.all(kinds.map((kind) => system.pick(kind, random)))
      await Promise.all(stages.map((stage) => stage.kill()))
    },
    follow: nothing,
  }
}

export function frozenStage(
  name: string,
  kind: StageKind,
  [least, most]: readonly [number, number],
): ClusterFault {
  return {
    name,
    async strike(system, random) {
      const stage = await system.pick(kind, random)
      stage.freeze()
      system.later(async () => {
        await sleep(between(random, least, most))
        stage.thaw()
      })
    },
    follow: mended,
  }
}

function broker(
  name: string,
  strike: (system: ClusterSystem, leader: KafkaNode, random: Random) => Promise<void>,
): ClusterFault {
  return {
    name,
    strike: async (system, random) => strike(system, await system.leader(random), random),
    follow: mended,
  }
}

function clickhouse(
  name: string,
  mode: (random: Random) => FaultMode,
  [least, most]: readonly [number, number],
): ClusterFault {
  return {
    name,
    async strike(system, random) {
      const { proxy } = system.shard(random)
      await proxy.set(mode(random))
      system.later(async () => {
        await sleep(between(random, least, most))
        // Neither end learns that the other has gone.
        if (random() < 0.5) proxy.abandon()
        await proxy.set('pass')
      })
    },
    follow: mended,
  }
}

function postgres(name: string, mode: FaultMode, [least, most]: readonly [number, number]): ClusterFault {
  return {
    name,
    async strike(system, random) {
      const { postgresProxy: proxy } = system.cluster
      await proxy.set(mode)
      system.later(async () => {
        await sleep(between(random, least, most))
        if (random() < 0.5) proxy.abandon()
        await proxy.set('pass')
      })
    },
    follow: mended,
  }
}

/** A gateway dies at one pass of a point. */
export function gatewayFaultAt(point: string, pass: number): ClusterFault {
  return atStagePoint(point, `${point} kill`, [pass, pass], disarmed)
}

/** On a busy machine the nodes may not find one another in time, and one gives up. */
async function restarted(node: KafkaNode): Promise<void> {
  for (let left = RESTARTS; ; left--) {
    try {
      return await node.restart()
    } catch (error) {
      if (left === 0) throw error
    }
  }
}

/** `place` is the point's name and the action. */
export function atStagePoint(
  name: string,
  place: string,
  [least, most]: readonly [number, number],
  follow: ClusterFault['follow'],
): ClusterFault {
  const [point, action] = place.split(' ')
  return {
    name,
    point: (random, effort) => `${point}:${effort * Math.round(between(random, least, most))}:${action}`,
    follow,
  }
}

export function thawnAfter(least: number, most: number): ClusterFault['follow'] {
  return async (system, random) => {
    await sleep(between(random, least, most))
    system.armedStage?.thaw()
  }
}

/** The gateway's own program has replaced the process that died, with the same fault point ahead of it. */
function disarmed(system: ClusterSystem): Promise<void> {
  return system.disarm()
}

function mended(system: ClusterSystem): Promise<void> {
  return system.mend()
}

function between(random: Random, least: number, most: number): number {
  return least + random() * (most - least)
}
