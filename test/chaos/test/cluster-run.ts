import t from 'tap'
import { SEED } from '../../support/cases.js'
import { kafkaProblem } from '../../support/kafka.js'
import { LARGE_ROLES } from '../clients/clients.js'
import { CLUSTER_FAULTS } from '../faults/cluster-faults.js'
import { faultsNamed } from '../faults/faults.js'
import { onCluster, shortRun } from './support/short-run.js'

/** The most telling ones; `npm run chaos -- --system cluster` has them all. */
const CHOSEN = ['consumer:intent-written frozen past the session', 'kill leader', 'kafka:sent']

t.test(
  'stages apart on three brokers: disturbed, nothing acknowledged is lost, doubled or torn',
  { timeout: 600_000, skip: kafkaProblem() ?? false },
  async (t) => {
    const { entry, verdict, lines } = await shortRun(
      {
        seed: SEED,
        faults: faultsNamed(CHOSEN, CLUSTER_FAULTS),
        roles: LARGE_ROLES,
        strikeLimitMs: 30_000,
      },
      onCluster(3),
    )
    for (const line of lines) t.comment(line)
    const { acknowledged, stored, writes: _, jobs: __, ...faulty } = verdict.count
    t.same(
      faulty,
      { lost: 0, doubled: 0, torn: 0, wrong: 0, links: 0, illegal: 0 },
      verdict.findings.join('\n'),
    )
    t.ok(acknowledged > 2_000 && stored > 1_000, `${acknowledged} acknowledged, ${stored} stored`)
    t.ok(Object.keys(entry.faults).length > 0, `faults that count: ${JSON.stringify(entry.faults)}`)
  },
)
