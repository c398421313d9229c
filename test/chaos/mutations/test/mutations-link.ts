import { onAllInOne } from '../../test/support/short-run.js'
import { LINK_MUTATIONS } from '../mutations.js'
import { testMutations } from './support/mutation-test.js'

testMutations(LINK_MUTATIONS, onAllInOne)
