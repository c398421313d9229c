import t from 'tap'
import { deployEmbedded } from '../support/deployment.js'
import { testIdentity } from './suites/identity.js'

t.test('the first link decides, and funnels follow it', { timeout: 300_000 }, async (t) =>
  testIdentity(t, await deployEmbedded(t)),
)
