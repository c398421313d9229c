import { onAllInOne } from '../../test/support/short-run.js'
import { DEDUPLICATION_MUTATIONS } from '../mutations.js'
import { testMutations } from './support/mutation-test.js'

testMutations(DEDUPLICATION_MUTATIONS, onAllInOne)
