import t from 'tap'
import { deployCluster } from '../../support/deployment.js'
import { kafkaProblem } from '../../support/kafka.js'
import { SETTLING, testExperiments } from '../suites/experiment.js'

t.test(
  'an A/A and an A/B of 50,000 persons on Kafka, two gateways, two consumers, with a restart and a kill in the middle',
  { timeout: 800_000, skip: kafkaProblem() ?? false },
  async (t) =>
    testExperiments(t, await deployCluster(t, { gateways: 2, consumers: 2, env: SETTLING }), {
      persons: 50_000,
      restart: true,
      settles: true,
    }),
)
