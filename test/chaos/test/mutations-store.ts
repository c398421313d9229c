import { STORE_MUTATIONS } from '../mutations.js'
import { testMutations } from './support/mutation-test.js'
import { onAllInOne } from './support/short-run.js'

testMutations(STORE_MUTATIONS, onAllInOne)
