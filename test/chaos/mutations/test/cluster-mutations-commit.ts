import { COMMIT_MUTATIONS } from '../cluster-mutations.js'
import { testClusterMutations } from './support/mutation-test.js'

testClusterMutations(COMMIT_MUTATIONS)
