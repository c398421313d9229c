import t from 'tap'
import { testLocalContract } from './support/local-bench.js'

t.test('local git, bare, with SHA-256', (t) => testLocalContract(t, { bare: true, objectFormat: 'sha256' }))
