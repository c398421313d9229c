import t from 'tap'
import { testLocalContract } from './support/local-bench.js'

t.test('a bare local repository with SHA-256 meets the contract', (t) =>
  testLocalContract(t, { bare: true, objectFormat: 'sha256' }),
)
