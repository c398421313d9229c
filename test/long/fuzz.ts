import t from 'tap'
import { fuzzService } from '../fuzz/service.js'
import { SEED } from '../support/cases.js'
import { temporaryDataDir } from '../support/service.js'

const SECONDS = 30

t.test('hostile requests to both ports disturb no good traffic and end no process', async (t) => {
  const dataDir = temporaryDataDir()
  t.teardown(dataDir.remove)
  const { report, problems } = await fuzzService(dataDir.path, {
    seed: SEED,
    first: 0,
    seconds: SECONDS,
    workers: 20,
  })
  t.strictSame(problems, [])
  t.ok(report.requests > 1_000, `${report.requests} requests`)
})
