import t from 'tap'
import { deployEmbedded } from '../support/deployment.js'
import { testDeadLetters } from './suites/dead-letters.js'

t.test(
  'poison stops nothing, is listed with its reason, and is stored once its cause is gone',
  { timeout: 300_000 },
  async (t) => testDeadLetters(t, await deployEmbedded(t, { SVC_LOG_LEVEL: 'silent' })),
)
