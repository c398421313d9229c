import { ENTRY_MUTATIONS } from '../mutations.js'
import { testMutations } from './support/mutation-test.js'

testMutations(ENTRY_MUTATIONS)
