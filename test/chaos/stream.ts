import type { Cluster } from '../support/cluster.js'
import { temporaryDataDir } from '../support/service.js'
import { CLUSTER_FAULTS } from './faults/cluster-faults.js'
import { runChaos } from './run.js'
import { ClusterSystem } from './systems/cluster-system.js'
import { FAULTY, isSound, type Verdict } from './verify/verify.js'

export interface StreamOptions {
  readonly brokers: 1 | 3
  readonly shards: number
  readonly gateways: number
  readonly consumers: number
  readonly apis: number
  readonly seed: number
  /** Number of faults, each after `events / faults` more accepted events. */
  readonly faults: number
  readonly events: number
  /** Strikes no fault after this time. @default no limit */
  readonly minutes?: number | undefined
  /** When everything serves for the first time. */
  readonly opened: (cluster: Cluster) => void
  readonly say: (line: string) => void
}

/** Faults between two counts of everything that is stored. */
const COUNT_EVERY = 25
/** More events would make the counts long, and the faults no harder. */
const PAUSE_MS = 150
const STRIKE_LIMIT_MS = 20_000
/** A fault that met too little load is not repeated: there are enough. */
const TRIES = 1

/**
 * Streams events and links through the gateways of a new cluster, strikes one fault after the other, and
 * counts every event exactly. Prints a table. Resolves with whether everything accepted is stored once.
 */
export async function streamThroughFaults(options: StreamOptions): Promise<boolean> {
  const { faults, events, minutes } = options
  const began = performance.now()
  const seconds = () => Math.round((performance.now() - began) / 1_000)
  const say = (line: string): void => options.say(`${String(seconds()).padStart(5)} s  ${line}`)
  const data = temporaryDataDir()
  const struck = new Map<string, number>()
  let missed = 0
  let verdict: Verdict | undefined
  let system: ClusterSystem | undefined
  const end = (code: number): void => {
    void (system?.close() ?? Promise.resolve()).finally(() => {
      data.remove()
      process.exit(code)
    })
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => end(130))
  let isBroken = false
  try {
    await runChaos({
      seed: options.seed,
      from: 0,
      to: faults,
      faults: CLUSTER_FAULTS,
      pauseMs: PAUSE_MS,
      countEvery: COUNT_EVERY,
      renewAbove: Number.POSITIVE_INFINITY,
      tries: TRIES,
      strikeLimitMs: STRIKE_LIMIT_MS,
      minAcknowledged: Math.ceil(events / faults),
      until: minutes === undefined ? undefined : Date.now() + minutes * 60_000,
      funnel: options.apis > 0,
      // With fault points that are armed while the stages run.
      makeSystem: () => {
        system = new ClusterSystem({ ...options, say, dataDir: data.path, product: true })
        return system
      },
      counted(entry, found) {
        verdict = found
        for (const [name, times] of Object.entries(entry.faults))
          struck.set(name, (struck.get(name) ?? 0) + times)
        for (const times of Object.values(entry.uncounted)) missed += times
        for (const finding of found.findings) say(`  ${finding}`)
      },
      say,
    })
  } catch (error) {
    isBroken = true
    say(`broken off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
  const isRight = !isBroken && verdict !== undefined && verdict.count.stored > 0 && isSound(verdict.count)
  if (isRight) data.remove()
  else say(`The count differs. The data is kept in ${data.path}`)
  options.say(table(struck, missed, verdict, seconds()))
  return isRight
}

function table(
  struck: ReadonlyMap<string, number>,
  missed: number,
  verdict: Verdict | undefined,
  seconds: number,
): string {
  const total = [...struck.values()].reduce((sum, times) => sum + times, 0)
  const rows: (readonly [string, number])[] = [
    ...[...struck].sort(([a], [b]) => (a < b ? -1 : 1)),
    ['faults under load', total],
    ['others, under little load or not reached', missed],
  ]
  if (verdict !== undefined) {
    const { count, books } = verdict
    rows.push(['events accepted', count.acknowledged], ['events stored', count.stored])
    rows.push(['duplicates left out', books.duplicates], ['links made', books.links.length])
    for (const kind of FAULTY)
      if (kind !== 'illegal') rows.push([kind === 'links' ? 'links or persons wrong' : kind, count[kind]])
  }
  rows.push(['seconds', seconds])
  return rows.map(([name, n]) => `${name.padEnd(48)} ${n.toLocaleString('en').padStart(10)}`).join('\n')
}
