import t from 'tap'
import { mutate } from '../../mutate.js'
import type { Mutation } from '../../mutations.js'
import { shortRun } from './short-run.js'

/** Each mutation by itself turns a run red, and in the way it must. */
export function testMutations(mutations: readonly Mutation[]): void {
  for (const { name, patches, faults, roles, shows } of mutations)
    t.test(`found out: ${name}`, { timeout: 100_000 }, async (t) => {
      const mutated = mutate(patches)
      t.teardown(() => mutated.remove())
      const { verdict, lines } = await shortRun({ seed: 7, faults, roles, program: mutated.program })
      t.ok(
        verdict.count[shows] > 0,
        `${shows} ${verdict.count[shows]}: ${verdict.findings[0] ?? 'nothing was found'} (${lines.join('; ')})`,
      )
    })
}
