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
}) => S

export const onAllInOne: MakeSystem<AllInOne> = (options) => new AllInOne(options)

/** Stages apart, on so many brokers. */
export function onCluster(brokers: 1 | 3): MakeSystem<ClusterSystem> {
  return ({ dataDir, programs }) =>
    new ClusterSystem({ dataDir, programs, brokers, gateways: 2, consumers: 2 })
}

/** One round for each of the faults on a store of its own, counted at the end. */
export async function shortRun<S extends System>(
  options: {
    readonly seed: number
    readonly faults: readonly Fault<S>[]
    readonly roles?: readonly ClientRole[] | undefined
    readonly programs?: string
    readonly strikeLimitMs?: number | undefined
  },
  makeSystem: MakeSystem<S>,
): Promise<ShortRun> {
  const data = temporaryDataDir()
  const counted: { readonly entry: LedgerEntry; readonly verdict: Verdict }[] = []
  const lines: string[] = []
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
      makeSystem: () => makeSystem({ dataDir: data.path, programs: options.programs }),
      counted: (entry, verdict) => void counted.push({ entry, verdict }),
      say: (line) => void lines.push(`${Date.now() - began} ms ${line}`),
    })
  } finally {
    data.remove()
  }
  const [only] = counted
  if (only === undefined) throw new Error(`nothing was counted:\n${lines.join('\n')}`)
  return { ...only, lines }
}
