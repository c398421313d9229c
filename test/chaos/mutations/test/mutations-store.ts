import { onAllInOne } from '../../test/support/short-run.js'
import { STORE_MUTATIONS } from '../mutations.js'
import { testMutations } from './support/mutation-test.js'

testMutations(STORE_MUTATIONS, onAllInOne)
