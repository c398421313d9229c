import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultMode } from '../../support/network/fault-proxy.js'
import type { AllInOne } from '../systems/all-in-one.js'
import type { ClusterSystem } from '../systems/cluster-system.js'
import type { System } from '../systems/system.js'
import { atStagePoint, CLUSTER_FAULTS, frozenStage, kill, thawnAfter } from './cluster-faults.js'
import { atPoint, endedLeavingOrphans, FAULTS, type Fault, nothing, type Random } from './faults.js'

const HOUR_MS = 3_600_000
/** No store holds more months than the count can tell apart. */
const MAX_AHEAD_MS = 120 * 24 * HOUR_MS
/** Beyond the lease of a job, and the time in which others look for such jobs. */
const LEASE_OVER_MS = [31_000, 36_000] as const
const POINTS = [
  'api:written',
  'api:committed',
  'job:taken',
  'job:effected',
  'job:marked',
  'job:carried-out',
] as const

/** The whole product on embedded stores. */
export const PRODUCT_FAULTS: readonly Fault<AllInOne>[] = [
  ...FAULTS,
  ...POINTS.map((name) => atPoint(name, name, ['kill', 'kill-group'], passesOf(name), endedLeavingOrphans)),
  ...(['job:effected', 'job:marked'] as const).map((name) =>
    atPoint(`${name} fails`, name, ['fail'], [2, 4], nothing),
  ),
  ...(['log', 'ClickHouse', 'Postgres'] as const).map((store, i) => ({
    name: `full disk of ${store}`,
    strike: (system: AllInOne) => system.disks[i]?.fill(),
    async follow(system: AllInOne, random: Random) {
      await sleep(1_000 + random() * 3_000)
      // Fills the space that was freed in the meantime.
      system.disks[i]?.fill()
      system.disks[i]?.free()
    },
  })),
  ...everywhere<AllInOne>(),
]

/** The whole product with its stages apart. */
export const PRODUCT_CLUSTER_FAULTS: readonly Fault<ClusterSystem>[] = [
  ...CLUSTER_FAULTS,
  kill('kill API', ['api']),
  kill('kill API and consumer', ['api', 'consumers']),
  frozenStage('freeze API', 'api', [400, 12_000]),
  ...POINTS.map((name) => atStagePoint(name, `${name} kill`, passesOf(name), nothing)),
  atStagePoint('job:effected fails', 'job:effected fail', [2, 4], nothing),
  ...(['job:taken', 'job:effected'] as const).map((name) =>
    atStagePoint(`${name} frozen past the lease`, `${name} stop`, [1, 3], thawnAfter(...LEASE_OVER_MS)),
  ),
  ...everywhere<ClusterSystem>(),
]

function passesOf(name: (typeof POINTS)[number]): readonly [number, number] {
  return name.startsWith('api:') ? [2, 9] : [1, 2]
}

/** Faults of clocks and of the network between clients and service. */
function everywhere<S extends System>(): readonly Fault<S>[] {
  return [
    {
      name: 'clock back an hour',
      strike: ({ clock }) => clock.step(-HOUR_MS),
      async follow({ clock }, random) {
        await sleep(1_000 + random() * 4_000)
        if (random() < 0.7) clock.step(HOUR_MS)
      },
    },
    {
      name: "clock over a month's end",
      strike({ clock }) {
        if (clock.offsetMs < MAX_AHEAD_MS) clock.step(untilMonthsEnd(clock.now()) - 1_500)
      },
      async follow({ clock }, random) {
        await sleep(3_000 + random() * 3_000)
        if (random() < 0.5) return
        // Back in the month before.
        clock.step(-HOUR_MS)
        await sleep(1_000 + random() * 2_000)
        clock.step(HOUR_MS)
      },
    },
    network<S>('slow connections', (random) => ({ lateMs: 300 + random() * 2_500 })),
    network<S>('answers lost', () => 'mute'),
    network<S>('answers cut short', (random) => ({ cutAfterBytes: Math.floor(random() * 250) })),
    network<S>('connections cut', () => 'pass'),
    network<S>('connections hang', () => 'hang'),
  ]
}

function network<S extends System>(name: string, mode: (random: Random) => FaultMode): Fault<S> {
  return {
    name,
    async strike(system, random) {
      const targets = Array.from({ length: 6 }, (_, client) => system.target(client))
      const urls = targets.flatMap(({ ingest, api }) => [ingest, api].filter((url) => url !== undefined))
      await system.network.disturb(urls, mode(random))
    },
    async follow({ network }, random) {
      for (let times = 0; times < 4; times++) {
        await sleep(400 + random() * 900)
        network.cut()
      }
      await network.restore()
    },
  }
}

function untilMonthsEnd(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - now
}
