import { ENTRY_MUTATIONS } from '../mutations.js'
import { testMutations } from './support/mutation-test.js'
import { onAllInOne } from './support/short-run.js'

testMutations(ENTRY_MUTATIONS, onAllInOne)
