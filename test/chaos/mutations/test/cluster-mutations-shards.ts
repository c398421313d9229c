import { SHARD_MUTATIONS } from '../cluster-mutations.js'
import { testClusterMutations } from './support/mutation-test.js'

testClusterMutations(SHARD_MUTATIONS, 2)
