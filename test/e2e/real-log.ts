import t from 'tap'
import { deployEmbedded } from '../support/deployment.js'
import { NO_REAL_LOG, testRealLog } from './suites/real-log.js'

t.test(
  'funnels of a real event log, sent twice over HTTP, equal the reference in every number',
  { timeout: 600_000, skip: NO_REAL_LOG },
  async (t) => testRealLog(t, await deployEmbedded(t)),
)
