import { readdirSync } from 'node:fs'
import t from 'tap'
import { deployEmbedded } from '../support/deployment.js'
import { testDeduplication } from './suites/deduplication.js'

t.test('each id is stored once over restarts, kill -9 and less memory', { timeout: 600_000 }, async (t) => {
  const service = await deployEmbedded(t)
  await testDeduplication(t, service)
  const left = readdirSync('/dev/shm').filter((name) => name.includes(`-${service.pid}.`))
  t.same(left, [], 'no scratch file is left')
})
