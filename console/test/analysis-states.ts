import t from 'tap'
import { chromiumProblem } from '../../test/support/chromium.js'
import { openConsole } from './support/browser.js'
import { checkState } from './support/looks.js'
import { analysisStates } from './support/states.js'
import { fillDashboard, openShop } from './support/world.js'

t.setTimeout(600_000)

t.test('axe finds nothing in the states of what analysts use', { skip: chromiumProblem() }, async (t) => {
  const consoled = await openConsole(t)
  const funnelId = await openShop(consoled.service, 100)
  const dashboardId = await fillDashboard(consoled.service)
  const tab = await consoled.tab()
  for (const state of await analysisStates(consoled, { funnelId, dashboardId }))
    await checkState(t, tab, state)
  t.same(tab.problems, [])
})
