import type { Test } from 'tap'
import { SEED } from '../../../support/cases.js'
import type { ClientRole } from '../../clients/clients.js'
import type { Fault } from '../../faults/faults.js'
import type { System } from '../../systems/system.js'
import { type MakeSystem, shortRun } from './short-run.js'

/** A machine that does other things as well may take long to come to a fault. */
const STRIKE_LIMIT_MS = 60_000

/** One short run over the whole product: nothing is lost, doubled, torn or illegal. */
export async function testProduct<S extends System>(
  t: Test,
  faults: readonly Fault<S>[],
  makeSystem: MakeSystem<S>,
  roles?: readonly ClientRole[],
): Promise<void> {
  const { entry, verdict, lines } = await shortRun(
    { seed: SEED, faults, roles, strikeLimitMs: STRIKE_LIMIT_MS, product: true },
    makeSystem,
  )
  for (const line of lines) t.comment(line)
  const { acknowledged, stored, writes, jobs, ...faulty } = verdict.count
  const clean = { lost: 0, doubled: 0, torn: 0, wrong: 0, links: 0, illegal: 0 }
  t.same(faulty, clean, verdict.findings.join('\n'))
  t.ok(acknowledged > 0 && stored > 0, `${acknowledged} events acknowledged, ${stored} stored`)
  t.ok(writes > 0, `${writes} management requests done, and ${jobs} jobs`)
  t.ok(Object.keys(entry.faults).length > 0, `faults that count: ${JSON.stringify(entry.faults)}`)
}
