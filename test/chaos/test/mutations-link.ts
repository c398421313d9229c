import { LINK_MUTATIONS } from '../mutations.js'
import { testMutations } from './support/mutation-test.js'
import { onAllInOne } from './support/short-run.js'

testMutations(LINK_MUTATIONS, onAllInOne)
