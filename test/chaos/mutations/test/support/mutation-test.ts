import t from 'tap'
import { kafkaProblem } from '../../../../support/kafka.js'
import type { ClusterSystem } from '../../../systems/cluster-system.js'
import type { System } from '../../../systems/system.js'
import { type MakeSystem, onCluster, shortRun } from '../../../test/support/short-run.js'
import { mutate } from '../../mutate.js'
import type { Mutation } from '../../mutations.js'

const STRIKE_LIMIT_MS = 30_000
/**
 * A fault may strike a moment at which a broken guarantee does no harm, such as at a link that was known
 * before.
 */
const SEEDS = [7, 8, 9]

/** Each mutation by itself turns a run red, and in the way it must. */
export function testMutations<S extends System>(
  mutations: readonly Mutation<S>[],
  makeSystem: MakeSystem<S>,
  strikeLimitMs?: number,
): void {
  for (const { name, patches, faults, roles, shows } of mutations)
    t.test(`the count finds the mutation: ${name}`, { timeout: 600_000 }, async (t) => {
      const mutated = mutate(patches)
      t.teardown(() => mutated.remove())
      let count = 0
      for (const seed of SEEDS) {
        const { verdict, lines } = await shortRun(
          { seed, faults, roles, programs: mutated.programs, strikeLimitMs },
          makeSystem,
        )
        const [finding = 'nothing was found'] = verdict.findings
        count = verdict.count[shows]
        t.comment(`seed ${seed}: ${shows} ${count}: ${finding} (${lines.join('; ')})`)
        if (count > 0) break
      }
      t.ok(count > 0, `${shows} is above 0 with one of the seeds`)
    })
}

/** The same for stages apart, on one broker, which shows them as well as three. */
export function testClusterMutations(mutations: readonly Mutation<ClusterSystem>[], shards = 1): void {
  const problem = kafkaProblem()
  if (problem === undefined) testMutations(mutations, onCluster(1, shards), STRIKE_LIMIT_MS)
  else t.test('mutations of stages apart', { skip: problem }, async () => {})
}
