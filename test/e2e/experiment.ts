import t from 'tap'
import { deployEmbedded } from '../support/deployment.js'
import { SETTLING, testExperiments } from './suites/experiment.js'

t.test('an A/A and an A/B of 1,200 persons, with a kill in the middle', { timeout: 600_000 }, async (t) =>
  testExperiments(t, await deployEmbedded(t, SETTLING), { persons: 1_200, restart: false, settles: false }),
)
