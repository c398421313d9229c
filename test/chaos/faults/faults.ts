import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../../bench/support/random.js'
import type { AllInOne, Part } from '../systems/all-in-one.js'
import { signal } from '../systems/processes.js'
import type { System } from '../systems/system.js'

/**
 * One way of disturbing a system. Those with a `point` are armed before a start and strike by themselves; the
 * others are carried out from outside.
 */
export interface Fault<S extends System> {
  readonly name: string
  /** The setting of the fault point. `effort` grows from 1 when the fault struck too early to count. */
  readonly point?: (random: Random, effort: number) => string
  /** Does it, now. */
  readonly strike?: (system: S, random: Random) => void | Promise<void>
  /** Runs after the fault, until the system or a new start of it can serve clients again. */
  readonly follow: (system: S, random: Random) => Promise<void>
}

export type Random = () => number

const END_LIMIT_MS = 90_000

/** The faults of the service on embedded stores. */
export const FAULTS: readonly Fault<AllInOne>[] = [
  {
    name: 'kill all',
    strike: (system) => void system.signal('all', 'SIGKILL'),
    follow: (system) => ended(system),
  },
  {
    name: 'kill main',
    strike: (system) => void system.signal('main', 'SIGKILL'),
    follow: endedLeavingOrphans,
  },
  {
    name: 'kill gateway',
    strike: (system, random) => killOne(system, 'gateway', random),
    follow: nothing,
  },
  // The service continues without its database, and starts it again.
  {
    name: 'kill postgres',
    strike: (system) => void system.signal('postgres', 'SIGKILL'),
    follow: nothing,
  },
  // One killed connection makes Postgres end all others and recover.
  {
    name: 'kill postgres-backend',
    strike: (system, random) => killOne(system, 'postgres-backend', random),
    follow: nothing,
  },
  {
    name: 'SIGTERM',
    strike: (system) => void system.signal('main', 'SIGTERM'),
    async follow(system) {
      await ended(system, 0)
    },
  },
  frozen('freeze gateway', 'gateway'),
  frozen('freeze main', 'main'),
  frozen('freeze all', 'all'),
  ...(
    [
      // Blocks are some hundred milliseconds apart, links and requests follow one another closely.
      ['consumer:before-intent', 5, 9],
      ['consumer:intent-written', 5, 9],
      ['consumer:inserted', 5, 9],
      // Only where nothing waits behind a block.
      ['consumer:marked', 2, 4],
      ['identity:linked', 15, 40],
      ['outbox:written', 12, 30],
    ] as const
  ).flatMap(([name, least, most]) => [
    atPoint(name, name, ['kill', 'kill-group'], [least, most], endedLeavingOrphans),
    ...(name === 'outbox:written' || name === 'identity:linked' || name === 'consumer:intent-written'
      ? [atPoint(`${name} fails`, name, ['fail'], [least, most], nothing)]
      : []),
  ]),
  ...(['gateway:before-append', 'gateway:appended', 'log:writing'] as const).flatMap((name) => [
    atPoint(name, name, ['kill'], [120, 400], nothing),
    atPoint(`${name}, all`, name, ['kill-group'], [120, 400], endedWhole),
  ]),
  // The log has it and the gateway cannot know.
  atPoint('gateway:appended fails', 'gateway:appended', ['fail'], [120, 400], nothing),
]

/** Returns the fault of a round. Each cycle has every fault once, in its own order. */
export function faultOf<S extends System>(
  seed: number,
  round: number,
  faults: readonly Fault<S>[],
): Fault<S> {
  const cycle = Math.floor(round / faults.length)
  const random = seededRandom(seed * 1_009 + cycle)
  const order = faults.map((fault) => ({ fault, at: random() })).sort((a, b) => a.at - b.at)
  const chosen = order[round % faults.length]?.fault
  if (chosen === undefined) throw new RangeError('there are no faults')
  return chosen
}

export function faultsNamed<S extends System>(
  names: readonly string[],
  faults: readonly Fault<S>[],
): Fault<S>[] {
  return names.map((name) => {
    const fault = faults.find((known) => known.name === name)
    if (fault === undefined)
      throw new RangeError(`no fault "${name}": there are ${faults.map((known) => known.name).join(', ')}`)
    return fault
  })
}

/** The service dies whole at one pass of a point. */
export function faultAt(name: string, point: string, pass: number): Fault<AllInOne> {
  return atPoint(name, point, ['kill-group'], [pass, pass], endedWhole)
}

export function atPoint(
  name: string,
  point: string,
  actions: readonly string[],
  [least, most]: readonly [number, number],
  follow: Fault<AllInOne>['follow'],
): Fault<AllInOne> {
  return {
    name,
    point: (random, effort) => {
      const pass = effort * Math.round(least + random() * (most - least))
      return `${point}:${pass}:${actions[Math.floor(random() * actions.length)]}`
    },
    follow,
  }
}

function frozen(name: string, part: Part): Fault<AllInOne> {
  return {
    name,
    strike: (system) => void system.signal(part, 'SIGSTOP'),
    async follow(system, random) {
      // Sometimes beyond every patience of gateway and consumers.
      await sleep(random() < 0.15 ? 11_000 : 400 + random() * 2_600)
      system.signal(part, 'SIGCONT')
    },
  }
}

function killOne(system: AllInOne, part: Part, random: Random): void {
  const pids = system.pids(part)
  const one = pids[Math.floor(random() * pids.length)]
  if (one !== undefined) signal(one, 'SIGKILL')
}

export async function nothing(): Promise<void> {}

/** The program is gone; its gateways and its Postgres may be left for the next start to deal with. */
export async function endedLeavingOrphans(system: AllInOne, random: Random): Promise<void> {
  await ended(system)
  if (random() < 0.5) system.signal('all', 'SIGKILL')
  else await sleep(random() * 200)
}

async function endedWhole(system: AllInOne): Promise<void> {
  await ended(system)
  system.signal('all', 'SIGKILL')
}

async function ended(system: AllInOne, right?: number): Promise<void> {
  const late = new AbortController()
  const code = await Promise.race([
    system.ended,
    sleep(END_LIMIT_MS, undefined, { signal: late.signal }).then(() => {
      throw new Error(`the service has not ended ${END_LIMIT_MS} ms after the fault`)
    }),
  ])
  late.abort()
  if (right !== undefined && code !== right) throw new Error(`the service ended with ${code}, not ${right}`)
}
