import t from 'tap'
import { chromiumProblem } from '../../test/support/chromium.js'
import { openConsole, signIn } from './support/browser.js'
import { checkState } from './support/looks.js'
import { settingsStates, unloadedStates, viewerSettings } from './support/states.js'
import { fillSettings, readerToken } from './support/world.js'

t.setTimeout(600_000)

t.test('axe finds nothing in the states of the settings', { skip: chromiumProblem() }, async (t) => {
  const consoled = await openConsole(t)
  const { service } = consoled
  await fillSettings(service)

  await t.test('of an owner', async (t) => {
    const tab = await consoled.tab()
    for (const state of settingsStates) await checkState(t, tab, state)
    t.same(tab.problems, [])
    await tab.page.context().close()
  })

  await t.test('of a person who may only read', async (t) => {
    const tab = await consoled.tab()
    await tab.page.goto('/')
    await signIn(tab.page, await readerToken(service))
    for (const state of viewerSettings) await checkState(t, tab, state)
    t.same(tab.problems, [])
    await tab.page.context().close()
  })

  await t.test('and of any page if nothing loads', async (t) => {
    const tab = await consoled.tab()
    await tab.open('/')
    await tab.page.route(/\/v1\/(?!me)/, (route) => route.abort())
    for (const state of unloadedStates) await checkState(t, tab, state)
    await tab.page.context().close()
  })
})
