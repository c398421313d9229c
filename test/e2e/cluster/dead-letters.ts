import t from 'tap'
import { deployCluster } from '../../support/deployment.js'
import { kafkaProblem } from '../../support/kafka.js'
import { testDeadLetters } from '../suites/dead-letters.js'

t.test(
  'separate stages: dead letters stop nothing, and are stored once their cause is gone',
  { timeout: 600_000, skip: kafkaProblem() ?? false },
  async (t) => testDeadLetters(t, await deployCluster(t, { consumers: 2, logLevel: 'silent' })),
)
