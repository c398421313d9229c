import { READ_MUTATIONS } from '../cluster-mutations.js'
import { testClusterMutations } from './support/mutation-test.js'

testClusterMutations(READ_MUTATIONS)
