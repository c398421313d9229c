import { SEED } from '../../../support/cases.js'
import { onAllInOne } from '../../test/support/short-run.js'
import { DEDUPLICATION_MUTATIONS, ENTRY_MUTATIONS, LINK_MUTATIONS, STORE_MUTATIONS } from '../mutations.js'
import { testMutations } from './support/mutation-test.js'

const ON_ONE_MACHINE = [...DEDUPLICATION_MUTATIONS, ...STORE_MUTATIONS, ...ENTRY_MUTATIONS, ...LINK_MUTATIONS]

// One by turns; the long tier runs them all.
testMutations(
  [ON_ONE_MACHINE[SEED % ON_ONE_MACHINE.length]].flatMap((one) => one ?? []),
  onAllInOne,
)
