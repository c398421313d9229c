import t from 'tap'
import { SEED } from '../../support/cases.js'
import { COMMIT_MUTATIONS, READ_MUTATIONS } from '../cluster-mutations.js'
import { checkPatches } from '../mutate.js'
import { DEDUPLICATION_MUTATIONS, ENTRY_MUTATIONS, LINK_MUTATIONS, STORE_MUTATIONS } from '../mutations.js'
import { testMutations } from './support/mutation-test.js'
import { onAllInOne } from './support/short-run.js'

const ON_ONE_MACHINE = [...DEDUPLICATION_MUTATIONS, ...STORE_MUTATIONS, ...ENTRY_MUTATIONS, ...LINK_MUTATIONS]

t.test('every mutation finds what it takes away', async (t) => {
  const wrong = [...ON_ONE_MACHINE, ...COMMIT_MUTATIONS, ...READ_MUTATIONS].flatMap(({ name, patches }) => {
    try {
      checkPatches(patches)
      return []
    } catch (error) {
      return [`${name}: ${error}`]
    }
  })
  t.same(wrong, [])
})

// One by turns; the long tier runs them all.
testMutations(
  [ON_ONE_MACHINE[SEED % ON_ONE_MACHINE.length]].flatMap((one) => one ?? []),
  onAllInOne,
)
