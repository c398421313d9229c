import { LINK_MUTATIONS } from '../mutations.js'
import { testMutations } from './support/mutation-test.js'

testMutations(LINK_MUTATIONS)
