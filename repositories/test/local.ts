import t from 'tap'
import { testLocalContract } from './support/local-bench.js'

t.test('a local repository with a work tree meets the contract', (t) => testLocalContract(t, {}))
