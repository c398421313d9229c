import t from 'tap'
import { deployCluster } from '../../support/deployment.js'
import { kafkaProblem } from '../../support/kafka.js'
import { testIdentity } from '../suites/identity.js'
import { NO_REAL_LOG, testRealLog } from '../suites/real-log.js'

t.test(
  'two gateways, two consumers and an API answer for a real event log',
  { timeout: 600_000, skip: kafkaProblem() ?? false },
  async (t) => {
    const service = await deployCluster(t, { gateways: 2, consumers: 2 })
    await t.test(
      'funnels of a real event log, sent twice over HTTP, equal the reference in every number',
      { skip: NO_REAL_LOG },
      // Its queries are no others than those of one program.
      (t) => testRealLog(t, service, []),
    )
    await t.test('the first link decides, and funnels follow it', (t) => testIdentity(t, service))
  },
)
