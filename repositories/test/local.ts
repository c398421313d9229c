import t from 'tap'
import { testLocalContract } from './support/local-bench.js'

t.test('local git, with a work tree', (t) => testLocalContract(t, {}))
