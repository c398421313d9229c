import t from 'tap'
import { deployCluster } from '../../support/deployment.js'
import { kafkaProblem } from '../../support/kafka.js'
import { testDeduplication } from '../suites/deduplication.js'

t.test(
  'separate stages store each id once, over restarts, kill -9 and less memory',
  { timeout: 600_000, skip: kafkaProblem() ?? false },
  async (t) => testDeduplication(t, await deployCluster(t, { gateways: 2, consumers: 2 })),
)
