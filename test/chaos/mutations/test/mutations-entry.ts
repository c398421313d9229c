import { onAllInOne } from '../../test/support/short-run.js'
import { ENTRY_MUTATIONS } from '../mutations.js'
import { testMutations } from './support/mutation-test.js'

testMutations(ENTRY_MUTATIONS, onAllInOne)
