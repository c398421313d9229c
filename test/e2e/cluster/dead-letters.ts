import t from 'tap'
import { deployCluster } from '../../support/deployment.js'
import { kafkaProblem } from '../../support/kafka.js'
import { testDeadLetters } from '../suites/dead-letters.js'

t.test(
  'stages apart: poison stops nothing, is listed with its reason, and is stored once its cause is gone',
  { timeout: 300_000, skip: kafkaProblem() ?? false },
  async (t) => testDeadLetters(t, await deployCluster(t, { consumers: 2, logLevel: 'silent' })),
)
