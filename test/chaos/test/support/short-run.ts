import { temporaryDataDir } from '../../../support/service.js'
import type { ClientRole } from '../../clients/clients.js'
import type { Fault } from '../../faults/faults.js'
import type { LedgerEntry } from '../../ledger.js'
import { runChaos } from '../../run.js'
import { AllInOne } from '../../systems/all-in-one.js'
import { ClusterSystem } from '../../systems/cluster-system.js'
import type { System } from '../../systems/system.js'
import type { Verdict } from '../../verify/verify.js'

export interface ShortRun {
  readonly entry: LedgerEntry
  readonly verdict: Verdict
  readonly lines: readonly string[]
}

/** A system on an empty store. */
export type MakeSystem<S extends System> = (options: {
  readonly dataDir: string
  readonly programs: string | undefined
  readonly product: boolean
}) => S

export const onAllInOne: MakeSystem<AllInOne> = (options) => new AllInOne(options)

/** Stages apart, on so many brokers and shards. */
export function onCluster(brokers: 1 | 3, shards = 1): MakeSystem<ClusterSystem> {
  return (options) => new ClusterSystem({ ...options, brokers, shards, gateways: 2, consumers: 2 })
}

/** Its clients send fewer events. */
const PRODUCT_MIN_ACKNOWLEDGED = 200

/** One round for each of the faults on a new store, counted at the end. */
export async function shortRun<S extends System>(
  options: {
    readonly seed: number
    readonly faults: readonly Fault<S>[]
    readonly roles?: readonly ClientRole[] | undefined
    readonly programs?: string
    readonly strikeLimitMs?: number | undefined
    /** The whole product and not only events. */
    readonly product?: boolean
  },
  makeSystem: MakeSystem<S>,
): Promise<ShortRun> {
  const data = temporaryDataDir()
  const { product = false } = options
  const counted: { readonly entry: LedgerEntry; readonly verdict: Verdict }[] = []
  const lines: string[] = []
  let system: S | undefined
  const began = Date.now()
  try {
    await runChaos({
      seed: options.seed,
      from: 0,
      to: options.faults.length,
      faults: options.faults,
      ...(options.roles === undefined ? {} : { roles: options.roles }),
      countEvery: options.faults.length,
      tries: 2,
      strikeLimitMs: options.strikeLimitMs ?? 15_000,
      renewAbove: Number.POSITIVE_INFINITY,
      ...(product ? { product, minAcknowledged: PRODUCT_MIN_ACKNOWLEDGED } : {}),
      makeSystem: () => {
        system = makeSystem({ dataDir: data.path, programs: options.programs, product })
        return system
      },
      counted: (entry, verdict) => void counted.push({ entry, verdict }),
      say: (line) => void lines.push(`${Date.now() - began} ms ${line}`),
    })
  } finally {
    system?.discard?.()
    data.remove()
  }
  const [only] = counted
  if (only === undefined) throw new Error(`nothing was counted:\n${lines.join('\n')}`)
  return { ...only, lines }
}
