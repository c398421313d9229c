import t from 'tap'
import { deployEmbedded } from '../support/deployment.js'
import { testDeadLetters } from './suites/dead-letters.js'

t.test(
  'dead letters stop nothing, are listed with a reason, and are stored once their cause is gone',
  { timeout: 600_000 },
  async (t) => testDeadLetters(t, await deployEmbedded(t, { SVC_LOG_LEVEL: 'silent' })),
)
