import t from 'tap'
import { deployCluster } from '../../support/deployment.js'
import { kafkaProblem } from '../../support/kafka.js'
import { testDeduplication } from '../suites/deduplication.js'

t.test(
  'stages apart: each id once, however and wherever it comes, over restarts, kill -9 and less memory',
  { timeout: 300_000, skip: kafkaProblem() ?? false },
  async (t) => testDeduplication(t, await deployCluster(t, { gateways: 2, consumers: 2 })),
)
