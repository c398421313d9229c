import t from 'tap'
import { deployEmbedded } from '../support/deployment.js'
import { testFormats } from './suites/formats.js'
import { testIdentity } from './suites/identity.js'

t.test('links between ids, and events of other formats', { timeout: 600_000 }, async (t) => {
  const service = await deployEmbedded(t)
  await t.test('the first link decides, and funnels follow it', (t) => testIdentity(t, service))
  await t.test("Segment's and PostHog's formats become our events", (t) => testFormats(t, service))
})
