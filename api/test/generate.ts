import t from 'tap'
import { withApi } from './support/api.js'

import { makeShop } from './support/shop.js'

const api = await withApi(t)

t.test('a batch becomes proposals that are grounded, aimed and explained', async (t) => {
  const at = await makeShop(api, t)
  const accepted = await at.generate({ count: 4 })
  t.equal(accepted.status, 202)
  t.equal(accepted.headers.location, `/v1/experiment-runs/${accepted.body.runId}`)
  const run = await at.over(accepted.body.runId)
  t.match(run, { status: 'succeeded', step: null, progress: 1, requested: 4, survived: 4, error: null }, run)
  const rows = await at.proposals(run.id)
  t.equal(rows.length, 4)
})
