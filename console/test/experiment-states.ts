import t from 'tap'
import { makeRepository } from '../../repositories/test/support/git-repository.js'
import { chromiumProblem } from '../../test/support/chromium.js'
import { connectRepository } from '../../test/support/connect-repository.js'
import { openConsole, signIn } from './support/browser.js'
import { checkState } from './support/looks.js'
import { experimentStates, fillVerdicts, viewerStates } from './support/states.js'
import { fillExperiments, openShop, readerToken } from './support/world.js'

t.setTimeout(600_000)

t.test('axe finds nothing in the states of experiments', { skip: chromiumProblem() }, async (t) => {
  const consoled = await openConsole(t)
  const { service } = consoled
  await openShop(service, 100)
  await fillExperiments(service)
  await fillVerdicts(consoled)
  connectRepository(service, makeRepository(t, { files: { 'index.html': '<button>Continue</button>' } }).path)

  await t.test('of a person who may do everything', async (t) => {
    const tab = await consoled.tab()
    for (const state of experimentStates()) await checkState(t, tab, state)
    // The form that is sent empty is refused.
    t.same(
      tab.problems.filter((problem) => !problem.includes('400')),
      [],
    )
    await tab.page.context().close()
  })

  await t.test('of a person who may only read', async (t) => {
    const tab = await consoled.tab()
    await tab.page.goto('/')
    await signIn(tab.page, await readerToken(service))
    for (const state of viewerStates) await checkState(t, tab, state)
    t.same(tab.problems, [])
    await tab.page.context().close()
  })
})
